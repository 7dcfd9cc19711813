//! Sums over trades: candles of a period, and aggregate trades of one order.

use crate::id::TradeId;
use crate::number::{Amount, Price, Qty};
use crate::wire::record;

record! {
    /// The trades of one period, summed exactly whatever the length of the period.
    ///
    /// A trade that is busted or corrected later stays in the candle, as it stays in the list of
    /// trades: a published chart does not change.
    pub struct Candle {
        /// Start of the period.
        pub open_ns: u64,
        pub open: Price,
        pub high: Price,
        pub low: Price,
        pub close: Price,
        /// In lots: a sum of quantities may exceed [`Qty`].
        pub volume_lots: i128,
        pub quote: Amount,
        /// The part of the volume that aggressors bought.
        pub taker_buy_lots: i128,
        pub taker_buy_quote: Amount,
        /// Zero if the period has no trade.
        pub trade_count: u64,
        pub first_trade: TradeId,
        pub last_trade: TradeId,
    }
}

impl Candle {
    /// A candle of one trade, in a period that began at `open_ns`.
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

    /// A candle of a period without trades, after a trade at this price.
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

/// Saturates, because a sum beyond 128 bits is no real money and must not stop the venue.
fn add(sum: Amount, more: Amount) -> Amount {
    Amount::from_minor(sum.minor().saturating_add(more.minor()))
}

record! {
    /// Consecutive trades of one order at one price, by one command, as one trade.
    pub struct AggTrade {
        /// Id of the first trade, so that it does not depend on where the counting began. The ids
        /// ascend, with gaps.
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
    /// Adds a later part of the same aggregate trade.
    pub fn add(&mut self, later: &Self) {
        self.last_trade = later.last_trade;
        self.qty += later.qty;
        self.quote = add(self.quote, later.quote);
    }
}
