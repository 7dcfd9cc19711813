//! What all connections share.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::io::DuplexStream;
use types::Market;

use crate::door::operator::OperatorApi;
use crate::door::passwords::Passwords;
use crate::door::shared::Door;
use crate::grpc::calls::CALLS;
use crate::grpc::hub::Hub;
use crate::grpc::tokens::Tokens;
use crate::socket::answered::Answered;

pub(crate) struct GrpcShared {
    pub(super) door: Arc<Door>,
    pub(super) hub: Arc<Hub>,
    pub(super) tokens: Tokens,
    pub(super) passwords: Arc<Passwords>,
    /// `None` refuses operators' requests.
    pub(super) operators: Option<Arc<dyn OperatorApi>>,
    /// `None` where OUCH is not spoken.
    pub(super) tunnel: Option<Tunnel>,
    /// By the place of a call in [`CALLS`].
    pub(crate) answered: Arc<Answered>,
}

/// What other parts of the gateway have for calls.
pub(crate) struct Backends {
    pub(crate) passwords: Arc<Passwords>,
    pub(crate) operators: Option<Arc<dyn OperatorApi>>,
    pub(crate) tunnel: Option<Tunnel>,
}

impl GrpcShared {
    pub(crate) fn new(door: &Arc<Door>, hub: Arc<Hub>, backends: Backends) -> Arc<Self> {
        let Backends { passwords, operators, tunnel } = backends;
        Arc::new(Self {
            door: Arc::clone(door),
            hub,
            tokens: Tokens::default(),
            passwords,
            operators,
            tunnel,
            answered: Answered::new(CALLS.iter().map(|path| (*path).to_owned())),
        })
    }

    pub(super) fn market(&self, symbol: &str) -> Option<Market> {
        self.door.market(symbol)
    }
}

/// Where a session's bytes go.
#[derive(Clone)]
pub(crate) struct Tunnel(pub(super) Arc<dyn Fn(DuplexStream, IpAddr) + Send + Sync>);

impl Tunnel {
    /// `open` serves the stream of a client of this address, on a task of its own.
    pub(crate) fn new(open: impl Fn(DuplexStream, IpAddr) + Send + Sync + 'static) -> Self {
        Self(Arc::new(open))
    }
}

impl fmt::Debug for Tunnel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tunnel")
    }
}
