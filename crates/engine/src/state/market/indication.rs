//! Published indications of a running auction.

/// Minimum time between two indications of one auction.
const INDICATION_NS: u64 = 100_000_000;

/// State of a running auction's indications.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Indication {
    /// Time of the last indication.
    pub(crate) indicated_ns: u64,
    /// Whether the book has changed since then.
    pub(crate) is_due: bool,
}

impl Indication {
    pub(crate) fn due_ns(&self) -> u64 {
        self.indicated_ns.saturating_add(INDICATION_NS)
    }
}
