//! When and within which limits an instrument trades: its phase, its rules beyond its bounds, the
//! prices that these are measured from.

use types::{
    Command, Event, Instrument, InstrumentId, InstrumentRules, InstrumentRulesSet, InstrumentSpec,
    InstrumentUpdated, Phase, Price, QTY_MAX, Qty, Reader, RejectReason, SetInstrumentRules,
    UpdateInstrument, Wire,
};

use crate::engine::Engine;
use crate::market::Market;
use crate::operator::listing_reason;
use crate::state::{read_list, write_list};

/// A week: the longest window of an average price.
const AVG_PRICE_MINS_MAX: u32 = 7 * 24 * 60;

/// What a market has beyond its book. Most have it as it is at listing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Trading {
    pub(crate) phase: Phase,
    pub(crate) delisted: bool,
    pub(crate) rules: InstrumentRules,
    /// Of the last trade under these rules.
    pub(crate) last_price: Option<Price>,
    /// The widest bounds that there have been, if they were changed: what open orders keep to.
    widest: Option<Bounds>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Bounds {
    min_price: Price,
    max_price: Price,
    max_qty: Qty,
    market_max_qty: Qty,
}

impl Default for Trading {
    fn default() -> Self {
        Self {
            phase: Phase::Continuous,
            delisted: false,
            rules: InstrumentRules::default(),
            last_price: None,
            widest: None,
        }
    }
}

impl Trading {
    /// Notes the price of a trade.
    #[inline]
    pub(crate) fn note_trade(&mut self, price: Price) {
        self.last_price = Some(price);
    }

    fn widen(&mut self, spec: &InstrumentSpec) {
        let InstrumentSpec { min_price, max_price, max_qty, market_max_qty, .. } =
            self.widest_spec(spec);
        self.widest = Some(Bounds { min_price, max_price, max_qty, market_max_qty });
    }

    /// The spec as wide as it ever was: of orders that came before its bounds were changed.
    pub(crate) fn widest_spec(&self, spec: &InstrumentSpec) -> InstrumentSpec {
        let Some(widest) = self.widest else { return *spec };
        InstrumentSpec {
            min_price: widest.min_price.min(spec.min_price),
            max_price: widest.max_price.max(spec.max_price),
            max_qty: widest.max_qty.max(spec.max_qty),
            market_max_qty: widest.market_max_qty.max(spec.market_max_qty),
            ..*spec
        }
    }
}

impl Engine {
    /// What operators say about how instruments trade.
    pub(crate) fn steer(
        &mut self,
        command: &Command,
        events: &mut Vec<Event>,
    ) -> Result<(), RejectReason> {
        match command {
            Command::SetInstrumentRules(set) => self.set_instrument_rules(set, events),
            Command::UpdateInstrument(update) => self.update_instrument(update, events),
            _ => Err(RejectReason::OrderTermsInvalid),
        }
    }

    fn set_instrument_rules(
        &mut self,
        request: &SetInstrumentRules,
        events: &mut Vec<Event>,
    ) -> Result<(), RejectReason> {
        let SetInstrumentRules { instrument, rules } = *request;
        let market = self.market_mut(instrument)?;
        if !rules_valid(&rules) {
            return Err(RejectReason::InstrumentRulesInvalid);
        }
        market.trading.rules = rules;
        let instrument_seq = market.next_seq();
        let set = InstrumentRulesSet { instrument_seq, instrument, rules };
        events.push(Event::InstrumentRulesSet(set));
        Ok(())
    }

    /// Open orders stay as they are, whatever the new bounds.
    fn update_instrument(
        &mut self,
        request: &UpdateInstrument,
        events: &mut Vec<Event>,
    ) -> Result<(), RejectReason> {
        let UpdateInstrument { instrument: id, spec } = *request;
        let market = self.market(id).ok_or(RejectReason::UnknownInstrument)?;
        let listed = market.instrument.spec;
        let same_steps = (spec.symbol, spec.base, spec.quote, spec.tick_size, spec.lot_size)
            == (listed.symbol, listed.base, listed.quote, listed.tick_size, listed.lot_size);
        let assets = self.asset(listed.base).zip(self.asset(listed.quote));
        let (base, quote) = assets.expect("its assets were listed before it");
        if !same_steps {
            return Err(RejectReason::InstrumentStepsFixed);
        }
        let updated = Instrument::new(id, spec, base, quote).map_err(listing_reason)?;
        // The new quantities at the prices of orders that are open must be amounts too.
        let mut widened = market.trading.clone();
        widened.widen(&listed);
        widened.widen(&spec);
        Instrument::new(id, widened.widest_spec(&spec), base, quote).map_err(listing_reason)?;
        let market = self.market_mut(id)?;
        market.trading = widened;
        market.instrument = updated;
        let instrument_seq = market.next_seq();
        let updated = InstrumentUpdated { instrument_seq, instrument: updated };
        events.push(Event::InstrumentUpdated(updated));
        Ok(())
    }

    /// The phase that an instrument is in.
    pub fn phase(&self, instrument: InstrumentId) -> Option<Phase> {
        self.market(instrument).map(|market| market.trading.phase)
    }

    pub fn instrument_rules(&self, instrument: InstrumentId) -> Option<&InstrumentRules> {
        self.market(instrument).map(|market| &market.trading.rules)
    }

    /// The price of the last trade.
    pub fn last_price(&self, instrument: InstrumentId) -> Option<Price> {
        self.market(instrument)?.trading.last_price
    }

    pub(crate) fn market_mut(
        &mut self,
        instrument: InstrumentId,
    ) -> Result<&mut Market, RejectReason> {
        self.markets.get_mut(instrument.0 as usize).ok_or(RejectReason::UnknownInstrument)
    }

    /// Of the instruments that have any of it, by instrument.
    pub(crate) fn write_trading(&self, out: &mut Vec<u8>) {
        let plain = Trading::default();
        let markets = (0..).map(InstrumentId).zip(&self.markets);
        let uncommon = markets.filter(|(_, market)| market.trading != plain);
        write_list(uncommon, out, |(id, market), out| {
            id.write(out);
            market.trading.write(out);
        });
    }

    pub(crate) fn read_trading(&mut self, r: &mut Reader<'_>) -> Option<()> {
        let plain = Trading::default();
        let mut last = None;
        read_list(r, |r| {
            let id: InstrumentId = r.read()?;
            (last.replace(id) < Some(id)).then_some(())?;
            let trading: Trading = r.read()?;
            (trading != plain && rules_valid(&trading.rules)).then_some(())?;
            self.markets.get_mut(id.0 as usize)?.trading = trading;
            Some(())
        })?;
        Some(())
    }
}

/// Rules that contradict themselves, or that count beyond what the venue counts up to.
fn rules_valid(rules: &InstrumentRules) -> bool {
    let percent = &rules.percent_price;
    let ordered = |min: u32, max: u32| max == 0 || min <= max;
    rules.avg_price_mins <= AVG_PRICE_MINS_MAX
        && ordered(percent.buy_min_bps, percent.buy_max_bps)
        && ordered(percent.sell_min_bps, percent.sell_max_bps)
        && ordered(rules.trailing_delta_min_bps, rules.trailing_delta_max_bps)
        && rules.market_min_qty <= QTY_MAX
        && rules.max_position <= QTY_MAX
}

impl Wire for Trading {
    fn write(&self, out: &mut Vec<u8>) {
        (self.phase, self.delisted).write(out);
        self.rules.write(out);
        self.last_price.write(out);
        self.widest.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (phase, delisted) = r.read()?;
        Some(Self { phase, delisted, rules: r.read()?, last_price: r.read()?, widest: r.read()? })
    }
}

impl Wire for Bounds {
    fn write(&self, out: &mut Vec<u8>) {
        ((self.min_price, self.max_price), (self.max_qty, self.market_max_qty)).write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let ((min_price, max_price), (max_qty, market_max_qty)) = r.read()?;
        Some(Self { min_price, max_price, max_qty, market_max_qty })
    }
}
