//! How far the read model has come, as it is kept in it.

/// How far the read model has come.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Progress {
    /// The last command whose events are in it; 0 if there is none.
    pub sequence: u64,
    /// The time that it was applied at; 0 if that is not known.
    pub sequenced_ns: u64,
    /// Where the last command began: it may have left work that was done under further sequences.
    pub command: u64,
    /// Where history begins.
    pub first_sequence: u64,
    /// Orders, trades and transfers that ended before this time were deleted; 0 if none was.
    pub kept_since_ns: u64,
}
