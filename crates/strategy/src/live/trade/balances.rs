//! What the fills of a run have changed of the account's balances, beside what the venue says.

use std::collections::BTreeMap;

use client::{Client, Commission, FeedInstrument};
use types::{Side, format_decimal, parse_decimal};

use crate::live::access::LiveError;

/// Decimals in which amounts are counted: more than any asset has.
const DECIMALS: u8 = 18;
/// Decimals in which they are shown.
const SHOWN: u8 = 8;

/// The change of a balance over a run, as decimals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BalanceCheck {
    pub asset: String,
    /// By the venue: free and locked together.
    pub change: String,
    /// By the run's fills and their fees.
    pub by_fills: String,
}

impl BalanceCheck {
    pub fn is_equal(&self) -> bool {
        self.change == self.by_fills
    }
}

#[derive(Debug)]
pub(super) struct Balances {
    instruments: Vec<FeedInstrument>,
    before: BTreeMap<String, i128>,
    /// In 10^-18.
    changes: BTreeMap<String, i128>,
    /// An amount that could not be counted: nothing can be said of the balances.
    is_uncounted: bool,
}

impl Balances {
    pub(super) async fn read(
        client: &Client,
        instruments: &[FeedInstrument],
    ) -> Result<Self, LiveError> {
        let before = amounts(client).await?;
        let assets = instruments.iter().flat_map(|of| [&of.base_asset, &of.quote_asset]);
        Ok(Self {
            before,
            changes: assets.map(|asset| (asset.clone(), 0)).collect(),
            instruments: instruments.to_vec(),
            is_uncounted: false,
        })
    }

    pub(super) fn traded(
        &mut self,
        at: u16,
        side: Side,
        ticks: i64,
        lots: i64,
        commission: Option<&Commission>,
    ) {
        let instrument = &self.instruments[usize::from(at)];
        let (tick, lot) = (instrument.tick, instrument.lot);
        let base = scaled(i128::from(lots) * i128::from(lot.units), lot.decimals);
        let value = i128::from(ticks) * i128::from(lots);
        let units = i128::from(tick.units) * i128::from(lot.units);
        let quote = value.checked_mul(units);
        let quote = quote.and_then(|value| scaled(value, tick.decimals + lot.decimals));
        let sign = if side == Side::Buy { 1 } else { -1 };
        let changes = [
            (instrument.base_asset.clone(), base.map(|base| sign * base)),
            (instrument.quote_asset.clone(), quote.map(|quote| -sign * quote)),
        ];
        let fee = commission.map(|of| (of.asset.clone(), units_of(&of.amount).map(|fee| -fee)));
        for (asset, change) in changes.into_iter().chain(fee) {
            match change {
                Some(change) => *self.changes.entry(asset).or_default() += change,
                None => self.is_uncounted = true,
            }
        }
    }

    /// `None` if the venue does not answer, or its amounts cannot be counted.
    pub(super) async fn check(&self, client: &Client) -> Option<Vec<BalanceCheck>> {
        let after = amounts(client).await.ok().filter(|_| !self.is_uncounted)?;
        let of = |amounts: &BTreeMap<String, i128>, asset: &str| {
            amounts.get(asset).copied().unwrap_or(0)
        };
        let check = |(asset, by_fills): (&String, &i128)| BalanceCheck {
            asset: asset.clone(),
            change: text(of(&after, asset) - of(&self.before, asset)),
            by_fills: text(*by_fills),
        };
        Some(self.changes.iter().map(check).collect())
    }
}

async fn amounts(client: &Client) -> Result<BTreeMap<String, i128>, LiveError> {
    let account = client.account().await?;
    let amount = |of: client::BalanceInfo| {
        let units = units_of(&of.free).zip(units_of(&of.locked));
        let wrong = || LiveError::Report(format!("the balance of {} is no decimal", of.asset));
        let (free, locked) = units.ok_or_else(wrong)?;
        Ok((of.asset, free + locked))
    };
    account.balances.into_iter().map(amount).collect()
}

/// A decimal with a sign, in 10^-18.
fn units_of(text: &str) -> Option<i128> {
    match text.strip_prefix('-') {
        Some(digits) => parse_decimal(digits, DECIMALS).map(|units| -units),
        None => parse_decimal(text, DECIMALS),
    }
}

fn scaled(units: i128, decimals: u8) -> Option<i128> {
    let power = 10_i128.checked_pow(DECIMALS.checked_sub(decimals)?.into())?;
    units.checked_mul(power)
}

/// The shortest text of an amount with at least eight decimals.
fn text(units: i128) -> String {
    let text = format_decimal(units, DECIMALS, DECIMALS);
    let keep = text.len() - usize::from(DECIMALS - SHOWN);
    let shown = text[..keep].len();
    let end = text.trim_end_matches('0').len().max(shown);
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use types::Increment;

    use super::*;

    #[test]
    fn fills_and_fees_change_the_balances_exactly() {
        let instrument = FeedInstrument {
            symbol: "BTCUSDT".to_owned(),
            base_asset: "BTC".to_owned(),
            quote_asset: "USDT".to_owned(),
            tick: Increment::parse("0.01").unwrap(),
            lot: Increment::parse("0.00001").unwrap(),
        };
        let mut balances = Balances {
            instruments: vec![instrument],
            before: BTreeMap::new(),
            changes: BTreeMap::new(),
            is_uncounted: false,
        };
        let fee = |amount: &str, asset: &str| {
            Some(Commission { amount: amount.to_owned(), asset: asset.to_owned() })
        };
        balances.traded(0, Side::Buy, 6_000_001, 300, fee("0.000003", "BTC").as_ref());
        balances.traded(0, Side::Sell, 6_000_100, 100, fee("-0.05", "USDT").as_ref());
        let found = |asset: &str| text(balances.changes[asset]);
        assert_eq!(found("BTC"), "0.00199700");
        // 180.00003 bought, 60.00100 sold, and a rebate.
        assert_eq!(found("USDT"), "-119.94903000");
        balances.traded(0, Side::Buy, i64::MAX, i64::MAX, None);
        assert!(balances.is_uncounted);
    }
}
