//! The wait for the gateway's end.

use tokio::sync::watch;

/// Ready once the gateway is on its way down.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A sender that is gone cannot signal the contrary.
    let _sender_gone = stopping.wait_for(|stopping| *stopping).await;
}
