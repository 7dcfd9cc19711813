//! Requests about listen keys; and the task that ends listen keys and API keys that have expired.

use std::sync::Arc;
use std::time::Duration;

use protocol::binance::request::{ListenKeyRequest, NoParams};
use protocol::binance::response::{Empty, encode};
use protocol::binance::user_stream::{BegunStream, Moment};
use protocol::signed::{ApiError, TimeUnit};
use tokio::time::sleep;
use types::AccountId;

use crate::binance::call::{Answer, KeyedCall};
use crate::binance::shared::BinanceContext;
use crate::clock::now_ns;
use crate::socket::http::json;

/// How often expired keys are looked for.
const EXPIRE_EVERY: Duration = Duration::from_secs(1);

/// `POST /api/v3/userDataStream`
pub(crate) async fn begin(call: KeyedCall, _: NoParams) -> Answer {
    let name = call.shared.listen_keys.begin(call.signer.account, call.signer.key);
    Ok(json(encode(&BegunStream { listen_key: &name })))
}

/// `PUT /api/v3/userDataStream`
pub(crate) async fn keep_alive(
    call: KeyedCall,
    ListenKeyRequest { listen_key }: ListenKeyRequest,
) -> Answer<Empty> {
    call.shared.listen_keys.keep_alive(&listen_key, call.signer.key)?;
    Ok(Empty {})
}

/// `DELETE /api/v3/userDataStream`
pub(crate) async fn end(
    call: KeyedCall,
    ListenKeyRequest { listen_key }: ListenKeyRequest,
) -> Answer<Empty> {
    let ended = call.shared.listen_keys.end(&listen_key, call.signer.key)?;
    forget(&call.shared, listen_key.into(), ended.account, None).await?;
    Ok(Empty {})
}

/// Ends the streams of listen keys and of API keys that have expired, for as long as it is polled.
pub(crate) async fn expire(shared: Arc<BinanceContext>) {
    loop {
        sleep(EXPIRE_EVERY).await;
        let at = || Moment { event_ns: now_ns(), unit: TimeUnit::default() };
        for (name, listen_key) in shared.listen_keys.expire() {
            if let Err(error) = forget(&shared, name, listen_key.account, Some(at())).await {
                tracing::warn!(%error, "the streams of an expired listen key could not be ended");
            }
        }
        let (mut user_streams, directory) = shared.publisher.user_streams_and_directory();
        user_streams.end_expired(&directory, at());
    }
}

async fn forget(
    shared: &BinanceContext,
    name: Arc<str>,
    account: AccountId,
    expired: Option<Moment>,
) -> Result<(), ApiError> {
    let publisher = Arc::clone(&shared.publisher);
    let end = move |_: &_, _: &_| publisher.user_streams().end_listen_key(account, &name, expired);
    Ok(shared.door.ask_views(end).await?)
}
