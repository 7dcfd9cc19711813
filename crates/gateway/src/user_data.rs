//! Subscriptions to an account's events: beginning one, with what has happened since a number, and
//! asking for the balances that events have moved.

use std::sync::Arc;
use std::time::Duration;

use protocol::binance::user_stream::Moment;
use protocol::signed::{ApiError, TimeUnit};
use tokio::sync::mpsc;
use tokio::time::sleep;
use types::{AccountId, KeyId};
use venue::{Handle, NumberedEvent, SpoolError, SpoolReader};

use crate::client::Client;
use crate::clock::now_ns;
use crate::door::query::{Asked, ask_balances};
use crate::shared::{Known, Shared};
use crate::users::{Form, ReaderId};

/// How long to wait when the venue has no room for another question.
const ASK_RETRY: Duration = Duration::from_millis(10);
/// Events that are read from the spool at once.
const PAGE: usize = 500;

/// A reader of an account's events.
#[derive(Clone, Debug)]
pub(crate) struct UserData {
    pub(crate) account: AccountId,
    pub(crate) id: ReaderId,
}

/// From here on the client gets what happens to the account, after what has happened since
/// `from_seq`. Fails when that is no longer kept.
pub(crate) async fn subscribe(
    shared: &Arc<Shared>,
    account: AccountId,
    key: KeyId,
    client: &Arc<Client>,
    form: Form,
    from_seq: Option<u64>,
) -> Result<UserData, ApiError> {
    let known = Arc::clone(&shared.known);
    let (reader, own_form) = (Arc::clone(client), form.clone());
    let asked = shared.door.ask_views(move |_, spool| {
        let holds = from_seq.is_some();
        (known.users().subscribe(account, key, &reader, own_form, holds), spool.reader())
    });
    let (id, spool) = asked.await?;
    let user_data = UserData { account, id };
    if let Some(from_seq) = from_seq {
        let backlog = Backlog { shared: Arc::clone(shared), user_data: user_data.clone(), spool };
        let first = match backlog.page(from_seq).await {
            Ok(first) => first,
            Err(error) => {
                unsubscribe(shared, &user_data).await?;
                return Err(error);
            }
        };
        // After the answer to who subscribes, which does not wait for it.
        tokio::spawn(backlog.send(first, from_seq, Arc::clone(client), form));
    }
    Ok(user_data)
}

pub(crate) async fn unsubscribe(shared: &Shared, user_data: &UserData) -> Result<(), ApiError> {
    let (known, UserData { account, id }) = (Arc::clone(&shared.known), user_data.clone());
    Ok(shared.door.ask_views(move |_, _| known.users().unsubscribe(account, id)).await?)
}

/// What happened before the subscription.
struct Backlog {
    shared: Arc<Shared>,
    user_data: UserData,
    spool: SpoolReader,
}

impl Backlog {
    async fn send(
        self,
        mut page: Vec<NumberedEvent>,
        mut next_seq: u64,
        client: Arc<Client>,
        form: Form,
    ) {
        let Some(queue) = client.outlet.queue() else { return };
        while let Some(last) = page.last() {
            next_seq = last.number + 1;
            if self.send_page(&page, &client, &form, &queue).await.is_err() {
                return;
            }
            page = match self.page(next_seq).await {
                Ok(page) => page,
                Err(error) => {
                    tracing::warn!(%error, "a user stream's past cannot be read on");
                    return client.outlet.cut.notify_one();
                }
            };
        }
        let (known, UserData { account, id }) = (Arc::clone(&self.shared.known), self.user_data);
        let release = move || known.users().release(account, id, next_seq);
        if ask_patiently(&self.shared.door.handle, release).await.is_none() {
            client.outlet.cut.notify_one();
        }
    }

    async fn send_page(
        &self,
        page: &[NumberedEvent],
        client: &Client,
        form: &Form,
        queue: &mpsc::Sender<axum::extract::ws::Utf8Bytes>,
    ) -> Result<(), Gone> {
        let texts = {
            let directory = self.shared.door.directory();
            let users = self.shared.known.users();
            users.again(&directory, self.user_data.account, page, client, form)
        };
        for text in texts {
            // Here the past waits for its reader, and not the other way round.
            queue.send(text.into()).await.map_err(|_| Gone)?;
        }
        Ok(())
    }

    async fn page(&self, from_seq: u64) -> Result<Vec<NumberedEvent>, ApiError> {
        let (spool, account) = (self.spool.clone(), self.user_data.account);
        let read = move || spool.read_account(account, from_seq, PAGE);
        let read = tokio::task::spawn_blocking(read).await;
        read.expect("reading the spool does not panic").map_err(|error| match error {
            SpoolError::Gone { .. } => ApiError::events_gone(from_seq),
            error => {
                tracing::error!(%error, "an account's events cannot be read");
                ApiError::unknown()
            }
        })
    }
}

/// The client has gone away.
struct Gone;

/// The way to the engine from the publisher's thread, which must not wait.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) handle: Handle,
    pub(crate) runtime: tokio::runtime::Handle,
}

/// Asks the engine for balances, and has them told.
pub(crate) fn ask_positions(known: &Arc<Known>, asked: Asked) {
    // Before the sockets are open nobody listens.
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
            let mut users = told.users();
            users.positions(&told.directory.read(), found);
            users.batch_done()
        };
        if let Some(Some(asked)) = ask_patiently(&handle, tell).await {
            ask_positions(&known, asked);
        }
    });
}

/// Does something on the publisher's thread as soon as it takes it. `None` when it is gone.
async fn ask_patiently<R: Send + 'static>(
    handle: &Handle,
    what: impl FnOnce() -> R + Send + 'static,
) -> Option<R> {
    let what = Arc::new(std::sync::Mutex::new(Some(what)));
    loop {
        let own = Arc::clone(&what);
        let asked = handle.read_views(move |_, _| {
            let what = own.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            what.map(|what| what())
        });
        match asked {
            Ok(answer) => return answer.await.ok().flatten(),
            Err(_) => sleep(ASK_RETRY).await,
        }
    }
}

pub(crate) fn moment(unit: TimeUnit) -> Moment {
    Moment { event_ns: now_ns(), unit }
}
