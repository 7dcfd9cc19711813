//! Phases of an instrument, and the effects of a change. An auction trades ahead of the change, and
//! orders end or enter after it.

use types::{
    BandBreach, Event, ExpireCause, InstrumentId, NewOrder, Order, OrderId, OrderType, Phase,
    PhaseCause, PhaseChanged, RejectReason, SetPhase, TimeInForce,
};

use crate::book::node::NodeId;
use crate::state::Engine;
use crate::state::deferred::{Deferred, PhaseChange, Settling};
use crate::state::market::Market;
use crate::state::orders::record::Standing;

impl Engine {
    pub(crate) fn set_phase(
        &mut self,
        request: &SetPhase,
        events: &mut Vec<Event>,
    ) -> Result<(), RejectReason> {
        let SetPhase { instrument, phase } = *request;
        let market = self.market(instrument).ok_or(RejectReason::UnknownInstrument)?;
        if market.trading.delisted {
            return Err(RejectReason::InstrumentDelisted);
        }
        if self.is_halted() {
            return Err(RejectReason::VenueHalted);
        }
        if market.trading.phase == phase {
            return Err(RejectReason::PhaseForbids);
        }
        self.change_phase(instrument, phase, PhaseCause::Commanded, 0, events);
        Ok(())
    }

    /// The trades of an auction run first, if the change ends one.
    fn change_phase(
        &mut self,
        instrument: InstrumentId,
        phase: Phase,
        cause: PhaseCause,
        until_ns: u64,
        events: &mut Vec<Event>,
    ) {
        let trading = &mut self.markets[instrument.0 as usize].trading;
        let was = trading.phase;
        if matches!(was, Phase::Closed | Phase::PreOpen) {
            trading.levels_had = 0;
        }
        let ends_auction = phase == Phase::Continuous || phase == Phase::Closed && was.is_auction();
        let change = PhaseChange { instrument, phase, cause, until_ns, ends_auction };
        match self.equilibrium(instrument).filter(|_| ends_auction) {
            Some(equilibrium) => self.begin_uncrossing(equilibrium, change, events),
            None => self.enter_phase(change, events),
        }
    }

    /// Changes the phase, after the trades of the auction that it ends.
    pub(super) fn enter_phase(&mut self, change: PhaseChange, events: &mut Vec<Event>) {
        let PhaseChange { instrument, phase, cause, until_ns, .. } = change;
        let market = &mut self.markets[instrument.0 as usize];
        self.phase_ends.remove(&(market.trading.until_ns, instrument));
        if until_ns > 0 {
            self.phase_ends.insert((until_ns, instrument));
        }
        market.trading.enter_phase(phase, until_ns, self.now_ns);
        self.begin_indications(instrument);
        let market = &mut self.markets[instrument.0 as usize];
        let instrument_seq = market.next_seq();
        let changed = PhaseChanged { instrument_seq, instrument, phase, cause, until_ns };
        events.push(Event::PhaseChanged(changed));
        let settling = Settling { instrument, uncrossed: change.ends_auction, done: OrderId(0) };
        self.settle_phase(settling, events);
    }

    /// Ends or enters the orders that the new phase affects, by age, as far as the command's work
    /// goes.
    pub(crate) fn settle_phase(&mut self, mut settling: Settling, events: &mut Vec<Event>) {
        while let Some((order_id, affected)) = self.next_affected(settling) {
            if !self.spend_work() {
                return self.deferred.push_front(Deferred::SettlePhase(settling));
            }
            let node =
                self.find_by_id(settling.instrument, order_id).expect("timed orders are open");
            match affected {
                Affected::Ends(cause) => self.expire_open(node, cause, events),
                Affected::Enters => self.rest_parked(node, events),
            }
            settling.done = order_id;
        }
        self.touch(settling.instrument);
    }

    /// The oldest affected order after the last handled one.
    fn next_affected(&self, settling: Settling) -> Option<(OrderId, Affected)> {
        let Settling { instrument, uncrossed, done } = settling;
        let phase = self.markets[instrument.0 as usize].trading.phase;
        let next = |time_in_force| self.orders.next_timed(instrument, time_in_force, done);
        // Orders off the book are younger than orders that took part.
        let (parked, on_book) = match next(TimeInForce::AtClose) {
            Some(order_id) if self.is_parked(instrument, order_id) => (Some(order_id), None),
            on_book => (None, on_book),
        };
        let at_open = next(TimeInForce::AtOpen).filter(|_| uncrossed);
        let at_close = on_book.filter(|_| uncrossed);
        let day = next(TimeInForce::Day).filter(|_| phase == Phase::Closed);
        let enters = parked.filter(|_| phase == Phase::ClosingAuction);
        let affected = [
            at_open.map(|order_id| (order_id, Affected::Ends(ExpireCause::AtOpen))),
            at_close.map(|order_id| (order_id, Affected::Ends(ExpireCause::AtClose))),
            day.map(|order_id| (order_id, Affected::Ends(ExpireCause::Day))),
            enters.map(|order_id| (order_id, Affected::Enters)),
        ];
        affected.into_iter().flatten().min_by_key(|(order_id, _)| *order_id)
    }

    fn is_parked(&self, instrument: InstrumentId, order_id: OrderId) -> bool {
        let node = self.find_by_id(instrument, order_id).expect("timed orders are open");
        self.orders.standing(node) == Standing::Close
    }

    /// An order would have traded outside the price bands.
    #[cold]
    pub(crate) fn breach_bands(&mut self, instrument: InstrumentId, events: &mut Vec<Event>) {
        let bands = self.markets[instrument.0 as usize].trading.rules.bands;
        let phase = match bands.breach {
            BandBreach::VolatilityAuction => Phase::VolatilityAuction,
            BandBreach::Halt => Phase::Halt,
        };
        let until_ns = match bands.breach_ns {
            0 => 0,
            breach_ns => self.now_ns.saturating_add(breach_ns),
        };
        let cause = PhaseCause::BandBreached;
        self.change_phase(instrument, phase, cause, until_ns, events);
    }

    /// The time at which the next phase ends by itself.
    pub(crate) fn next_phase_end_ns(&self) -> Option<u64> {
        self.phase_ends.first().map(|(until_ns, _)| *until_ns)
    }

    /// Ends the phase that is due first.
    pub(crate) fn end_phase(&mut self, events: &mut Vec<Event>) {
        let (_, instrument) = *self.phase_ends.first().expect("a phase is due to end");
        self.change_phase(instrument, Phase::Continuous, PhaseCause::Resumed, 0, events);
    }

    /// Whether an instrument accepts orders at all: the rungs ahead of that of its phase.
    #[inline]
    pub(crate) fn check_open(&self, market: &Market) -> Result<(), RejectReason> {
        if market.trading.delisted {
            return Err(RejectReason::InstrumentDelisted);
        }
        if self.is_halted() {
            return Err(RejectReason::VenueHalted);
        }
        Ok(())
    }

    /// Whether orders for the closing auction wait off the book for it.
    pub(crate) fn parks(&self, instrument: InstrumentId) -> bool {
        self.markets[instrument.0 as usize].trading.phase != Phase::ClosingAuction
    }

    /// Parks an order for the closing auction.
    pub(crate) fn park(&mut self, order: &Order) {
        let account = &mut self.accounts[order.account.0 as usize];
        let node = self.orders.attach_off_book(account, order, Standing::Close);
        self.markets[order.instrument.0 as usize].index.insert(order.order_id.0, node);
    }

    /// Enters a parked order.
    fn rest_parked(&mut self, node: NodeId, events: &mut Vec<Event>) {
        let order = self.orders.order(node);
        self.rest_special(&order, Some(node), events);
    }
}

/// The phase rung of the ladder.
#[inline]
pub(crate) fn check_phase(phase: Phase, order: &NewOrder) -> Result<(), RejectReason> {
    if phase == Phase::Continuous && order.time_in_force != TimeInForce::AtOpen {
        return Ok(()); // nearly always
    }
    let allowed = phase.takes_orders() && gathers(phase, order);
    if allowed { Ok(()) } else { Err(RejectReason::PhaseForbids) }
}

/// The effect of a phase on an order.
#[derive(Clone, Copy, Debug)]
enum Affected {
    Ends(ExpireCause),
    /// It waited for this auction.
    Enters,
}

/// Whether an order can wait for an auction's price.
fn gathers(phase: Phase, order: &NewOrder) -> bool {
    let in_time = match order.time_in_force {
        TimeInForce::AtOpen => matches!(phase, Phase::PreOpen | Phase::OpeningAuction),
        // A stop waits for its trigger first, whatever its time in force.
        time_in_force => time_in_force.may_rest() || order.order_type.is_stop(),
    };
    let special = order.special();
    let waits = !matches!(order.order_type, OrderType::Market | OrderType::MarketToLimit);
    in_time && waits && special.peg.is_none() && special.min_qty.is_zero()
}
