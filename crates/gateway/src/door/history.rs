//! Questions about the past, and their way to the read model.

use std::time::Duration;

use projection::{History, ProjectionError};
use tokio::time::Instant;
use types::Refused;

use crate::door::query::Unanswered;
use crate::door::shared::Door;

/// How long a question waits for a read model that is behind.
const BEHIND_MAX: Duration = Duration::from_secs(3);

impl Door {
    /// Asks the read model; the answer includes all that anybody was told before.
    pub(crate) async fn ask_history<R: Send + 'static>(
        &self,
        question: impl FnOnce(&History) -> Result<R, ProjectionError> + Send + 'static,
    ) -> Result<R, Unanswered> {
        let history = self.history.clone().ok_or(Unanswered::NoHistory)?;
        let deadline = Instant::now() + BEHIND_MAX.min(self.settings.answer_timeout);
        let sequence = self.ask_views(|_, spool| spool.last_sequence()).await?;
        if let Err(behind) = history.wait_until(sequence, deadline).await {
            tracing::warn!(sequence, at = behind.sequence, "the read model is behind");
            return Err(Unanswered::Refused(Refused::Overloaded));
        }
        let answer = tokio::task::spawn_blocking(move || question(&history)).await;
        answer.expect("a question does not panic").map_err(|error| {
            tracing::error!(%error, "the read model does not answer");
            Unanswered::HistoryFailed
        })
    }
}
