//! The balances that events have moved: queried, and published to the accounts' subscribers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::sleep;
use venue::Handle;

use crate::binance::shared::Known;
use crate::door::query::{Asked, ask_balances};

/// How long to wait when the venue has no room for another query.
const ASK_RETRY: Duration = Duration::from_millis(10);

/// Queries balances from the engine, and has them published.
pub(crate) fn ask_positions(known: &Arc<Known>, asked: Asked) {
    // Before the sockets are open there is no subscriber.
    let Some(reach) = known.reach.get() else { return };
    let (known, handle) = (Arc::clone(known), reach.handle.clone());
    reach.runtime.spawn(async move {
        let found = loop {
            match ask_balances(&handle, asked.clone()) {
                Ok(answer) => break answer.await,
                Err(_) => sleep(ASK_RETRY).await,
            }
        };
        // The venue is gone, and so will be the streams.
        let Some(found) = found else { return };
        let own = Arc::clone(&known);
        let publish = move || {
            let (mut users, directory) = own.users_and_directory();
            users.positions(&directory, found);
            users.batch_done()
        };
        if let Some(Some(asked)) = run_on_publisher(&handle, publish).await {
            ask_positions(&known, asked);
        }
    });
}

/// Runs `task` on the publisher's thread as soon as that thread takes it. `None` when the thread has
/// ended.
pub(crate) async fn run_on_publisher<R: Send + 'static>(
    handle: &Handle,
    task: impl FnOnce() -> R + Send + 'static,
) -> Option<R> {
    let task = Arc::new(Mutex::new(Some(task)));
    loop {
        let own = Arc::clone(&task);
        let asked = handle.read_views(move |_, _| {
            let task = own.lock().unwrap_or_else(PoisonError::into_inner).take();
            task.map(|task| task())
        });
        match asked {
            Ok(answer) => return answer.await.ok().flatten(),
            Err(_) => sleep(ASK_RETRY).await,
        }
    }
}
