//! The balances that events have moved: queried, and published to the accounts' subscribers.

use std::sync::Arc;

use tokio::time::sleep;

use crate::binance::reach::{ASK_RETRY, ask_patiently};
use crate::binance::shared::Known;
use crate::door::query::{Asked, ask_balances};

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
        let told = Arc::clone(&known);
        let tell = move || {
            let (mut users, directory) = told.users_and_directory();
            users.positions(&directory, found);
            users.batch_done()
        };
        if let Some(Some(asked)) = ask_patiently(&handle, tell).await {
            ask_positions(&known, asked);
        }
    });
}
