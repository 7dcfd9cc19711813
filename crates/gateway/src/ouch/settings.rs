//! Settings of the OUCH port.

/// Limits of the OUCH port, and what its sessions do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct OuchSettings {
    /// Open connections, logged on or not.
    pub connections_max: usize,
    /// Whether a session's orders are canceled when it ends, unless the client asks otherwise.
    pub cancel_on_disconnect: bool,
}

impl Default for OuchSettings {
    fn default() -> Self {
        Self { connections_max: 1_024, cancel_on_disconnect: false }
    }
}
