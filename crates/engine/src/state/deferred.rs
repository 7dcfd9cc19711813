//! Work that waits for a `Continue`, and its codec.

use types::{
    AccountId, AssetId, CancelAll, CancelCause, ClOrdId, InstrumentId, Order, OrderId, Phase,
    PhaseCause, Price, Reader, SessionId, Side, Wire,
};

/// Work that did not fit into one command.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deferred {
    /// An accepted order that can trade more.
    Trade(Order),
    /// The same for an order with a node:
    /// [`crate::state::orders::record::Standing::Entering`].
    Reenter(InstrumentId, OrderId),
    /// Consequences of a command's events in an instrument.
    FollowUp(InstrumentId),
    CancelAll(AccountId, CancelAll),
    Sweep(Sweep),
    /// Orders to cancel at the end of a session.
    EndSession(SessionId),
    /// Payment of an account's receivables in an asset.
    SettleDebts(AccountId, AssetId),
    /// The trades of an auction.
    Uncross(Uncrossing),
    /// Orders that a phase ends or enters.
    SettlePhase(Settling),
    /// Orders of a delisted instrument.
    Delist(InstrumentId),
    /// Everything that is due now.
    Due,
}

impl Deferred {
    /// The suspended limit order of `account`, which still holds its cost.
    pub(super) fn held_by(&self, account: AccountId) -> Option<&Order> {
        match self {
            Self::Trade(order) => {
                let holds = !order.order_type.is_market();
                (order.account == account && holds).then_some(order)
            }
            _ => None,
        }
    }
}

/// The open orders of an account that are still to cancel: by instrument, within it by side, within
/// it oldest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep {
    pub(crate) account: AccountId,
    /// The instruments before it are done.
    pub(crate) instrument: InstrumentId,
    pub(crate) last: InstrumentId,
    pub(crate) side: Option<Side>,
    /// The name of the request; without one, reports have the order's own name.
    pub(crate) cl_ord_id: Option<ClOrdId>,
    pub(crate) cause: CancelCause,
}

/// An auction in the middle of its trades.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uncrossing {
    pub(crate) price: Price,
    /// The phase change after the trades.
    pub(crate) then: PhaseChange,
}

/// A phase change that is decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PhaseChange {
    pub(crate) instrument: InstrumentId,
    pub(crate) phase: Phase,
    pub(crate) cause: PhaseCause,
    pub(crate) until_ns: u64,
    /// Whether it ends an auction, or another phase that collects orders.
    pub(crate) ends_auction: bool,
}

/// A phase change in the middle of the orders that it ends or enters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settling {
    pub(crate) instrument: InstrumentId,
    pub(crate) uncrossed: bool,
    /// The last order that was handled.
    pub(crate) done: OrderId,
}

pub(super) fn write_deferred(work: &Deferred, out: &mut Vec<u8>) {
    match work {
        Deferred::Trade(order) => (1_u8, *order).write(out),
        Deferred::CancelAll(account, request) => (2_u8, (*account, *request)).write(out),
        Deferred::Reenter(instrument, order_id) => (3_u8, (*instrument, *order_id)).write(out),
        Deferred::FollowUp(instrument) => (4_u8, *instrument).write(out),
        Deferred::Sweep(sweep) => (16_u8, *sweep).write(out),
        Deferred::EndSession(session) => (17_u8, *session).write(out),
        Deferred::SettleDebts(account, asset) => (18_u8, (*account, *asset)).write(out),
        Deferred::Due => 11_u8.write(out),
        Deferred::Delist(instrument) => (12_u8, *instrument).write(out),
        Deferred::Uncross(Uncrossing { price, then }) => (9_u8, (*price, *then)).write(out),
        Deferred::SettlePhase(settling) => (10_u8, *settling).write(out),
    }
}

pub(super) fn read_deferred(r: &mut Reader<'_>) -> Option<Deferred> {
    match r.read::<u8>()? {
        1 => r.read().map(Deferred::Trade),
        2 => r.read().map(|(account, request)| Deferred::CancelAll(account, request)),
        3 => r.read().map(|(instrument, order_id)| Deferred::Reenter(instrument, order_id)),
        4 => r.read().map(Deferred::FollowUp),
        16 => r.read().map(Deferred::Sweep),
        17 => r.read().map(Deferred::EndSession),
        18 => r.read().map(|(account, asset)| Deferred::SettleDebts(account, asset)),
        11 => Some(Deferred::Due),
        12 => r.read().map(Deferred::Delist),
        9 => r.read().map(|(price, then)| Deferred::Uncross(Uncrossing { price, then })),
        10 => r.read().map(Deferred::SettlePhase),
        _ => None,
    }
}

impl Wire for Sweep {
    fn write(&self, out: &mut Vec<u8>) {
        ((self.account, self.instrument), (self.last, self.side)).write(out);
        (self.cl_ord_id, self.cause).write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let ((account, instrument), (last, side)) = r.read()?;
        let (cl_ord_id, cause) = r.read()?;
        Some(Self { account, instrument, last, side, cl_ord_id, cause })
    }
}

impl Wire for PhaseChange {
    fn write(&self, out: &mut Vec<u8>) {
        (self.instrument, self.phase).write(out);
        (self.cause, self.until_ns).write(out);
        self.ends_auction.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (instrument, phase) = r.read()?;
        let (cause, until_ns) = r.read()?;
        Some(Self { instrument, phase, cause, until_ns, ends_auction: r.read()? })
    }
}

impl Wire for Settling {
    fn write(&self, out: &mut Vec<u8>) {
        (self.instrument, (self.uncrossed, self.done)).write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (instrument, (uncrossed, done)) = r.read()?;
        Some(Self { instrument, uncrossed, done })
    }
}
