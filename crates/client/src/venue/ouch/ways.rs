//! The ways of a session, best first, and which of them work.
//!
//! A way that fails is left for the next one at once. While it is left, a probe looks whether it
//! works again, and the session goes back to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};
use types::Origin;

use crate::socket::Socket;
use crate::venue::ouch::Login;
use crate::venue::ouch::datagrams::UdpWay;
use crate::{Error, Tls};

/// Begins an address whose session goes inside a call of gRPC.
const CALL: &str = "grpc:";
/// How long a way that failed is left at least.
const LEFT_FOR: Duration = Duration::from_secs(2);
/// Probes in a row that were answered, after which a way is taken again.
const WELL_AFTER: u32 = 5;
const PROBE_EVERY: Duration = Duration::from_millis(100);
const PROBE_WITHIN: Duration = Duration::from_millis(100);

pub(super) struct Ways {
    ways: Vec<Way>,
    current: usize,
}

struct Way {
    by: By,
    /// While it is left: since when, and what its probe has found, once that runs.
    left: Option<(Instant, Option<Arc<AtomicBool>>)>,
}

#[derive(Clone)]
pub(super) enum By {
    Datagrams(UdpWay),
    /// TCP, a Unix socket, shared memory, or a call of gRPC.
    Bytes(Login),
}

impl Ways {
    /// Best first; at least one.
    pub(super) fn new(ways: impl IntoIterator<Item = By>) -> Self {
        let ways = ways.into_iter().map(|by| Way { by, left: None }).collect();
        Self { ways, current: 0 }
    }

    /// Takes the best way that is not left; once all are, the best one again.
    pub(super) fn take(&mut self) -> &By {
        self.current = self.ways.iter().position(|way| way.left.is_none()).unwrap_or_else(|| {
            self.ways.iter_mut().for_each(|way| way.left = None);
            0
        });
        self.current()
    }

    pub(super) fn current(&self) -> &By {
        &self.ways[self.current].by
    }

    /// Whether there is a way to leave the current one for.
    pub(super) fn has_other(&self) -> bool {
        self.ways.len() > 1
    }

    /// Whether the next way is taken where the current one fails. The last one is tried patiently:
    /// a distant venue may need longer than a near one to answer.
    pub(super) fn has_next(&self) -> bool {
        self.ways.iter().enumerate().any(|(at, way)| at != self.current && way.left.is_none())
    }

    /// The current way has failed. Returns whether another one is to be taken at once.
    pub(super) fn leave(&mut self) -> bool {
        if !self.has_other() {
            return false;
        }
        self.ways[self.current].left = Some((Instant::now(), None));
        self.has_next()
    }

    /// Whether a better way than the current one works again. Looks for that beside the session.
    pub(super) fn has_better(&mut self, tls: Option<&Tls>) -> bool {
        self.ways[..self.current].iter_mut().any(|way| way.is_well_again(tls))
    }
}

impl Way {
    fn is_well_again(&mut self, tls: Option<&Tls>) -> bool {
        let Some((since, probed)) = &mut self.left else { return true };
        if since.elapsed() < LEFT_FOR {
            return false;
        }
        let is_well = probed.get_or_insert_with(|| {
            let is_well = Arc::default();
            tokio::spawn(probe(self.by.clone(), tls.cloned(), Arc::downgrade(&is_well)));
            is_well
        });
        let is_well = is_well.load(Ordering::Relaxed);
        if is_well {
            self.left = None;
        }
        is_well
    }
}

/// Tries a way until several probes in a row are answered; or until the session is gone.
async fn probe(by: By, tls: Option<Tls>, is_well: Weak<AtomicBool>) {
    let mut answered = 0;
    while let Some(is_well) = is_well.upgrade() {
        let tried = timeout(PROBE_WITHIN, by.probe(tls.as_ref())).await;
        answered = if matches!(tried, Ok(Ok(()))) { answered + 1 } else { 0 };
        if answered >= WELL_AFTER {
            return is_well.store(true, Ordering::Relaxed);
        }
        drop(is_well);
        sleep(PROBE_EVERY).await;
    }
}

impl By {
    /// The venue counts orders under this name.
    pub(super) fn origin(&self) -> Origin {
        match self {
            Self::Datagrams(_) => Origin::OuchUdp,
            Self::Bytes(login) if login.is_call() => Origin::Grpc,
            Self::Bytes(_) => Origin::Ouch,
        }
    }

    /// Asks what costs the venue little: for a cookie, or to accept a connection.
    async fn probe(&self, tls: Option<&Tls>) -> Result<(), Error> {
        match self {
            Self::Datagrams(way) => way.ask_for_cookie().await.map_err(Error::transport),
            Self::Bytes(login) => login.connect(tls).await.map(drop),
        }
    }
}

impl Login {
    fn is_call(&self) -> bool {
        self.address.starts_with(CALL)
    }

    /// Opens a connection.
    pub(super) async fn connect(&self, tls: Option<&Tls>) -> Result<Socket, Error> {
        let address = &self.address;
        #[cfg(feature = "grpc")]
        if let Some(address) = address.strip_prefix(CALL) {
            return Ok(Socket::new(crate::grpc::tunnel::open(address).await?));
        }
        let opened = async {
            if let Some(path) = address.strip_prefix("unix:") {
                return Ok(Socket::new(UnixStream::connect(path).await?));
            }
            if let Some(path) = address.strip_prefix("shm:") {
                let socket = UnixStream::connect(path).await?;
                return Ok(Socket::new(shm::Stream::join(socket).await?));
            }
            Socket::connect(address, tls).await
        };
        opened.await.map_err(Error::transport)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_is_tried_once_before_the_best_one_is_tried_again() {
        let (user, password) = ("u".to_owned(), "p".to_owned());
        let login = |address: &str| {
            let (address, user, password) = (address.to_owned(), user.clone(), password.clone());
            By::Bytes(Login { address, user, password, from_sequence: 0, read_from: 0 })
        };
        let mut ways = Ways::new(["first", "second"].map(login));
        let mut take = |leaves: bool| {
            let By::Bytes(Login { address, .. }) = ways.take().clone() else { panic!() };
            (address, ways.has_next(), leaves && ways.leave())
        };
        for _ in 0..2 {
            assert_eq!(take(true), ("first".to_owned(), true, true));
            assert_eq!(take(true), ("second".to_owned(), false, false));
        }
        let mut only = Ways::new([login("only")]);
        only.take();
        assert!(!only.has_next() && !only.has_other() && !only.leave());
    }
}
