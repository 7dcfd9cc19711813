//! Settings of the gRPC port.

/// Limits of the gRPC port.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct GrpcSettings {
    /// Open connections.
    pub connections_max: usize,
}

impl Default for GrpcSettings {
    fn default() -> Self {
        Self { connections_max: 1_024 }
    }
}
