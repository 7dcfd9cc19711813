//! What all OUCH connections share.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use types::Origin;

use crate::door::passwords::Passwords;
use crate::door::shared::Door;
use crate::ouch::hub::Hub;
use crate::ouch::log_on::LogOns;
use crate::ouch::session;
use crate::ouch::settings::OuchSettings;
use crate::socket::listeners::Serve;

#[derive(Debug)]
pub(crate) struct OuchDoor {
    pub(super) door: Arc<Door>,
    pub(super) hub: Arc<Hub>,
    pub(super) log_ons: LogOns,
    pub(super) settings: OuchSettings,
    /// Sessions share a clock: their heartbeats leave together.
    pub(super) begun: Instant,
}

impl OuchDoor {
    pub(crate) fn new(
        door: &Arc<Door>,
        hub: Arc<Hub>,
        settings: OuchSettings,
        passwords: Arc<Passwords>,
    ) -> Arc<Self> {
        let log_ons = LogOns::new(passwords);
        Arc::new(Self { door: Arc::clone(door), hub, log_ons, settings, begun: Instant::now() })
    }

    /// The time of its sessions.
    pub(super) fn now_ms(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }
}

impl OuchDoor {
    /// Serves the stream of a session inside a call of gRPC.
    #[cfg(feature = "grpc")]
    pub(crate) async fn serve_call(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        peer: IpAddr,
    ) {
        session::serve(stream, (peer, Origin::Grpc), self).await;
    }
}

impl Serve for OuchDoor {
    const NAME: &'static str = "ouch";
    const ALPN: Option<&'static [u8]> = None;

    async fn serve(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Send + Sync + Unpin + 'static,
        peer: IpAddr,
    ) {
        session::serve(stream, (peer, Origin::Ouch), self).await;
    }
}
