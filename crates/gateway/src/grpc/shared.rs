//! What all connections share.

use std::sync::Arc;

use types::Market;

use crate::door::back_off::BackOff;
use crate::door::operator::OperatorApi;
use crate::door::passwords::Passwords;
use crate::door::shared::Door;
use crate::grpc::hub::Hub;
use crate::grpc::routes;
use crate::grpc::tokens::Tokens;
use crate::grpc::tunnel::Tunnel;
use crate::socket::answered::Answered;

pub(crate) struct GrpcShared {
    pub(super) door: Arc<Door>,
    pub(super) hub: Arc<Hub>,
    pub(super) tokens: Tokens,
    pub(super) back_off: Arc<BackOff>,
    pub(super) passwords: Arc<Passwords>,
    /// `None` refuses operators' requests.
    pub(super) operators: Option<Arc<dyn OperatorApi>>,
    /// `None` where OUCH is not spoken.
    pub(super) tunnel: Option<Tunnel>,
    /// By the place of a call in [`routes::CALLS`].
    pub(crate) answered: Arc<Answered>,
}

/// What other parts of the gateway have for calls.
pub(crate) struct Backends {
    pub(crate) checks: (Arc<BackOff>, Arc<Passwords>),
    pub(crate) operators: Option<Arc<dyn OperatorApi>>,
    pub(crate) tunnel: Option<Tunnel>,
}

impl GrpcShared {
    pub(crate) fn new(door: &Arc<Door>, hub: Arc<Hub>, backends: Backends) -> Arc<Self> {
        let Backends { checks: (back_off, passwords), operators, tunnel } = backends;
        Arc::new(Self {
            door: Arc::clone(door),
            hub,
            tokens: Tokens::default(),
            back_off,
            passwords,
            operators,
            tunnel,
            answered: Answered::new(routes::CALLS.iter().map(|path| (*path).to_owned())),
        })
    }

    pub(super) fn market(&self, symbol: &str) -> Option<Market> {
        self.door.market(symbol)
    }
}
