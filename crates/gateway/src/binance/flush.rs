use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use venue::Handle;

use crate::binance::shared::Known;

/// How long to wait when the venue has no room for another question.
const FLUSH_RETRY: Duration = Duration::from_millis(10);

/// Sends the depth that a quiet venue would not: while it is busy, every batch does that.
pub(crate) async fn flush_depth(known: Arc<Known>, handle: Handle) {
    let wake = known.hub().wake();
    loop {
        wake.notified().await;
        let mut next = Some(Instant::now());
        while let Some(due) = next {
            sleep_until(due).await;
            let known = Arc::clone(&known);
            let flushed = handle
                .read_views(move |views, _| known.hub().flush(views, std::time::Instant::now()));
            next = match flushed {
                Ok(flushed) => match flushed.await {
                    Ok(due) => due.map(Instant::from_std),
                    Err(_) => return,
                },
                // A queue that is full may be so of questions, which flush nothing.
                Err(_) => Some(Instant::now() + FLUSH_RETRY),
            };
        }
    }
}
