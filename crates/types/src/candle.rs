//! What trades come to over a stretch of time, or from one order.

use crate::id::TradeId;
use crate::number::{Amount, Price, Qty};
use crate::wire::record;

record! {
    /// The trades of a period, summed up: exact to the unit, whatever the period.
    ///
    /// Trades count as they were made: one that is busted or corrected later stays in it, as it
    /// stays in the list of trades. Nobody's chart changes behind his back.
    pub struct Candle {
        /// When the period began.
        pub open_ns: u64,
        pub open: Price,
        pub high: Price,
        pub low: Price,
        pub close: Price,
        /// In lots: the sum of many quantities may be more than one can be.
        pub volume_lots: i128,
        pub quote: Amount,
        /// Of this, what aggressors bought.
        pub taker_buy_lots: i128,
        pub taker_buy_quote: Amount,
        /// Zero without a trade.
        pub trade_count: u64,
        pub first_trade: TradeId,
        pub last_trade: TradeId,
    }
}

impl Candle {
    /// Of a period that began at `open_ns`, with one trade.
    pub fn of_trade(
        open_ns: u64,
        trade_id: TradeId,
        price: Price,
        qty: Qty,
        quote: Amount,
        is_buyer_maker: bool,
    ) -> Self {
        let lots = i128::from(qty.lots());
        let (taker_buy_lots, taker_buy_quote) =
            if is_buyer_maker { (0, Amount::ZERO) } else { (lots, quote) };
        Self {
            open_ns,
            open: price,
            high: price,
            low: price,
            close: price,
            volume_lots: lots,
            quote,
            taker_buy_lots,
            taker_buy_quote,
            trade_count: 1,
            first_trade: trade_id,
            last_trade: trade_id,
        }
    }

    /// Of a period in which nothing was traded, after a trade at this price.
    pub fn without_trade(open_ns: u64, price: Price) -> Self {
        Self {
            open_ns,
            open: price,
            high: price,
            low: price,
            close: price,
            volume_lots: 0,
            quote: Amount::ZERO,
            taker_buy_lots: 0,
            taker_buy_quote: Amount::ZERO,
            trade_count: 0,
            first_trade: TradeId(0),
            last_trade: TradeId(0),
        }
    }

    /// Adds a later part of the same period.
    pub fn add(&mut self, later: &Self) {
        debug_assert!(self.trade_count > 0 && later.trade_count > 0);
        self.high = self.high.max(later.high);
        self.low = self.low.min(later.low);
        self.close = later.close;
        self.volume_lots = self.volume_lots.saturating_add(later.volume_lots);
        self.quote = add(self.quote, later.quote);
        self.taker_buy_lots = self.taker_buy_lots.saturating_add(later.taker_buy_lots);
        self.taker_buy_quote = add(self.taker_buy_quote, later.taker_buy_quote);
        self.trade_count += later.trade_count;
        self.last_trade = later.last_trade;
    }
}

/// What is more than 128 bits hold is no money that anybody has: it must not stop the venue.
fn add(sum: Amount, more: Amount) -> Amount {
    Amount::from_minor(sum.minor().saturating_add(more.minor()))
}

record! {
    /// What one order took at one price, by one command: trades that follow each other, as one.
    pub struct AggTrade {
        /// That of its first trade, so that it is the same wherever the counting begins. These
        /// ids go up, with gaps.
        pub first_trade: TradeId,
        pub last_trade: TradeId,
        pub price: Price,
        pub qty: Qty,
        pub quote: Amount,
        pub traded_ns: u64,
        pub is_buyer_maker: bool,
    }
}

impl AggTrade {
    /// Adds a later part of the same.
    pub fn add(&mut self, later: &Self) {
        self.last_trade = later.last_trade;
        self.qty += later.qty;
        self.quote = add(self.quote, later.quote);
    }
}
