//! Requests about listen keys: begun, kept alive, ended.

use std::sync::Arc;

use protocol::binance::request::{ListenKeyRequest, NoParams};
use protocol::binance::response::{Empty, encode};
use protocol::binance::user_stream::{BegunStream, Moment};
use protocol::signed::{ApiError, TimeUnit};
use types::AccountId;

use crate::binance::call::{Answer, Call};
use crate::binance::shared::Shared;
use crate::clock::now_ns;
use crate::door::identity::Permission;
use crate::socket::http::json;

/// `POST /api/v3/userDataStream`
pub(crate) async fn begin(mut call: Call) -> Answer {
    let signer = call.keyed(Permission::UserData).await?;
    NoParams::parse(call.params)?;
    let name = call.shared.listen_keys.begin(signer.account, signer.key);
    Ok(json(encode(&BegunStream { listen_key: &name })))
}

/// `PUT /api/v3/userDataStream`
pub(crate) async fn keep_alive(mut call: Call) -> Answer {
    let signer = call.keyed(Permission::UserData).await?;
    let ListenKeyRequest { listen_key } = ListenKeyRequest::parse(call.params)?;
    call.shared.listen_keys.keep_alive(&listen_key, signer.key)?;
    Ok(json(encode(&Empty {})))
}

/// `DELETE /api/v3/userDataStream`
pub(crate) async fn end(mut call: Call) -> Answer {
    let signer = call.keyed(Permission::UserData).await?;
    let ListenKeyRequest { listen_key } = ListenKeyRequest::parse(call.params)?;
    let ended = call.shared.listen_keys.end(&listen_key, signer.key)?;
    forget(&call.shared, listen_key.into(), ended.account, None).await?;
    Ok(json(encode(&Empty {})))
}

/// Ends the streams of what has expired.
pub(crate) async fn expire(shared: &Shared) {
    for (name, listen_key) in shared.listen_keys.expire() {
        let at = Moment { event_ns: now_ns(), unit: TimeUnit::default() };
        if let Err(error) = forget(shared, name, listen_key.account, Some(at)).await {
            tracing::warn!(%error, "the streams of a listen key that has expired go on");
        }
    }
}

async fn forget(
    shared: &Shared,
    name: Arc<str>,
    account: AccountId,
    expired: Option<Moment>,
) -> Result<(), ApiError> {
    let known = Arc::clone(&shared.known);
    let end = move |_: &_, _: &_| known.users().end_listen_key(account, &name, expired);
    Ok(shared.door.ask_views(end).await?)
}
