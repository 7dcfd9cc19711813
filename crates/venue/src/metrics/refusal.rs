//! Refused requests, by cause.

/// Why a request that would enter an order was refused, and may be sent again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RefusalCause {
    /// It had waited for too long when it was read: more is sent than the venue can do.
    Late,
    /// What came before it waits for too long for the log: its disk does not keep up.
    Stalled,
    /// A queue has no room. This goes for every command.
    QueueFull,
    DiskFull,
}

impl RefusalCause {
    pub(super) const ALL: [Self; 4] = [Self::Late, Self::Stalled, Self::QueueFull, Self::DiskFull];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Stalled => "stalled",
            Self::QueueFull => "queue_full",
            Self::DiskFull => "disk_full",
        }
    }
}
