//! Queries of the read model.

use std::sync::Arc;
use std::time::Duration;

use projection::{Ask, Behind, History};
use tokio::time::Instant;

use crate::door::query::QueryError;
use crate::door::shared::Door;

/// How long a query waits for a read model that is behind.
const BEHIND_MAX: Duration = Duration::from_secs(3);

/// The read model, known to include every event acknowledged before.
pub(crate) struct CaughtUpHistory {
    history: Arc<dyn History>,
}

impl Door {
    /// Queries the read model. The answer includes every event acknowledged before.
    pub(crate) async fn ask_history<Q: Ask>(&self, question: Q) -> Result<Q::Answer, QueryError> {
        self.caught_up_history().await?.ask(question).await
    }

    /// For several queries in a row.
    pub(crate) async fn caught_up_history(&self) -> Result<CaughtUpHistory, QueryError> {
        let history = self.history.clone().ok_or(QueryError::NoHistory)?;
        let deadline = Instant::now() + BEHIND_MAX.min(self.settings.answer_timeout);
        let sequence = self.ask_views(|_, spool| spool.last_sequence()).await?;
        if let Err(behind) = history.wait_until(sequence, deadline).await {
            tracing::warn!(sequence, at = behind.sequence, "the read model is behind");
            let Behind { sequenced_ns: up_to_ns, standstill, .. } = behind;
            return Err(QueryError::HistoryBehind { up_to_ns, standstill });
        }
        Ok(CaughtUpHistory { history })
    }
}

impl CaughtUpHistory {
    pub(crate) async fn ask<Q: Ask>(&self, question: Q) -> Result<Q::Answer, QueryError> {
        projection::ask(&*self.history, question).await.map_err(|error| {
            tracing::error!(%error, "the read model does not answer");
            QueryError::HistoryFailed(error.standstill())
        })
    }
}
