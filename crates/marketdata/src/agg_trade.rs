//! Aggregation of the trades of one order.

use types::{AggTrade, OrderId, TradeExecuted};

use crate::trade::PublicTrade;

/// Aggregates consecutive trades of one order by one command, at one price and side.
///
/// It holds one aggregate trade back until it knows that no further trade belongs to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct AggTrades {
    open: Option<Open>,
}

/// An aggregate trade that may still grow, and the properties that further trades must share.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Open {
    trade: AggTrade,
    command: u64,
    taker: OrderId,
}

impl AggTrades {
    /// Adds the next trade of the instrument, and returns the aggregate trade that it completes.
    /// `command` identifies the trade's command, including the work that the command deferred.
    pub fn push(&mut self, command: u64, executed: &TradeExecuted) -> Option<AggTrade> {
        let taker = executed.taker.order.order_id;
        self.push_public(command, taker, &PublicTrade::of(executed))
    }

    /// The same for a public trade.
    pub fn push_public(
        &mut self,
        command: u64,
        taker: OrderId,
        trade: &PublicTrade,
    ) -> Option<AggTrade> {
        let next = Open { trade: of_one(trade), command, taker };
        match &mut self.open {
            Some(open) if open.is_continued_by(&next) => {
                open.trade.add(&next.trade);
                None
            }
            open => open.replace(next).map(|open| open.trade),
        }
    }

    /// Gives back the one that may still grow; the next trade begins another.
    pub fn take(&mut self) -> Option<AggTrade> {
        self.open.take().map(|open| open.trade)
    }
}

impl Open {
    fn is_continued_by(&self, next: &Self) -> bool {
        let key =
            |open: &Self| (open.command, open.taker, open.trade.price, open.trade.is_buyer_maker);
        key(self) == key(next)
    }
}

fn of_one(trade: &PublicTrade) -> AggTrade {
    AggTrade {
        first_trade: trade.trade_id,
        last_trade: trade.trade_id,
        price: trade.price,
        qty: trade.qty,
        quote: trade.quote,
        traded_ns: trade.traded_ns,
        is_buyer_maker: trade.is_buyer_maker,
    }
}

#[cfg(test)]
mod tests {
    use types::{Event, InstrumentId, Side};

    use super::*;
    use crate::market::EventSource;

    /// Trades as `command taker side price qty`; gives the aggregate trades as
    /// `first-last price:qty`.
    #[track_caller]
    fn check(trades: &[(u64, u64, Side, u64, u64)], expect: &[&str]) {
        let mut source = EventSource::new(InstrumentId(0));
        source.list();
        let (mut agg_trades, mut complete) = (AggTrades::default(), Vec::new());
        for (index, (command, taker, side, price, qty)) in trades.iter().enumerate() {
            let maker = index as u64 + 1;
            source.rest(side.opposite(), maker, *qty, *price);
            let Event::TradeExecuted(mut executed) = source.trade(maker, *qty) else {
                panic!("a trade")
            };
            executed.taker.order.order_id = OrderId(*taker);
            complete.extend(agg_trades.push(*command, &executed));
        }
        complete.extend(agg_trades.take());
        let text = |agg: &AggTrade| {
            let (first, last) = (agg.first_trade, agg.last_trade);
            assert_eq!(
                agg.quote.minor(),
                i128::from(agg.price.ticks()) * i128::from(agg.qty.lots())
            );
            format!("{first}-{last} {}:{}", agg.price.ticks(), agg.qty.lots())
        };
        assert_eq!(complete.iter().map(text).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn what_one_order_takes_at_one_price_is_one() {
        use Side::{Buy, Sell};
        check(&[(1, 9, Buy, 10, 5), (1, 9, Buy, 10, 7)], &["1-2 10:12"]);
        check(&[(1, 9, Buy, 10, 5), (1, 9, Buy, 11, 7)], &["1-1 10:5", "2-2 11:7"]);
        check(&[(1, 9, Buy, 10, 5), (1, 8, Buy, 10, 7)], &["1-1 10:5", "2-2 10:7"]);
        check(&[(1, 9, Buy, 10, 5), (1, 9, Sell, 10, 7)], &["1-1 10:5", "2-2 10:7"]);
        check(&[(1, 9, Buy, 10, 5), (2, 9, Buy, 10, 7)], &["1-1 10:5", "2-2 10:7"]);
        check(
            &[(1, 9, Buy, 10, 5), (1, 9, Buy, 11, 1), (1, 9, Buy, 10, 7)],
            &["1-1 10:5", "2-2 11:1", "3-3 10:7"],
        );
    }
}
