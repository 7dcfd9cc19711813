//! Why a request of the client has no answer.

use std::fmt;

/// Why a request has no answer.
#[derive(Debug)]
pub enum Error {
    /// The venue refused it; nothing was changed, unless `code` says that this is not known.
    Api { status: u16, code: i32, msg: String },
    /// It did not get there, or the answer did not come back: it may have been carried out.
    Transport(Box<dyn std::error::Error + Send + Sync>),
    /// Something answered, but not in the form that was expected.
    Shape(String),
    /// Nothing was sent: a URL that can't be used, or no credentials where some are needed.
    Usage(String),
}

impl Error {
    /// The venue's code for the refusal, such as -2010.
    pub fn code(&self) -> Option<i32> {
        match self {
            Self::Api { code, .. } => Some(*code),
            Self::Transport(_) | Self::Shape(_) | Self::Usage(_) => None,
        }
    }

    pub(crate) fn transport(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Transport(error.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Api { status, code, msg } => write!(f, "refused: {msg} ({code}, HTTP {status})"),
            Self::Transport(error) => {
                write!(f, "connection failed: {error}")?;
                // The outermost error rarely says more than that something failed.
                let mut source = error.source();
                while let Some(error) = source {
                    write!(f, ": {error}")?;
                    source = error.source();
                }
                Ok(())
            }
            Self::Shape(what) => write!(f, "unexpected answer: {what}"),
            Self::Usage(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Error {}
