//! How a tool of the binary fails: one sentence, and whose fault it is.

use std::fmt;

use types::RejectReason;

/// Why the program ends with an error: one sentence for its user.
#[derive(Clone)]
pub struct Failure {
    sentence: String,
    cause: Cause,
}

/// Whose fault it is: over HTTP these have different codes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cause {
    /// What was asked for makes no sense.
    Request,
    /// It is about something that is not there.
    Unknown,
    /// The rules of the venue are against it.
    Refused(RejectReason),
    /// The venue takes nothing at the moment.
    Unavailable,
    /// Something broke.
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

/// Errors that say in one sentence what is wrong and where.
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
