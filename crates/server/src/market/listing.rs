//! The venue's instruments for those of a recording, and the account of its orders.

use replay::market::{Instrument as Named, Scale};
use types::{
    AccountId, AccountMode, AccountName, AccountRisk, AccountSpec, Amount, Asset, AssetId,
    AssetName, Command, CreateAccount, Deposit, ExternalRef, FeeRates, Increment, Instrument,
    InstrumentId, InstrumentSpec, ListAsset, ListInstrument, SetAccountRisk, Symbol,
};
use venue::Handle;

use crate::demo::{DECIMALS, ONE, apply, wide_spec};
use crate::error::ServeError;
use crate::market::gone;

/// The account of a recording's orders.
const ACCOUNT: &str = "market";
/// The quote asset of an instrument whose name has none.
const QUOTE: &str = "USDT";
const QUOTES: [&str; 5] = ["USDT", "USDC", "BTC", "ETH", "EUR"];
/// What each customer of the demo gets of an asset that is new.
const FUNDS: i128 = 1_000_000;

#[derive(Debug)]
pub(super) struct Listing {
    pub(super) account: AccountId,
    handle: Handle,
    /// The accounts of persons: the first ones.
    customers: u32,
}

impl Listing {
    /// Finds the account of the record, or opens it.
    pub(super) async fn open(handle: Handle, customers: u32) -> Result<Self, ServeError> {
        let name = AccountName::parse(ACCOUNT).expect("a valid name");
        let spec = AccountSpec {
            name,
            fees: Some(FeeRates::ZERO),
            max_open_orders: u32::MAX,
            finished_orders_kept: 0,
            trades_kept: 0,
        };
        apply(&handle, Command::CreateAccount(CreateAccount { spec })).await?;
        let account = handle.read(move |engine| {
            engine.accounts().find(|(_, spec)| spec.name == name).map(|(account, _)| account)
        });
        let account = account.map_err(|_| gone())?.await.map_err(|_| gone())?;
        let account =
            account.ok_or_else(|| ServeError::new("the account `market` is not there"))?;
        let risk = AccountRisk { mode: AccountMode::None, ..AccountRisk::PLAIN };
        apply(&handle, Command::SetAccountRisk(SetAccountRisk { account, risk })).await?;
        Ok(Self { account, handle, customers })
    }

    /// The instrument of the venue that is named so; the venue lists it if it has none.
    pub(super) async fn find_or_list(&self, named: &Named) -> Result<Scale, ServeError> {
        let known = self.handle.read(|engine| engine.instruments().cloned().collect::<Vec<_>>());
        let known = known.map_err(|_| gone())?.await.map_err(|_| gone())?;
        let name = named.name.to_ascii_uppercase();
        let parts = || name.split(|letter: char| !letter.is_ascii_alphanumeric());
        let is_named = |instrument: &&Instrument| {
            let symbol = instrument.spec.symbol;
            symbol.as_str() == name || parts().any(|part| part == symbol.as_str())
        };
        if let Some(instrument) = known.iter().find(is_named) {
            return scale_of(instrument, named);
        }
        let symbol = parts().rfind(|part| !part.is_empty()).unwrap_or_default();
        let symbol = Symbol::parse(symbol).ok_or_else(|| {
            ServeError::new(format!(
                "{:?} is no name of an instrument: name it SYMBOL=FILE",
                named.name
            ))
        })?;
        self.list(symbol, named).await?;
        let instrument = InstrumentId(u32::try_from(known.len()).expect("few instruments"));
        tracing::info!(%symbol, "listed for the recorded market");
        Ok(Scale { instrument, ticks_per_tick: 1, lots_per_lot: 1 })
    }

    async fn list(&self, symbol: Symbol, named: &Named) -> Result<(), ServeError> {
        let text = symbol.as_str();
        let quote =
            QUOTES.into_iter().find(|quote| text.len() > quote.len() && text.ends_with(quote));
        let (base, quote) = match quote {
            Some(quote) => (&text[..text.len() - quote.len()], quote),
            None => (text, QUOTE),
        };
        let (base, quote) = (self.asset(base).await?, self.asset(quote).await?);
        let spec = wide_spec(symbol, [base, quote], named.tick, named.lot);
        apply(&self.handle, Command::ListInstrument(ListInstrument { spec })).await
    }

    /// The asset of this name. The customers get some of a new one.
    async fn asset(&self, text: &str) -> Result<AssetId, ServeError> {
        let name = AssetName::parse(text)
            .ok_or_else(|| ServeError::new(format!("{text:?} is no name of an asset")))?;
        if let Some(asset) = self.find_asset(name).await? {
            return Ok(asset);
        }
        let asset = Asset { name, decimals: DECIMALS };
        apply(&self.handle, Command::ListAsset(ListAsset { asset })).await?;
        let asset = self.find_asset(name).await?;
        let asset = asset.ok_or_else(|| ServeError::new(format!("{text} is not listed")))?;
        for account in (1..=self.customers).map(AccountId) {
            let amount = Amount::from_minor(FUNDS * ONE);
            let external_ref = ExternalRef::parse(&format!("market-{text}")).expect("a valid name");
            let deposit = Deposit { account, asset, amount, external_ref };
            apply(&self.handle, Command::Deposit(deposit)).await?;
        }
        Ok(asset)
    }

    async fn find_asset(&self, name: AssetName) -> Result<Option<AssetId>, ServeError> {
        let found = self
            .handle
            .read(move |engine| engine.assets().iter().position(|asset| asset.name == name));
        let found = found.map_err(|_| gone())?.await.map_err(|_| gone())?;
        Ok(found.map(|at| AssetId(u16::try_from(at).expect("few assets"))))
    }
}

/// The increments of the recording must be whole in those of the venue.
fn scale_of(instrument: &Instrument, named: &Named) -> Result<Scale, ServeError> {
    let InstrumentSpec { symbol, tick_size, lot_size, .. } = instrument.spec;
    let refused = |what: &str, recorded: Increment, listed: Increment| {
        let text = |size: Increment| size.format(1, 0);
        ServeError::new(format!(
            "{symbol}: the recording's {what} size is {}, which is no multiple of the venue's {}",
            text(recorded),
            text(listed)
        ))
    };
    Ok(Scale {
        instrument: instrument.id,
        ticks_per_tick: ratio(named.tick, tick_size)
            .ok_or_else(|| refused("tick", named.tick, tick_size))?,
        lots_per_lot: ratio(named.lot, lot_size)
            .ok_or_else(|| refused("lot", named.lot, lot_size))?,
    })
}

/// How often `part` goes into `whole`; `None` unless that is a whole number.
fn ratio(whole: Increment, part: Increment) -> Option<u64> {
    let power = |decimals: u8| 10_u128.checked_pow(decimals.into());
    let whole_units = u128::from(whole.units).checked_mul(power(part.decimals)?)?;
    let part_units = u128::from(part.units).checked_mul(power(whole.decimals)?)?;
    whole_units.is_multiple_of(part_units).then(|| u64::try_from(whole_units / part_units).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_whole_or_none() {
        let ratio =
            |whole, part| ratio(Increment::parse(whole).unwrap(), Increment::parse(part).unwrap());
        assert_eq!(ratio("0.1", "0.01"), Some(10));
        assert_eq!(ratio("0.25", "0.05"), Some(5));
        assert_eq!(ratio("5", "0.5"), Some(10));
        assert_eq!(ratio("0.001", "0.001"), Some(1));
        assert_eq!(ratio("0.01", "0.1"), None);
        assert_eq!(ratio("0.25", "0.1"), None);
    }
}
