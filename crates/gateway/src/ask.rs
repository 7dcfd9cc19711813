//! The way of a question to the venue and back.

use engine::Engine;
use marketdata::Views;
use protocol::signed::ApiError;
use tokio::time::timeout;
use types::Refused;
use venue::Spool;

use crate::shared::Shared;

/// Asks the engine; the answer includes all that anybody was told before.
pub(crate) async fn ask_engine<R: Send + 'static>(
    shared: &Shared,
    question: impl FnOnce(&Engine) -> R + Send + 'static,
) -> Result<R, ApiError> {
    answered(shared, shared.handle.read(question)).await
}

/// Asks the views; the answer includes all that anybody was told before.
pub(crate) async fn ask_views<R: Send + 'static>(
    shared: &Shared,
    question: impl FnOnce(&Views, &Spool) -> R + Send + 'static,
) -> Result<R, ApiError> {
    answered(shared, shared.handle.read_views(question)).await
}

async fn answered<R, Gone>(
    shared: &Shared,
    asked: Result<impl Future<Output = Result<R, Gone>>, Refused>,
) -> Result<R, ApiError> {
    let answer = asked.map_err(refused)?;
    match timeout(shared.settings.answer_timeout, answer).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err(ApiError::disconnected()),
        Err(_) => Err(ApiError::overloaded()),
    }
}

/// What the venue did not take, and did not carry out.
pub(crate) fn refused(refused: Refused) -> ApiError {
    match refused {
        Refused::Overloaded => ApiError::overloaded(),
        Refused::DiskFull => ApiError::disk_full(),
        Refused::NotPrimary => ApiError::disconnected(),
    }
}
