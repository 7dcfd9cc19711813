use std::fmt;

/// Why the program ends with an error: one sentence for whoever started it.
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Failure {
    fn from(sentence: String) -> Self {
        Self(sentence)
    }
}

/// Errors that say in one sentence what is wrong and where.
macro_rules! from_errors {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self(error.to_string())
            }
        }
    )*};
}
from_errors!(
    std::io::Error,
    serde_json::Error,
    gateway::TlsError,
    projection::ProjectionError,
    projection::RebuildError,
    venue::ArchiveError,
    venue::MasterKeyError,
    venue::OpenError,
    venue::Stopped,
    crate::replay::ReplayError,
);
