//! The feed's gauges.

/// Both are called on the feed's thread.
pub trait Gauges: Send + 'static {
    /// The read model has the events of commands up to this one.
    fn projected(&self, sequence: u64);

    /// Whether the read model stands still because of a failure.
    fn failed(&self, failed: bool);
}
