//! The way from the publisher's thread, which must not wait, to the engine and back.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::sleep;
use venue::Handle;

/// How long to wait when the venue has no room for another question.
pub(crate) const ASK_RETRY: Duration = Duration::from_millis(10);

/// The way to the engine from the publisher's thread, which must not wait.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) handle: Handle,
    pub(crate) runtime: tokio::runtime::Handle,
}

/// Does something on the publisher's thread as soon as it takes it. `None` when it is gone.
pub(crate) async fn ask_patiently<R: Send + 'static>(
    handle: &Handle,
    what: impl FnOnce() -> R + Send + 'static,
) -> Option<R> {
    let what = Arc::new(Mutex::new(Some(what)));
    loop {
        let own = Arc::clone(&what);
        let asked = handle.read_views(move |_, _| {
            let what = own.lock().unwrap_or_else(PoisonError::into_inner).take();
            what.map(|what| what())
        });
        match asked {
            Ok(answer) => return answer.await.ok().flatten(),
            Err(_) => sleep(ASK_RETRY).await,
        }
    }
}
