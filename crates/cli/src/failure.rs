//! The failure of a tool: one sentence, and its cause.

use std::fmt;

use types::RejectReason;

/// The error with which the program ends: one sentence for its user.
#[derive(Clone)]
pub struct Failure {
    sentence: String,
    cause: Cause,
}

/// The kind of a failure, which decides its status and code over HTTP.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cause {
    /// The request is invalid.
    Request,
    /// The request names something that does not exist.
    Unknown,
    /// A rule of the venue refuses it.
    Refused(RejectReason),
    /// The venue takes no requests at the moment.
    Unavailable,
    /// Too many requests of its kind are under way.
    Busy,
    /// An error of the program or the machine.
    Fault,
}

impl Failure {
    pub fn new(sentence: impl Into<String>) -> Self {
        Self::of(Cause::Request, sentence)
    }

    pub fn unknown(sentence: impl Into<String>) -> Self {
        Self::of(Cause::Unknown, sentence)
    }

    pub fn refused(reason: RejectReason, sentence: impl Into<String>) -> Self {
        Self::of(Cause::Refused(reason), sentence)
    }

    pub fn unavailable(sentence: impl Into<String>) -> Self {
        Self::of(Cause::Unavailable, sentence)
    }

    pub fn busy(sentence: impl Into<String>) -> Self {
        Self::of(Cause::Busy, sentence)
    }

    pub fn fault(sentence: impl Into<String>) -> Self {
        Self::of(Cause::Fault, sentence)
    }

    fn of(cause: Cause, sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), cause }
    }

    pub fn cause(&self) -> Cause {
        self.cause
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<String> for Failure {
    fn from(sentence: String) -> Self {
        Self::new(sentence)
    }
}

/// Errors whose text is one sentence: what is wrong, and where.
macro_rules! from_errors {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::fault(error.to_string())
            }
        }
    )*};
}
from_errors!(
    std::io::Error,
    serde_json::Error,
    log::LockError,
    projection::ProjectionError,
    projection::RebuildError<venue::ArchiveError>,
    server::ServeError,
    venue::ArchiveError,
    venue::MasterKeyError,
    venue::OpenError,
);
