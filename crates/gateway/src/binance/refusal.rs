//! Why a request was refused, and by whom.

use protocol::signed::ApiError;

/// A refused request. The access record keeps those that no command came of; the log has the others.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// No command was handed to the venue.
    BeforeLog(ApiError),
    /// A command was handed to the venue: the log says what became of it.
    ByEngine(ApiError),
}

impl Refusal {
    /// For what fails once a command was handed over.
    pub(crate) fn by_engine(error: impl Into<ApiError>) -> Self {
        Self::ByEngine(error.into())
    }

    pub(crate) fn into_error(self) -> ApiError {
        match self {
            Self::BeforeLog(error) | Self::ByEngine(error) => error,
        }
    }
}

/// Until a command is handed over, nothing but the gateway refuses.
impl<E: Into<ApiError>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::BeforeLog(error.into())
    }
}
