//! Chapters 8 to 10: phases, auctions, bands, halts, and work that is due at a time.

use types::*;

use super::{BPS, Key, Model, ModelMarket, Open, SECOND_NS, Standing};

/// Time between two indications of an auction.
const INDICATED_NS: u64 = 100_000_000;

/// The parts of the average price's window.
const AVERAGE_PARTS: u64 = 60;

/// The result of an auction.
struct Found {
    price: i64,
    volume: u64,
    surplus: u64,
    surplus_side: Side,
}

/// Work that is due at a time, in order of its execution at one time.
#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
enum Due {
    Venue,
    Phase(InstrumentId),
    Expiry(Key),
}

impl Model {
    /// Work that is due at the time of a command runs ahead of that command.
    pub(super) fn do_what_is_due(&mut self) {
        loop {
            let mut due: Vec<(u64, Due)> = Vec::new();
            if let Some(resume_ns) = self.halted.filter(|resume_ns| *resume_ns > 0) {
                due.push((resume_ns, Due::Venue));
            }
            for market in &self.markets {
                if market.until_ns > 0 && self.halted.is_none() {
                    due.push((market.until_ns, Due::Phase(market.instrument.id)));
                }
            }
            for open in &self.open {
                if open.order.time_in_force == TimeInForce::Gtd {
                    due.push((open.terms().expire_ns, Due::Expiry(open.key())));
                }
            }
            due.retain(|(at_ns, _)| *at_ns <= self.now_ns);
            match due.into_iter().min() {
                None => return,
                Some((_, Due::Venue)) => self.end_halt(),
                Some((_, Due::Phase(instrument))) => {
                    self.change_phase(instrument, Phase::Continuous, PhaseCause::Resumed, 0);
                }
                Some((_, Due::Expiry(key))) => self.expire(key, ExpireCause::GoodTillDate),
            }
            self.come_to_rest();
        }
    }

    pub(super) fn set_phase(&mut self, request: &SetPhase) -> Result<(), RejectReason> {
        let SetPhase { instrument, phase } = *request;
        let market = self.known(instrument)?;
        if market.delisted {
            return Err(RejectReason::InstrumentDelisted);
        }
        if self.halted.is_some() {
            return Err(RejectReason::VenueHalted);
        }
        if market.phase == phase {
            return Err(RejectReason::PhaseForbids);
        }
        self.change_phase(instrument, phase, PhaseCause::Commanded, 0);
        Ok(())
    }

    fn change_phase(
        &mut self,
        instrument: InstrumentId,
        phase: Phase,
        cause: PhaseCause,
        until_ns: u64,
    ) {
        let was = self.market(instrument).phase;
        let closes_auction = phase == Phase::Closed && was.is_auction();
        let uncrosses = phase == Phase::Continuous || closes_auction;
        if uncrosses {
            let traded = self.uncross(instrument);
            if traded && was == Phase::OpeningAuction {
                self.market_mut(instrument).halts_had.clear();
            }
        }
        if matches!(was, Phase::Closed | Phase::PreOpen) {
            self.market_mut(instrument).halts_had.clear();
        }
        let market = self.market_mut(instrument);
        market.phase = phase;
        market.until_ns = until_ns;
        market.indication_due = true;
        let instrument_seq = self.instrument_seq(instrument);
        let changed = PhaseChanged { instrument_seq, instrument, phase, cause, until_ns };
        self.events.push(Event::PhaseChanged(changed));
        if phase == Phase::ClosingAuction {
            for key in self.here(instrument, |open| open.place == Standing::Closing) {
                self.rest(key);
            }
        }
        let over = |open: &Open| match open.order.time_in_force {
            TimeInForce::AtOpen if uncrosses => Some(ExpireCause::AtOpen),
            TimeInForce::AtClose if uncrosses && open.place == Standing::Book => {
                Some(ExpireCause::AtClose)
            }
            TimeInForce::Day if phase == Phase::Closed => Some(ExpireCause::Day),
            _ => None,
        };
        for key in self.here(instrument, |open| over(open).is_some()) {
            if let Some(cause) = self.find(key).and_then(over) {
                self.expire(key, cause);
            }
        }
    }

    /// Orders of an instrument, oldest first.
    fn here(&self, instrument: InstrumentId, fits: impl Fn(&Open) -> bool) -> Vec<Key> {
        let here = self.open.iter().filter(|open| open.order.instrument == instrument);
        let mut keys: Vec<Key> = here.filter(|open| fits(open)).map(Open::key).collect();
        keys.sort();
        keys
    }

    // Auctions.

    /// The price of the most volume, among those of the least surplus, among those the nearest to
    /// the side of the surplus or to the last price.
    fn find_price(&self, instrument: InstrumentId) -> Option<Found> {
        let (bids, asks) = (self.side(instrument, Side::Buy), self.side(instrument, Side::Sell));
        let price_of = |open: &Open| open.order.price.ticks();
        let (highest, lowest) = (price_of(bids.first()?), price_of(asks.first()?));
        let mut found: Vec<(i64, u64, i128)> = Vec::new();
        for price in lowest..=highest {
            let buys = bids.iter().filter(|bid| price_of(bid) >= price).map(Open::leaves);
            let sells = asks.iter().filter(|ask| price_of(ask) <= price).map(Open::leaves);
            let (buys, sells): (u64, u64) = (buys.sum(), sells.sum());
            found.push((price, buys.min(sells), i128::from(buys) - i128::from(sells)));
        }
        let most = found.iter().map(|(_, volume, _)| *volume).max()?;
        found.retain(|(_, volume, _)| *volume == most);
        let least = found.iter().map(|(.., surplus)| surplus.abs()).min()?;
        found.retain(|(.., surplus)| surplus.abs() == least);
        let chosen = if found.iter().all(|(.., surplus)| *surplus > 0) {
            found.last()
        } else if found.iter().all(|(.., surplus)| *surplus < 0) {
            found.first()
        } else {
            let reference = self.market(instrument).last_price.unwrap_or(found[0].0);
            found.iter().min_by_key(|(price, ..)| (price.abs_diff(reference), *price))
        };
        let (price, volume, surplus) = *chosen?;
        let surplus_side = if surplus < 0 { Side::Sell } else { Side::Buy };
        let surplus = u64::try_from(surplus.unsigned_abs()).unwrap();
        Some(Found { price, volume, surplus, surplus_side })
    }

    /// Trades all that an auction's price allows. Returns whether there was a trade.
    fn uncross(&mut self, instrument: InstrumentId) -> bool {
        let Some(found) = self.find_price(instrument) else { return false };
        let Found { price, volume, surplus, surplus_side } = found;
        let instrument_seq = self.instrument_seq(instrument);
        self.events.push(Event::AuctionUncrossed(AuctionUncrossed {
            instrument_seq,
            instrument,
            price: Price::from_ticks(price),
            volume: Qty::from_lots(volume),
            surplus: Qty::from_lots(surplus),
            surplus_side,
        }));
        loop {
            let bid = self.side(instrument, Side::Buy).first().copied();
            let ask = self.side(instrument, Side::Sell).first().copied();
            let (Some(bid), Some(ask)) = (bid, ask) else { break };
            if bid.order.price.ticks() < price || ask.order.price.ticks() > price {
                break;
            }
            let qty = bid.front().min(ask.front());
            let (maker, taker) = if bid.order.order_id < ask.order.order_id {
                (bid.key(), ask.key())
            } else {
                (ask.key(), bid.key())
            };
            self.trade(maker, taker, price, qty);
        }
        let market = self.market_mut(instrument);
        market.reference = Some(price);
        true
    }

    /// Publishes where a running auction would uncross, if its book has changed.
    pub(super) fn indicate_auctions(&mut self) {
        for instrument in self.instruments().collect::<Vec<_>>() {
            let market = self.market(instrument);
            let early = self.now_ns < market.indicated_ns + INDICATED_NS;
            if !market.phase.is_auction()
                || !market.indication_due
                || early
                || self.halted.is_some()
            {
                continue;
            }
            let found = self.find_price(instrument);
            let now_ns = self.now_ns;
            let market = self.market_mut(instrument);
            market.indication_due = false;
            market.indicated_ns = now_ns;
            let instrument_seq = self.instrument_seq(instrument);
            let found =
                found.unwrap_or(Found { price: 0, volume: 0, surplus: 0, surplus_side: Side::Buy });
            self.events.push(Event::AuctionIndicated(AuctionIndicated {
                instrument_seq,
                instrument,
                price: (found.volume > 0).then(|| Price::from_ticks(found.price)),
                volume: Qty::from_lots(found.volume),
                surplus: Qty::from_lots(found.surplus),
                surplus_side: found.surplus_side,
            }));
        }
    }

    // Bands.

    /// Applies a trade's price to everything that depends on prices.
    pub(super) fn see_price(&mut self, instrument: InstrumentId, price: i64, qty: u64) {
        let now_ns = self.now_ns;
        let market = self.market_mut(instrument);
        market.last_price = Some(price);
        market.reference.get_or_insert(price);
        market.traded.push((now_ns, price, qty));
        self.index_traded |= self.breaker.is_some_and(|breaker| breaker.index == instrument);
        self.notice(instrument, Some(price), Some(price));
    }

    pub(super) fn is_outside_bands(&self, instrument: InstrumentId, price: i64) -> bool {
        let market = self.market(instrument);
        let bands = &market.rules.bands;
        let outside = |reference: Option<i64>, bps: u32| {
            let (Some(reference), true) = (reference, bps > 0) else { return false };
            let apart = i128::from(price.abs_diff(reference));
            apart * BPS > i128::from(reference.unsigned_abs()) * i128::from(bps)
        };
        outside(market.reference, bands.static_bps) || outside(market.last_price, bands.dynamic_bps)
    }

    /// A trade would have been outside the bands.
    pub(super) fn breach(&mut self, instrument: InstrumentId) {
        let PriceBands { breach, breach_ns, .. } = self.market(instrument).rules.bands;
        let phase = match breach {
            BandBreach::VolatilityAuction => Phase::VolatilityAuction,
            BandBreach::Halt => Phase::Halt,
        };
        let until_ns = if breach_ns > 0 { self.now_ns + breach_ns } else { 0 };
        self.change_phase(instrument, phase, PhaseCause::BandBreached, until_ns);
    }

    // Halts of the venue.

    pub(super) fn halt_venue(&mut self, request: &HaltVenue) -> Result<(), RejectReason> {
        if request.level == 0 || usize::from(request.level) > HALT_LEVELS {
            return Err(RejectReason::HaltLevelInvalid);
        }
        if self.halted.is_some() {
            return Err(RejectReason::VenueHalted);
        }
        self.halt(request.level, request.resume_ns);
        Ok(())
    }

    fn halt(&mut self, level: u8, resume_ns: u64) {
        self.halted = Some(resume_ns);
        self.events.push(Event::VenueHalted(VenueHalted { level, resume_ns }));
    }

    pub(super) fn resume_venue(&mut self) -> Result<(), RejectReason> {
        if self.halted.is_none() {
            return Err(RejectReason::VenueNotHalted);
        }
        self.end_halt();
        Ok(())
    }

    fn end_halt(&mut self) {
        self.halted = None;
        self.events.push(Event::VenueResumed(()));
    }

    pub(super) fn set_circuit_breaker(
        &mut self,
        breaker: &CircuitBreaker,
    ) -> Result<(), RejectReason> {
        self.known(breaker.index)?;
        let declines: Vec<u32> =
            breaker.levels.iter().flatten().map(|level| level.decline_bps).collect();
        let ascend = declines.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascend || declines.iter().any(|bps| *bps == 0 || i128::from(*bps) > BPS) {
            return Err(RejectReason::CircuitBreakerInvalid);
        }
        self.breaker = Some(*breaker);
        self.events.push(Event::CircuitBreakerSet(*breaker));
        Ok(())
    }

    /// Halts the venue when the index has fallen far enough.
    pub(super) fn break_circuit(&mut self, index: InstrumentId) {
        if self.breaker.is_some_and(|breaker| breaker.index != index) {
            return;
        }
        let traded = std::mem::take(&mut self.index_traded);
        let Some(breaker) = self.breaker.filter(|_| traded && self.halted.is_none()) else {
            return;
        };
        let market = self.market(breaker.index);
        let (Some(reference), Some(last)) = (market.reference, market.last_price) else { return };
        let fallen = i128::from(reference - last) * BPS;
        let mut reached = None;
        for (at, level) in breaker.levels.iter().flatten().enumerate() {
            let far = i128::from(reference.abs()) * i128::from(level.decline_bps);
            if fallen >= far && !market.halts_had.contains(&at) {
                reached = Some((at, *level));
            }
        }
        if let Some((at, level)) = reached {
            self.market_mut(breaker.index).halts_had.extend(0..=at);
            let resume_ns = if level.halt_ns > 0 { self.now_ns + level.halt_ns } else { 0 };
            self.halt(at as u8 + 1, resume_ns);
        }
    }

    // Calendars and averages.

    pub(super) fn set_calendar(&mut self, calendar: &Calendar) -> Result<(), RejectReason> {
        self.known(calendar.instrument)?;
        for session in calendar.sessions.iter().flatten() {
            let on_no_day = session.weekdays == 0 || session.weekdays > 0x7f;
            if on_no_day || session.begins_s >= 86_400 {
                return Err(RejectReason::CalendarInvalid);
            }
        }
        let instrument_seq = self.instrument_seq(calendar.instrument);
        let set = CalendarSet { instrument_seq, calendar: *calendar };
        self.events.push(Event::CalendarSet(set));
        Ok(())
    }

    /// The average of all trades in the window, weighted by quantity; without one, the last price.
    pub(super) fn average_price(&self, market: &ModelMarket) -> Option<i64> {
        let last = market.last_price?;
        let mins = u64::from(market.rules.avg_price_mins);
        if mins == 0 {
            return Some(last);
        }
        let part_ns = mins * 60 * SECOND_NS / AVERAGE_PARTS;
        let now = self.now_ns / part_ns;
        let (mut sum, mut qty) = (0, 0);
        for (at_ns, price, lots) in &market.traded {
            if at_ns / part_ns + AVERAGE_PARTS > now {
                sum += i128::from(*price) * i128::from(*lots);
                qty += i128::from(*lots);
            }
        }
        if qty == 0 {
            return Some(last);
        }
        i64::try_from(sum.div_euclid(qty)).ok()
    }
}
