//! Why a request of the client has no answer.

use thiserror::Error as ThisError;

/// Why a request has no answer.
#[derive(Debug, ThisError)]
pub enum Error {
    /// The venue refused it; nothing was changed, unless `code` says that this is not known.
    #[error("refused: {msg} ({code}, HTTP {status})")]
    Api { status: u16, code: i32, msg: String },
    /// The venue refused it over OUCH, by a reason of the specification; nothing was changed.
    #[error("rejected over OUCH: reason {reason:#06x}")]
    Rejected { reason: u16 },
    /// The venue refused it over gRPC; nothing was changed. `code` is of gRPC, and `reason` a word
    /// such as `INSUFFICIENT_BALANCE`.
    #[error("refused: {msg} ({reason}, gRPC {code})")]
    Refused { code: i32, reason: String, msg: String },
    /// It did not get there, or the answer did not come back: it may have been carried out.
    #[error("connection failed: {}", chain(&**.0))]
    Transport(Box<dyn std::error::Error + Send + Sync>),
    /// Something answered, but not in the form that was expected.
    #[error("unexpected answer: {0}")]
    Shape(String),
    /// Nothing was sent: a URL that can't be used, or no credentials where some are needed.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    /// The venue's code for the refusal, such as -2010.
    pub fn code(&self) -> Option<i32> {
        match self {
            Self::Api { code, .. } => Some(*code),
            Self::Rejected { .. }
            | Self::Refused { .. }
            | Self::Transport(_)
            | Self::Shape(_)
            | Self::Usage(_) => None,
        }
    }

    pub(crate) fn transport(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Transport(error.into())
    }
}

/// An error and its sources: the outermost one rarely says more than that something failed.
fn chain(error: &(dyn std::error::Error + Send + Sync)) -> String {
    let sources = std::iter::successors(error.source(), |error| error.source());
    sources.fold(error.to_string(), |text, source| format!("{text}: {source}"))
}
