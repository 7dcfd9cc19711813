//! Balances that events have moved: queried from the engine, then published to the account's
//! subscribers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::sleep;
use venue::Handle;

use crate::binance::shared::PublisherState;
use crate::door::query::{BalanceQuery, ask_balances};

/// How long to wait when the venue has no room for another query.
const ASK_RETRY: Duration = Duration::from_millis(10);

/// Queries balances, and publishes them.
pub(crate) fn publish_balances(publisher: &Arc<PublisherState>, query: BalanceQuery) {
    // Before the sockets are open, no client has subscribed.
    let Some(engine_access) = publisher.engine_access.get() else { return };
    let (publisher, handle) = (Arc::clone(publisher), engine_access.handle.clone());
    engine_access.runtime.spawn(async move {
        let found = loop {
            match ask_balances(&handle, query.clone()) {
                Ok(answer) => break answer.await,
                Err(_) => sleep(ASK_RETRY).await,
            }
        };
        // The venue has stopped, and its streams end too.
        let Some(found) = found else { return };
        let own = Arc::clone(&publisher);
        let publish = move || {
            let (mut user_streams, directory) = own.user_streams_and_directory();
            user_streams.positions(&directory, found);
            user_streams.batch_done()
        };
        if let Some(Some(query)) = run_on_publisher(&handle, publish).await {
            publish_balances(&publisher, query);
        }
    });
}

/// Runs `task` on the publisher's thread as soon as that thread takes it. `None` when the thread
/// has ended.
pub(crate) async fn run_on_publisher<R: Send + 'static>(
    handle: &Handle,
    task: impl FnOnce() -> R + Send + 'static,
) -> Option<R> {
    let task = Arc::new(Mutex::new(Some(task)));
    loop {
        let own = Arc::clone(&task);
        let answer = handle.read_views(move |_, _| {
            let task = own.lock().unwrap_or_else(PoisonError::into_inner).take();
            task.map(|task| task())
        });
        match answer {
            Ok(answer) => return answer.await.ok().flatten(),
            Err(_) => sleep(ASK_RETRY).await,
        }
    }
}
