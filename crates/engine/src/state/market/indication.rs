//! What readers know of an auction while it runs.

/// Between two indications of one auction.
const INDICATION_NS: u64 = 100_000_000;

/// What is told of an auction while it runs.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Indication {
    /// When it was told last.
    pub(crate) told_ns: u64,
    /// Whether something has changed since.
    pub(crate) is_due: bool,
}

impl Indication {
    pub(crate) fn due_ns(&self) -> u64 {
        self.told_ns.saturating_add(INDICATION_NS)
    }
}
