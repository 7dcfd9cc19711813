//! Why a venue did not start, or stopped before it was asked to.

use std::fmt;

/// One sentence for the operator: what is wrong and where.
#[derive(Clone)]
pub struct ServeError {
    sentence: String,
}

impl ServeError {
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into() }
    }
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for ServeError {}

impl From<String> for ServeError {
    fn from(sentence: String) -> Self {
        Self::new(sentence)
    }
}

/// Errors that say in one sentence what is wrong and where.
macro_rules! from_errors {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for ServeError {
            fn from(error: $error) -> Self {
                Self::new(error.to_string())
            }
        }
    )*};
}
from_errors!(
    std::io::Error,
    gateway::TlsError,
    venue::MasterKeyError,
    venue::OpenError,
    venue::Stopped,
);
