//! The public trades of one instrument.

use std::collections::VecDeque;

use types::{Amount, Candle, Price, Qty, Reader, Side, TradeExecuted, TradeId, Wire};

/// Limit of the trades that are kept for an instrument.
pub const RECENT_TRADES_MAX: usize = 1_000;

/// A trade without private fields.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PublicTrade {
    pub trade_id: TradeId,
    pub price: Price,
    pub qty: Qty,
    /// Price times quantity.
    pub quote: Amount,
    pub traded_ns: u64,
    /// Whether the seller was the aggressor.
    pub is_buyer_maker: bool,
}

impl PublicTrade {
    pub fn of(trade: &TradeExecuted) -> Self {
        Self {
            trade_id: trade.trade_id,
            price: trade.price,
            qty: trade.qty,
            quote: trade.quote,
            traded_ns: trade.taker.order.updated_ns,
            is_buyer_maker: trade.side == Side::Sell,
        }
    }

    /// A candle with only this trade, in a period that began at `open_ns`.
    pub fn candle(&self, open_ns: u64) -> Candle {
        let Self { trade_id, price, qty, quote, is_buyer_maker, .. } = *self;
        Candle::of_trade(open_ns, trade_id, price, qty, quote, is_buyer_maker)
    }
}

/// The last [`RECENT_TRADES_MAX`] trades. Memory grows with the first trades and then stays, so
/// that an instrument without trades costs nothing.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RecentTrades {
    trades: VecDeque<PublicTrade>,
}

impl RecentTrades {
    pub fn push(&mut self, trade: PublicTrade) {
        if self.trades.len() == RECENT_TRADES_MAX {
            self.trades.pop_front();
        }
        self.trades.push_back(trade);
    }

    pub fn last(&self) -> Option<&PublicTrade> {
        self.trades.back()
    }

    /// The last `limit` trades, oldest first.
    pub fn recent(
        &self,
        limit: usize,
    ) -> impl DoubleEndedIterator<Item = &PublicTrade> + ExactSizeIterator {
        self.trades.range(self.trades.len().saturating_sub(limit)..)
    }
}

impl Wire for PublicTrade {
    fn write(&self, out: &mut Vec<u8>) {
        self.trade_id.write(out);
        self.price.write(out);
        self.qty.write(out);
        self.quote.write(out);
        self.traded_ns.write(out);
        self.is_buyer_maker.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            trade_id: r.read()?,
            price: r.read()?,
            qty: r.read()?,
            quote: r.read()?,
            traded_ns: r.read()?,
            is_buyer_maker: r.read()?,
        })
    }
}

impl Wire for RecentTrades {
    fn write(&self, out: &mut Vec<u8>) {
        let count = u32::try_from(self.trades.len()).expect("at most RECENT_TRADES_MAX");
        count.write(out);
        for trade in &self.trades {
            trade.write(out);
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let trades: Vec<PublicTrade> = r.read()?;
        (trades.len() <= RECENT_TRADES_MAX).then(|| Self { trades: trades.into() })
    }
}

#[cfg(test)]
mod tests {
    use types::{Event, InstrumentId};

    use super::*;
    use crate::market::EventSource;

    fn trade(trade_id: u64) -> PublicTrade {
        PublicTrade {
            trade_id: TradeId(trade_id),
            price: Price::from_ticks(10),
            qty: Qty::from_lots(2),
            quote: Amount::from_minor(20),
            traded_ns: 1,
            is_buyer_maker: false,
        }
    }

    #[test]
    fn the_maker_is_on_the_other_side_than_the_aggressor() {
        for (maker_side, is_buyer_maker) in [(Side::Buy, true), (Side::Sell, false)] {
            let mut source = EventSource::new(InstrumentId(0));
            source.list();
            source.rest(maker_side, 1, 60, 10);
            let Event::TradeExecuted(executed) = source.trade(1, 20) else {
                panic!("a trade");
            };
            let public = PublicTrade::of(&executed);
            let expect = PublicTrade {
                trade_id: TradeId(1),
                price: Price::from_ticks(10),
                qty: Qty::from_lots(20),
                quote: Amount::from_minor(200),
                traded_ns: executed.taker.order.updated_ns,
                is_buyer_maker,
            };
            assert_eq!(public, expect);
        }
    }

    #[test]
    fn the_oldest_trades_are_dropped_above_the_limit() {
        let mut trades = RecentTrades::default();
        assert_eq!(trades.last(), None);
        let count = RECENT_TRADES_MAX as u64 + 5;
        for id in 1..=count {
            trades.push(trade(id));
        }
        let ids = |limit| trades.recent(limit).map(|trade| trade.trade_id.0).collect::<Vec<_>>();
        assert_eq!(trades.last(), Some(&trade(count)));
        assert_eq!(ids(0), []);
        assert_eq!(ids(2), [count - 1, count]);
        assert_eq!(ids(usize::MAX), (6..=count).collect::<Vec<_>>());
    }

    #[test]
    fn more_trades_than_the_limit_are_not_read() {
        for (count, expect) in [(RECENT_TRADES_MAX, true), (RECENT_TRADES_MAX + 1, false)] {
            let mut bytes = Vec::new();
            (1..=count as u64).map(trade).collect::<Vec<_>>().write(&mut bytes);
            assert_eq!(RecentTrades::read(&mut Reader(&bytes)).is_some(), expect, "{count}");
        }
    }
}
