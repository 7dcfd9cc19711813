//! Rules and bounds of an instrument, as an operator sets them.

use types::{
    Event, Instrument, InstrumentRulesSet, InstrumentUpdated, RejectReason, SetInstrumentRules,
    UpdateInstrument,
};

use crate::rules::operator::listing::listing_reason;
use crate::state::Engine;
use crate::state::market::average::Average;
use crate::state::market::trading::rules_valid;

impl Engine {
    pub(crate) fn set_instrument_rules(
        &mut self,
        request: &SetInstrumentRules,
        events: &mut Vec<Event>,
    ) -> Result<(), RejectReason> {
        let SetInstrumentRules { instrument, rules } = *request;
        let market = self.market_mut(instrument)?;
        if !rules_valid(&rules) {
            return Err(RejectReason::InstrumentRulesInvalid);
        }
        if market.trading.rules.avg_price_mins != rules.avg_price_mins {
            market.trading.average = Average::over(rules.avg_price_mins);
        }
        market.trading.rules = rules;
        market.trading.narrow();
        let instrument_seq = market.next_seq();
        let set = InstrumentRulesSet { instrument_seq, instrument, rules };
        events.push(Event::InstrumentRulesSet(set));
        Ok(())
    }

    /// Open orders stay unchanged, whatever the new bounds.
    pub(crate) fn update_instrument(
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
        // The new quantities at the prices of open orders must be amounts too.
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
        self.touch(id); // pegs stay within the new bounds
        Ok(())
    }
}
