//! What a log reports.

#[allow(dead_code, reason = "not all of it happens in a model")]
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum LogError {
    Busy { in_flight: usize },
    DiskFull(()),
    Failed,
    WriterDied,
}
