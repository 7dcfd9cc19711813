//! Queries of the read model.

use std::sync::Arc;
use std::time::Duration;

use projection::{Ask, Behind, ExpireCauses, History, OneOrder, ProjectionError};
use tokio::time::Instant;
use types::{ExpireCause, InstrumentId, Order, OrderId, OrderRef};

use crate::door::query::QueryError;
use crate::door::shared::Door;

/// How long a query waits for a read model that is behind.
const BEHIND_MAX: Duration = Duration::from_secs(3);
/// Likewise where the engine has the answer without the read model's part.
const ENDED_BEHIND_MAX: Duration = Duration::from_secs(1);

/// The read model. Its answers are as if it had every event acknowledged before: it has these
/// events, or none of them can change the answer.
pub(crate) struct CaughtUpHistory<'a> {
    door: &'a Door,
    history: Arc<dyn History>,
    /// The last command acknowledged before.
    sequence: u64,
    deadline: Instant,
}

impl Door {
    /// Queries the read model. The answer includes every event acknowledged before.
    pub(crate) async fn ask_history<Q: Ask + Clone>(
        &self,
        question: Q,
    ) -> Result<Q::Answer, QueryError> {
        self.caught_up_history().await?.ask(question).await
    }

    /// An ended order as the read model has it. `None` if there is no read model, or if it is too
    /// far behind: the caller has the engine's answer.
    pub(crate) async fn past_order(&self, ended: &Order) -> Option<Order> {
        let query = OneOrder {
            account: ended.account,
            instrument: ended.instrument,
            order: OrderRef::by_id(ended.order_id),
        };
        self.ask_ended(query).await.flatten()
    }

    /// Why each of these orders expired. Without a read model, or if it is too far behind, nothing.
    pub(crate) async fn expire_causes(
        &self,
        orders: Vec<(InstrumentId, OrderId)>,
    ) -> Vec<((InstrumentId, OrderId), ExpireCause)> {
        if orders.is_empty() {
            return Vec::new();
        }
        self.ask_ended(ExpireCauses { orders }).await.unwrap_or_default()
    }

    /// Asks about ended orders: their ends are final, so a read model that is behind may have them
    /// already.
    async fn ask_ended<Q: Ask + Clone>(&self, question: Q) -> Option<Q::Answer> {
        let history = self.history.as_ref()?;
        if let Some(answer) = self.ask_settled(question.clone(), history.reached()).await {
            return Some(answer);
        }
        let deadline = Instant::now() + ENDED_BEHIND_MAX;
        let sequence = self.ask_views(|_, spool| spool.last_sequence()).await.ok()?;
        history.wait_until(sequence, deadline).await.ok()?;
        self.ask_read_model(question, sequence).await.ok()
    }

    async fn ask_read_model<Q: Ask>(
        &self,
        question: Q,
        sequence: u64,
    ) -> Result<Q::Answer, QueryError> {
        let history = self.history.as_ref().ok_or(QueryError::NoHistory)?;
        let _under_way = self.metrics.query::<Q>();
        projection::ask(&**history, question, sequence).await.map_err(failed)
    }

    /// `None` if it fails, too: that it is behind says more.
    async fn ask_settled<Q: Ask>(&self, question: Q, behind: Behind) -> Option<Q::Answer> {
        let history = self.history.as_ref()?;
        let _under_way = self.metrics.query::<Q>();
        projection::ask_settled(&**history, question, behind).await.ok().flatten()
    }

    /// For several queries in a row.
    pub(crate) async fn caught_up_history(&self) -> Result<CaughtUpHistory<'_>, QueryError> {
        let history = self.history.clone().ok_or(QueryError::NoHistory)?;
        let deadline = Instant::now() + BEHIND_MAX.min(self.settings.answer_timeout);
        let sequence = self.ask_views(|_, spool| spool.last_sequence()).await?;
        Ok(CaughtUpHistory { door: self, history, sequence, deadline })
    }
}

impl CaughtUpHistory<'_> {
    pub(crate) async fn ask<Q: Ask + Clone>(&self, question: Q) -> Result<Q::Answer, QueryError> {
        // A read model that stands still is asked first: waiting rarely helps.
        let reached = self.history.reached();
        if reached.sequence < self.sequence
            && reached.standstill.is_some()
            && let Some(answer) = self.door.ask_settled(question.clone(), reached).await
        {
            return Ok(answer);
        }
        match self.history.wait_until(self.sequence, self.deadline).await {
            Ok(()) => self.door.ask_read_model(question, self.sequence).await,
            Err(behind) => {
                tracing::warn!(self.sequence, at = behind.sequence, "the read model is behind");
                let answer = self.door.ask_settled(question, behind).await;
                answer.ok_or(QueryError::HistoryBehind(behind))
            }
        }
    }
}

fn failed(error: ProjectionError) -> QueryError {
    tracing::error!(%error, "the read model does not answer");
    QueryError::HistoryFailed(error.standstill())
}
