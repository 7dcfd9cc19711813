//! The task that ends listen keys and keys whose time is over.

use std::sync::Arc;
use std::time::Duration;

use protocol::binance::user_stream::Moment;
use protocol::signed::TimeUnit;
use tokio::time::sleep;

use crate::binance::shared::Shared;
use crate::binance::user_data_stream;
use crate::clock::now_ns;

/// How often it is seen what has expired.
const EXPIRE_EVERY: Duration = Duration::from_secs(1);

/// Listen keys expire, and keys with their streams.
pub(crate) async fn expire(shared: Arc<Shared>) {
    loop {
        sleep(EXPIRE_EVERY).await;
        user_data_stream::expire(&shared).await;
        let at = Moment { event_ns: now_ns(), unit: TimeUnit::default() };
        let (mut users, directory) = shared.known.users_and_directory();
        users.end_expired(&directory, at);
    }
}
