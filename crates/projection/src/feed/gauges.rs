//! The feed's gauges.

/// All are called on the feed's thread.
pub trait Gauges: Send + 'static {
    /// The read model has the events of commands up to this one.
    fn projected(&self, sequence: u64);

    /// The read model has the events up to this time, in ns since 1970, and there are more; `None`
    /// if it has all. The time is 0 while the events come from the log.
    fn behind(&self, _since_ns: Option<u64>) {}

    /// The read model has all events from this command on, up to the one above.
    fn complete_from(&self, first_sequence: u64);

    /// Whether the read model stands still because of a failure.
    fn failed(&self, failed: bool);
}
