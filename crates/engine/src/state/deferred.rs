//! Work that waits for a `Continue`, as it lies in the state.

use types::{
    AccountId, AssetId, CancelAll, CancelCause, ClOrdId, InstrumentId, Order, OrderId, Phase,
    PhaseCause, Price, Reader, SessionId, Side, Wire,
};

/// Work that did not fit into one command.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deferred {
    /// An accepted order that has not yet traded all that it can.
    Trade(Order),
    /// The same for an order that has its node already:
    /// [`crate::state::orders::record::Standing::Entering`].
    Reenter(InstrumentId, OrderId),
    /// What a command's own events lead to in an instrument.
    FollowUp(InstrumentId),
    CancelAll(AccountId, CancelAll),
    Sweep(Sweep),
    /// Orders that end with a session.
    EndSession(SessionId),
    /// What an account owes of an asset.
    SettleDebts(AccountId, AssetId),
    /// An auction's trades.
    Uncross(Uncrossing),
    /// What a phase ends and lets in.
    SettlePhase(Settling),
    /// Orders of an instrument that is delisted.
    Delist(InstrumentId),
    /// What is due by now.
    Due,
}

impl Deferred {
    /// The suspended limit order of `account`, which holds what it may still cost.
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

/// What is still to be canceled of an account: by instrument, within it by side, within it the
/// oldest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep {
    pub(crate) account: AccountId,
    /// The instruments before it are done.
    pub(crate) instrument: InstrumentId,
    pub(crate) last: InstrumentId,
    pub(crate) side: Option<Side>,
    /// Who has not asked for it by a name is told by the order's own.
    pub(crate) cl_ord_id: Option<ClOrdId>,
    pub(crate) cause: CancelCause,
}

/// An auction whose trades are under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uncrossing {
    pub(crate) price: Price,
    /// What comes behind the trades.
    pub(crate) then: PhaseChange,
}

/// A change that is decided on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PhaseChange {
    pub(crate) instrument: InstrumentId,
    pub(crate) phase: Phase,
    pub(crate) cause: PhaseCause,
    pub(crate) until_ns: u64,
    /// Whether it ends an auction, or whatever else gathered orders.
    pub(crate) ends_auction: bool,
}

/// What a phase means for orders that go by phases, under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settling {
    pub(crate) instrument: InstrumentId,
    pub(crate) uncrossed: bool,
    /// The last order that was looked after.
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
