//! Listing of assets and instruments.

use types::{
    AccountId, Amount, Asset, AssetId, AssetListed, Event, Instrument, InstrumentId,
    InstrumentListed, ListAsset, ListInstrument, ListingError, RejectReason,
};

use crate::state::Engine;
use crate::state::market::Market;

const ASSETS_MAX: usize = 10_000;
const INSTRUMENTS_MAX: usize = 100_000;

impl Engine {
    pub(crate) fn list_asset(&mut self, request: &ListAsset, events: &mut Vec<Event>) {
        let asset = request.asset;
        let result = if self.assets.iter().any(|other| other.name == asset.name) {
            Err(RejectReason::NameInUse)
        } else if self.assets.len() >= ASSETS_MAX {
            Err(RejectReason::TooManyAssets)
        } else if asset.decimals > Asset::DECIMALS_MAX {
            Err(RejectReason::DecimalsAboveMax)
        } else {
            Ok(())
        };
        if let Err(reason) = result {
            return self.reject(AccountId::VENUE, reason, events);
        }
        let id = AssetId(u16::try_from(self.assets.len()).expect("below ASSETS_MAX"));
        self.assets.push(asset);
        self.supply.push(Amount::ZERO);
        self.clearing.push(Amount::ZERO);
        events.push(Event::AssetListed(AssetListed { id, asset }));
    }

    pub(crate) fn list_instrument(&mut self, request: &ListInstrument, events: &mut Vec<Event>) {
        let instrument = match self.check_listing(request) {
            Ok(instrument) => instrument,
            Err(reason) => return self.reject(AccountId::VENUE, reason, events),
        };
        let mut market = Market::new(instrument);
        let instrument_seq = market.next_seq();
        self.markets.push(market);
        events.push(Event::InstrumentListed(InstrumentListed { instrument_seq, instrument }));
    }

    fn check_listing(&self, request: &ListInstrument) -> Result<Instrument, RejectReason> {
        let spec = request.spec;
        let base = self.asset(spec.base).ok_or(RejectReason::UnknownAsset)?;
        let quote = self.asset(spec.quote).ok_or(RejectReason::UnknownAsset)?;
        if self.markets.iter().any(|market| market.instrument.spec.symbol == spec.symbol) {
            return Err(RejectReason::NameInUse);
        }
        if self.markets.len() >= INSTRUMENTS_MAX {
            return Err(RejectReason::TooManyInstruments);
        }
        let id = InstrumentId(u32::try_from(self.markets.len()).expect("below INSTRUMENTS_MAX"));
        Instrument::new(id, spec, base, quote).map_err(listing_reason)
    }
}

pub(crate) fn listing_reason(error: ListingError) -> RejectReason {
    match error {
        ListingError::TickTimesLotNotWhole => RejectReason::TickTimesLotNotWhole,
        ListingError::LotNotWhole => RejectReason::LotNotWhole,
        ListingError::AmountsTooLarge => RejectReason::InstrumentAmountsTooLarge,
        ListingError::BoundsInvalid => RejectReason::InstrumentBoundsInvalid,
        ListingError::FeeTooHigh => RejectReason::FeeTooHigh,
        ListingError::BaseIsQuote => RejectReason::BaseIsQuote,
    }
}
