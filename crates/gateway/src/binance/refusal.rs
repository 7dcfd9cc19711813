//! A refusal with the error that Binance's clients know.

use protocol::signed::ApiError;

use crate::door::refusal;

pub(crate) type Refusal = refusal::Refusal<ApiError>;

/// Until a command is handed over, nothing but the gateway refuses.
impl<E: Into<ApiError>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::BeforeLog(error.into())
    }
}
