//! The port for snapshots: a client logs on, gets the displayed orders, and the number from which
//! the feed continues them.
//!
//! Market data is public, so any user and password are let in.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use protocol::soup::packet::LogOn;
use protocol::soup::server::Due;
use protocol::soup::{Received, RejectReason, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::door::shared::Door;
use crate::itch::feed::Hub;
use crate::itch::settings::ItchSettings;
use crate::itch::snapshot::Snapshot;
use crate::socket::share::{Network, Shared};

/// How long to wait after a failed `accept`.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);
/// How long a client may take to log on, to read a snapshot, and to log out after it.
const CONNECTION_MAX: Duration = Duration::from_secs(120);
const DEADLINE_MS: u64 = 3_600_000;
/// Bytes of a client that are not read yet.
const INPUT_MAX: usize = 4 << 10;

/// Serves clients until the gateway stops.
pub(crate) async fn serve(
    tcp: TcpListener,
    door: Arc<Door>,
    hub: Arc<Hub>,
    settings: ItchSettings,
) {
    let places = Shared::new(settings.glimpse_connections_max, None);
    loop {
        let accepted = tokio::select! {
            accepted = tcp.accept() => accepted,
            () = door.stopped() => break,
        };
        let (stream, peer) = match accepted {
            Ok((stream, peer)) => (stream, peer.ip().to_canonical()),
            Err(error) => {
                tracing::warn!(%error, "a Glimpse connection could not be accepted");
                sleep(ACCEPT_RETRY).await;
                continue;
            }
        };
        let Ok(place) = places.take(Some(Network::of(peer)), 1) else {
            continue; // The client finds its connection closed.
        };
        let (door, hub) = (Arc::clone(&door), Arc::clone(&hub));
        tokio::spawn(async move {
            let served = timeout(CONNECTION_MAX, Client::new(stream, hub).serve(peer));
            tokio::select! {
                _served_or_late = served => {}
                () = door.stopped() => {}
            }
            drop(place);
        });
    }
    places.all_back().await;
}

struct Client {
    stream: TcpStream,
    hub: Arc<Hub>,
    soup: Server,
    begun: Instant,
    input: Vec<u8>,
}

impl Client {
    fn new(stream: TcpStream, hub: Arc<Hub>) -> Self {
        let (soup, begun, input) = (Server::new(0), Instant::now(), Vec::new());
        Self { stream, hub, soup, begun, input }
    }

    async fn serve(mut self, peer: IpAddr) {
        if let Err(error) = self.talk().await {
            tracing::debug!(%error, %peer, "a Glimpse connection has ended");
        }
    }

    async fn talk(&mut self) -> io::Result<()> {
        let Some(request) = self.read_log_on().await? else { return Ok(()) };
        let mut output = Vec::new();
        let Ok(snapshot) = self.hub.hand_over.want_snapshot().await else {
            let reason = RejectReason::SessionNotAvailable;
            self.soup.reject(reason, "the venue stops", &mut output);
            return self.stream.write_all(&output).await;
        };
        if !is_for(&request, &snapshot) {
            let reason = RejectReason::SessionNotAvailable;
            self.soup.reject(reason, "a snapshot begins at message 1", &mut output);
            self.stream.write_all(&output).await?;
            return self.stream.shutdown().await;
        }
        let now_ms = self.now_ms();
        self.soup.accept(snapshot.session, 1, &mut output, now_ms);
        self.stream.write_all(&output).await?;
        self.stream.write_all(&snapshot.packets).await?;
        self.hub.metrics.snapshot_sent();
        drop(snapshot);
        self.linger().await
    }

    /// `None` if the client ends or breaks the protocol before.
    async fn read_log_on(&mut self) -> io::Result<Option<LogOn>> {
        loop {
            let now_ms = self.now_ms();
            let mut rest = &self.input[..];
            let received = self.soup.receive(&mut rest, now_ms);
            let consumed = self.input.len() - rest.len();
            match received {
                Received::LogOn(request) => {
                    self.input.drain(..consumed);
                    return Ok(Some(request));
                }
                Received::NeedMore => {}
                Received::Nothing => {
                    self.input.drain(..consumed);
                    continue;
                }
                _ => return Ok(None),
            }
            if !self.read().await? {
                return Ok(None);
            }
        }
    }

    /// Sends heartbeats until the client logs out.
    async fn linger(&mut self) -> io::Result<()> {
        loop {
            let now_ms = self.now_ms();
            let mut rest = &self.input[..];
            let received = self.soup.receive(&mut rest, now_ms);
            let consumed = self.input.len() - rest.len();
            let is_more = match received {
                Received::NeedMore => false,
                // A client has nothing to say here.
                Received::Nothing | Received::Message(_) => true,
                _ => return Ok(()),
            };
            self.input.drain(..consumed);
            if !is_more && !self.read().await? {
                return Ok(());
            }
        }
    }

    /// Reads what the client sends; `false` when the connection is over.
    async fn read(&mut self) -> io::Result<bool> {
        loop {
            if self.input.len() > INPUT_MAX {
                return Ok(false);
            }
            let deadline =
                self.begun + Duration::from_millis(self.soup.deadline_ms().min(DEADLINE_MS));
            tokio::select! {
                read = self.stream.read_buf(&mut self.input) => return read.map(|size| size > 0),
                () = sleep_until(deadline) => {
                    let mut output = Vec::new();
                    let now_ms = self.now_ms();
                    if self.soup.tick(&mut output, now_ms) == Due::Close {
                        return Ok(false);
                    }
                    self.stream.write_all(&output).await?;
                }
            }
        }
    }

    fn now_ms(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }
}

/// Whether a log-on asks for what there is.
fn is_for(request: &LogOn, snapshot: &Snapshot) -> bool {
    request.sequence <= 1 && request.session.is_none_or(|named| named == snapshot.session)
}
