//! `tradeBusted` and `tradeCorrected`: an operator's change to a trade, and the `balanceUpdate` of
//! each amount that it moved.

use types::{AccountId, Adjustment, Market, TradeBusted, TradeCorrected};

use super::{Moment, balance_update};
use crate::binance::decimal::Decimal;
use crate::binance::object::object;

/// The side of a changed trade that an account has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Revised<'a> {
    own: &'a Adjustment,
    is_buyer: bool,
}

impl<'a> Revised<'a> {
    /// The side that has this number of the account.
    pub(super) fn find(
        [buyer, seller]: [&'a Adjustment; 2],
        (account, seq): (AccountId, u64),
    ) -> Option<Self> {
        let both = [(buyer, true), (seller, false)];
        let mut sides = both.map(|(own, is_buyer)| Self { own, is_buyer }).into_iter();
        sides.find(|side| side.own.account == account && side.own.numbers().contains(&seq))
    }

    /// The amount of this number; `None` for the number of the event itself.
    pub(super) fn balance_update(self, market: &Market, seq: u64, at: Moment) -> Option<String> {
        let (is_base, amount) = self.own.amount(seq)?;
        let asset = if is_base { &market.base } else { &market.quote };
        Some(balance_update(asset, amount, seq, at))
    }

    pub(super) fn trade_busted(
        self,
        market: &Market,
        busted: &TradeBusted,
        seq: u64,
        at: Moment,
    ) -> String {
        object! {
            "e": "tradeBusted",
            "E": at.time(),
            "s": market.symbol(),
            "t": busted.trade_id.0,
            "S": self.side(),
            "T": at.time(),
            "seq": seq,
        }
    }

    pub(super) fn trade_corrected(
        self,
        market: &Market,
        corrected: &TradeCorrected,
        seq: u64,
        at: Moment,
    ) -> String {
        object! {
            "e": "tradeCorrected",
            "E": at.time(),
            "s": market.symbol(),
            "t": corrected.trade_id.0,
            "S": self.side(),
            "L": Decimal::price(market, corrected.price),
            "Y": Decimal::quote_amount(market, corrected.quote),
            "op": Decimal::price(market, corrected.orig_price),
            "T": at.time(),
            "seq": seq,
        }
    }

    fn side(self) -> &'static str {
        if self.is_buyer { "BUY" } else { "SELL" }
    }
}
