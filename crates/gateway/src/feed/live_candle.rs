//! The current candle of a stream, from its first trade to its end.

use marketdata::{InstrumentView, PublicTrade};
use types::{Candle, Interval, TimeZone};

#[derive(Debug)]
pub(crate) struct LiveCandle {
    interval: Interval,
    zone: TimeZone,
    /// `None` after a candle was closed, until the next trade.
    candle: Option<Candle>,
    is_changed: bool,
}

/// A candle to publish, and whether it is closed.
pub(crate) type CandleUpdate = (Candle, bool);

impl LiveCandle {
    pub(crate) fn new(
        (interval, zone): (Interval, TimeZone),
        view: &InstrumentView,
        now_ns: u64,
    ) -> Self {
        let candle = view.statistics.candle(interval, zone, now_ns);
        let candle = candle.filter(|candle| candle.trade_count > 0);
        Self { interval, zone, candle, is_changed: false }
    }

    pub(crate) fn of(&self) -> (Interval, TimeZone) {
        (self.interval, self.zone)
    }

    /// Adds a trade. Returns the candle that ended before this trade, unless it was published
    /// already.
    pub(crate) fn trade(&mut self, trade: &PublicTrade) -> Option<Candle> {
        let open_ns = self.interval.open_ns(self.zone, trade.traded_ns);
        let closed = self.candle.take_if(|candle| candle.open_ns < open_ns);
        let one = trade.candle(open_ns);
        match &mut self.candle {
            Some(candle) => candle.add(&one),
            empty => *empty = Some(one),
        }
        self.is_changed = true;
        closed
    }

    /// The update to publish now, if the candle changed or ended.
    pub(crate) fn take(&mut self, now_ns: u64) -> Option<CandleUpdate> {
        let end_ns = |candle: &Candle| self.interval.end_ns(self.zone, candle.open_ns);
        if let Some(candle) = self.candle.take_if(|candle| end_ns(candle) <= now_ns) {
            self.is_changed = false;
            return Some((candle, true));
        }
        std::mem::take(&mut self.is_changed).then_some((self.candle?, false))
    }

    /// The candle that is open.
    #[cfg(feature = "grpc")]
    pub(crate) fn current(&self) -> Option<Candle> {
        self.candle
    }

    /// When the open candle ends.
    #[cfg(feature = "grpc")]
    pub(crate) fn end_ns(&self) -> Option<u64> {
        Some(self.interval.end_ns(self.zone, self.candle?.open_ns))
    }

    /// Whether a closed candle is still to be published.
    pub(crate) fn is_open(&self) -> bool {
        self.candle.is_some()
    }
}

#[cfg(test)]
mod tests {
    use types::{Amount, Price, Qty, TradeId};

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn trade(trade_id: u64, traded_ns: u64) -> PublicTrade {
        PublicTrade {
            trade_id: TradeId(trade_id),
            price: Price::from_ticks(10),
            qty: Qty::from_lots(1),
            quote: Amount::from_minor(10),
            traded_ns,
            is_buyer_maker: false,
        }
    }

    /// The trade ids of an update, and whether it is closed.
    fn seen(update: Option<CandleUpdate>) -> Option<(u64, u64, bool)> {
        update.map(|(candle, closed)| (candle.first_trade.0, candle.last_trade.0, closed))
    }

    #[test]
    fn a_candle_is_sent_as_it_changes_and_once_when_it_is_closed() {
        let view = InstrumentView::default();
        let mut live = LiveCandle::new((Interval::Minute1, TimeZone::UTC), &view, 0);
        assert!(!live.is_open() && live.take(5 * SECOND).is_none());
        assert_eq!(live.trade(&trade(1, 5 * SECOND)), None);
        assert_eq!(live.trade(&trade(2, 6 * SECOND)), None);
        assert_eq!(seen(live.take(7 * SECOND)), Some((1, 2, false)));
        assert_eq!(seen(live.take(9 * SECOND)), None);
        assert!(live.is_open());
        assert_eq!(seen(live.take(60 * SECOND)), Some((1, 2, true)));
        assert_eq!(seen(live.take(61 * SECOND)), None);
        assert!(!live.is_open());
    }

    #[test]
    fn a_trade_of_the_next_period_closes_the_candle() {
        let view = InstrumentView::default();
        let mut live = LiveCandle::new((Interval::Second1, TimeZone::UTC), &view, 0);
        live.trade(&trade(1, 5 * SECOND));
        let closed = live.trade(&trade(2, 6 * SECOND)).unwrap();
        assert_eq!((closed.open_ns, closed.last_trade), (5 * SECOND, TradeId(1)));
        assert_eq!(seen(live.take(6 * SECOND)), Some((2, 2, false)));
    }
}
