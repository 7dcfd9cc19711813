//! State shared by all dialects.

use std::sync::Arc;

use projection::History;
use protocol::signed::ApiError;
use tokio::sync::watch;
use types::Market;
use venue::Handle;

use crate::door::access::{AccessRecord, Attempt, is_of_keys};
use crate::door::admission::Admission;
use crate::door::directory::{Directory, SharedDirectory};
use crate::door::door_metrics::DoorMetrics;
use crate::door::faults::Faults;
use crate::door::in_use::InUse;
use crate::door::limits::Limits;
use crate::door::settings::DoorSettings;
use crate::door::single_use::SingleUses;
use crate::door::trace::Traces;
use crate::feed::queues::SharedQueues;
use crate::feed::reader_metrics::ReaderMetrics;

/// Shared by all connections of all dialects.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) settings: DoorSettings,
    pub(crate) limits: Limits,
    pub(crate) admission: Admission,
    pub(crate) in_use: InUse,
    pub(crate) single_uses: SingleUses,
    pub(crate) directory: Arc<SharedDirectory>,
    pub(crate) handle: Handle,
    pub(crate) queues: Arc<SharedQueues>,
    pub(crate) readers: Arc<ReaderMetrics>,
    pub(crate) history: Option<Arc<dyn History>>,
    pub(crate) access: Option<AccessRecord>,
    pub(crate) metrics: DoorMetrics,
    /// `None` where no test may ask for faults.
    pub(crate) faults: Option<Arc<Faults>>,
    /// `None` where no order is traced.
    pub(crate) traces: Option<Arc<Traces>>,
    /// True once the gateway shuts down.
    pub(crate) stopping: watch::Receiver<bool>,
}

impl Door {
    /// The guard must not be held across an `await`.
    pub(crate) fn directory(&self) -> impl std::ops::Deref<Target = Directory> + '_ {
        self.directory.read()
    }

    pub(crate) fn market(&self, symbol: &str) -> Option<Market> {
        self.directory().market(symbol)
    }

    /// Ready once the gateway shuts down.
    pub(crate) async fn stopped(&self) {
        // A sender that is gone stops nothing any more.
        let _stopped = self.stopping.clone().wait_for(|stopping| *stopping).await.is_ok();
    }

    /// Records a request that was refused before the log, with the parameters at fault.
    pub(crate) fn record_error(&self, attempt: &Attempt, error: &ApiError) {
        self.record_refusal(attempt, error.status, error.code, &error.recorded());
    }

    /// Records a request that was refused before the log.
    pub(crate) fn record_refusal(&self, attempt: &Attempt, status: u16, code: i32, reason: &str) {
        if is_of_keys(status, code) {
            self.metrics.auth_failed(code);
        }
        let Some(record) = &self.access else { return };
        let hash = attempt.key_hash();
        let signer = hash.and_then(|hash| self.directory().signer(&hash));
        let key = signer.map(|signer| signer.key.0);
        record.record(attempt, (key, hash), (status, code), reason);
    }
}
