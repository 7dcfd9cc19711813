//! Subscriptions to an account's events, with the backlog from a number on.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use protocol::binance::user_stream::Moment;
use protocol::signed::{ApiError, TimeUnit};
use spool::{NumberedEvent, SpoolError};
use types::{AccountId, KeyId};

use crate::binance::balances::run_on_publisher;
use crate::binance::shared::BinanceContext;
use crate::binance::user_streams::{Known, UserDataReader};
use crate::clock::now_ns;
use crate::door::directory::Directory;
use crate::door::in_use::Held;
use crate::feed::backlog::{Backlog, BacklogError, EventsOf};
use crate::feed::numbered::ReaderId;

/// A subscription to an account's events.
#[derive(Debug)]
pub(crate) struct UserDataSubscription {
    account: AccountId,
    key: KeyId,
    id: ReaderId,
    /// The number of the first event, if the client has asked for numbers.
    pub(crate) from_seq: Option<u64>,
    _in_use: Held<AccountId>,
}

impl UserDataSubscription {
    pub(crate) fn is_of(&self, account: AccountId) -> bool {
        self.account == account
    }

    /// The publisher ends a subscription with its key.
    pub(crate) fn has_ended(&self, directory: &Directory) -> bool {
        !directory.is_usable(self.key)
    }
}

/// Subscribes the client to the account's events, after the backlog from `from_seq` on; zero is the
/// number of the next event. Fails when the backlog is no longer kept, and when `from_seq` is ahead
/// of the next event: then the client knows events of another history, and would wait in silence.
/// It fails also when the account has too many subscriptions.
pub(crate) async fn subscribe(
    shared: &Arc<BinanceContext>,
    account: AccountId,
    key: KeyId,
    reader: UserDataReader,
    from_seq: Option<u64>,
) -> Result<UserDataSubscription, ApiError> {
    let in_use = shared.door.in_use.stream_of_account(account);
    let in_use = in_use.ok_or_else(|| {
        ApiError::too_many_user_streams(shared.door.settings.user_streams_per_account_max)
    })?;
    let from_seq = match from_seq {
        Some(from_seq) => Some(first_event(shared, account, from_seq).await?),
        None => None,
    };
    let publisher = Arc::clone(&shared.publisher);
    let own = reader.clone();
    let subscribed = shared.door.ask_views(move |_, spool| {
        let holds = from_seq.is_some();
        (publisher.user_streams().feed.subscribe(account, key, own, holds), spool.reader())
    });
    let (id, spool) = subscribed.await?;
    let user_data = UserDataSubscription { account, key, id, from_seq, _in_use: in_use };
    if let Some(from_seq) = from_seq {
        let backlog = Backlog { spool, of: EventsOf::Account(account) };
        let first = match backlog.page(from_seq).await {
            Ok(first) => first,
            Err(error) => {
                unsubscribe(shared, &user_data).await?;
                return Err(unreadable(error, from_seq));
            }
        };
        // A task of its own: the answer to the subscriber does not wait for the backlog.
        let task = BacklogTask { shared: Arc::clone(shared), account, id, reader };
        tokio::spawn(task.send(backlog, first, from_seq));
    }
    Ok(user_data)
}

async fn first_event(
    shared: &BinanceContext,
    account: AccountId,
    from_seq: u64,
) -> Result<u64, ApiError> {
    let last = shared.door.account_seq(account).await?;
    match from_seq {
        0 => Ok(last + 1),
        kept if kept <= last + 1 => Ok(kept),
        ahead => Err(ApiError::events_ahead(ahead, last)),
    }
}

pub(crate) async fn unsubscribe(
    shared: &BinanceContext,
    &UserDataSubscription { account, id, .. }: &UserDataSubscription,
) -> Result<(), ApiError> {
    let publisher = Arc::clone(&shared.publisher);
    let unsubscribe = move |_: &_, _: &_| publisher.user_streams().feed.unsubscribe(account, id);
    Ok(shared.door.ask_views(unsubscribe).await?)
}

/// Sends the backlog of one subscription.
struct BacklogTask {
    shared: Arc<BinanceContext>,
    account: AccountId,
    id: ReaderId,
    reader: UserDataReader,
}

impl BacklogTask {
    async fn send(self, backlog: Backlog, first: Vec<NumberedEvent>, from_seq: u64) {
        let outlet = &self.reader.client.outlet;
        let Some(queue) = outlet.queue() else { return };
        let mut known = None;
        let encode = |page: &[NumberedEvent]| self.encode(page, &mut known);
        let next_seq = match backlog.send(first, from_seq, &queue, encode).await {
            Ok(next_seq) => next_seq,
            Err(BacklogError::Gone) => return,
            Err(BacklogError::Unreadable(error)) => {
                let error = unreadable(error, from_seq);
                tracing::warn!(%error, "the backlog of a user data stream cannot be read");
                return outlet.cut.notify_one();
            }
        };
        let (account, id) = (self.account, self.id);
        let publisher = Arc::clone(&self.shared.publisher);
        let release = move || publisher.user_streams().feed.release(account, id, next_seq);
        if run_on_publisher(&self.shared.door.handle, release).await.is_none() {
            outlet.cut.notify_one();
        }
    }

    fn encode(&self, page: &[NumberedEvent], known: &mut Option<Known>) -> Vec<Utf8Bytes> {
        let Self { shared, account, reader, .. } = self;
        let (user_streams, directory) = shared.publisher.user_streams_and_directory();
        let texts = user_streams.encode_backlog(&directory, *account, page, (reader, known));
        texts.into_iter().map(Utf8Bytes::from).collect()
    }
}

fn unreadable(error: SpoolError, from_seq: u64) -> ApiError {
    match error {
        SpoolError::Gone { .. } => ApiError::events_gone(from_seq),
        error => {
            tracing::error!(%error, "an account's events cannot be read");
            ApiError::unknown()
        }
    }
}

pub(crate) fn moment(unit: TimeUnit) -> Moment {
    Moment { event_ns: now_ns(), unit }
}
