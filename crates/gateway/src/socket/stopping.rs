//! The wait for the gateway's end.

use tokio::sync::watch;

/// Ready once the gateway is on its way down.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // Whoever could say that we go on is gone as well.
    let _sender_gone = stopping.wait_for(|stopping| *stopping).await;
}
