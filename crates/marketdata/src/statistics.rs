//! The current candles of one instrument, and its statistics over the last 24 hours.
//!
//! A trade is added to the candle of its second and to that of its minute. At the end of a minute,
//! its candle is added to those of the longer intervals, and to the list of the last 24 hours. That
//! list has only minutes with trades. Windows begin with a minute, so they are up to 59,999 ms
//! longer than requested.
//!
//! # Invariants
//! - A candle and a window are exact sums of their trades.
//! - Only trades change the state: a query passes its time.
//!
//! # Known limits
//! A trade with an earlier time than the previous one counts for the second of that one. The
//! venue's time does not go back.

use std::collections::VecDeque;

use types::{Candle, Interval, Price, Reader, TimeZone, Wire};

use crate::trade::PublicTrade;

const NS_PER_MINUTE: u64 = 60_000_000_000;
/// Time for which minutes are kept.
const WINDOW_NS: u64 = 24 * 60 * NS_PER_MINUTE;

/// The intervals whose candles are sums of minutes.
const ROLLED: &[Interval] = Interval::ALL.split_at(2).1;
/// The time zones of these candles.
pub const LIVE_ZONES: [TimeZone; 2] = [TimeZone::UTC, PLUS_8];
pub const PLUS_8: TimeZone = match TimeZone::from_minutes(8 * 60) {
    Some(zone) => zone,
    None => panic!("within the range"),
};

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Statistics {
    second: Option<Candle>,
    minute: Option<Candle>,
    /// Minutes older than the current one, oldest first.
    minutes: VecDeque<Candle>,
    /// Hours older than the current one whose minutes are all kept, oldest first.
    hours: VecDeque<Candle>,
    /// For each interval of [`ROLLED`] and each zone, up to the last complete minute.
    rolled: Vec<Candle>,
    /// The close of the last dropped minute.
    before: Option<Price>,
}

/// The sum of the trades from a minute onwards.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Window {
    /// `None` if the window has no trade.
    pub candle: Option<Candle>,
    /// The last price in front of it; `None` if that is unknown.
    pub before: Option<Price>,
}

impl Statistics {
    pub(crate) fn push(&mut self, trade: &PublicTrade) {
        let traded_ns = trade.traded_ns.max(self.second.map_or(0, |second| second.open_ns));
        let minute_ns = Interval::Minute1.open_ns(TimeZone::UTC, traded_ns);
        if let Some(minute) = self.minute.take_if(|minute| minute.open_ns < minute_ns) {
            self.end_minute(minute, minute_ns);
        }
        for (interval, candle) in
            [(Interval::Second1, &mut self.second), (Interval::Minute1, &mut self.minute)]
        {
            let open_ns = interval.open_ns(TimeZone::UTC, traded_ns);
            put(candle, &trade.candle(open_ns));
        }
    }

    /// The candle of the period that contains a time, if that is not earlier than the last trade.
    /// Without a trade it has the last price; `None` until the first trade.
    pub fn candle(&self, interval: Interval, zone: TimeZone, now_ns: u64) -> Option<Candle> {
        let open_ns = interval.open_ns(zone, now_ns);
        let found = match interval {
            Interval::Second1 => self.second,
            Interval::Minute1 => self.minute,
            _ => self.rolled_candle(interval, zone),
        };
        let at_last = || self.minute.map(|last| Candle::without_trade(open_ns, last.close));
        found.filter(|candle| candle.open_ns == open_ns).or_else(at_last)
    }

    /// The candle of the last trade's period.
    fn rolled_candle(&self, interval: Interval, zone: TimeZone) -> Option<Candle> {
        let minute = self.minute?;
        let place = place_of(interval, zone)?;
        let of_minute = Candle { open_ns: interval.open_ns(zone, minute.open_ns), ..minute };
        let mut candle = self.rolled.get(place).copied();
        put(&mut candle, &of_minute);
        candle
    }

    /// The trades since the minute that contains `from_ns`, at most 24 hours earlier than the last
    /// trade.
    pub fn window(&self, from_ns: u64) -> Window {
        let from_ns = Interval::Minute1.open_ns(TimeZone::UTC, from_ns);
        let mut window = Window { candle: None, before: self.before };
        // Whole hours first, if there are any; then the minutes on both sides of them.
        let hours_from = self.hours.partition_point(|hour| hour.open_ns < from_ns);
        let hours = self.hours.range(hours_from..);
        let first_hour_ns = hours.clone().next().map_or(u64::MAX, |hour| hour.open_ns);
        let past_hours_ns = self.hours.back().map_or(0, |hour| end_of_hour(hour.open_ns));
        let minutes_from = self.minutes.partition_point(|minute| minute.open_ns < from_ns);
        if let Some(before) = minutes_from.checked_sub(1) {
            window.before = self.minutes.get(before).map(|minute| minute.close);
        }
        let head = self.minutes.range(minutes_from..);
        head.take_while(|minute| minute.open_ns < first_hour_ns).for_each(|m| window.add(m));
        if first_hour_ns < u64::MAX {
            hours.for_each(|hour| window.add(hour));
            let tail_from = self.minutes.partition_point(|minute| minute.open_ns < past_hours_ns);
            self.minutes.range(tail_from..).for_each(|minute| window.add(minute));
        }
        match &self.minute {
            Some(minute) if minute.open_ns >= from_ns => window.add(minute),
            Some(minute) => window.before = Some(minute.close),
            None => {}
        }
        window
    }

    /// The trades since 24 hours before a time.
    pub fn day(&self, now_ns: u64) -> Window {
        self.window(now_ns.saturating_sub(WINDOW_NS))
    }

    fn end_minute(&mut self, minute: Candle, now_ns: u64) {
        let hour_ns = Interval::Hour1.open_ns(TimeZone::UTC, now_ns);
        let is_other_hour = Interval::Hour1.open_ns(TimeZone::UTC, minute.open_ns) < hour_ns;
        let intervals =
            LIVE_ZONES.into_iter().flat_map(|zone| ROLLED.iter().map(move |i| (*i, zone)));
        for (place, (interval, zone)) in intervals.enumerate() {
            let part = Candle { open_ns: interval.open_ns(zone, minute.open_ns), ..minute };
            let mut candle = self.rolled.get(place).copied();
            put(&mut candle, &part);
            let candle = candle.unwrap_or(part);
            match self.rolled.get_mut(place) {
                Some(rolled) => *rolled = candle,
                None => self.rolled.push(candle),
            }
        }
        self.minutes.push_back(minute);
        if is_other_hour && let Some(place) = place_of(Interval::Hour1, TimeZone::UTC) {
            self.hours.extend(self.rolled.get(place));
        }
        self.forget(now_ns.saturating_sub(WINDOW_NS));
    }

    fn forget(&mut self, from_ns: u64) {
        while let Some(minute) = self.minutes.pop_front_if(|minute| minute.open_ns < from_ns) {
            self.before = Some(minute.close);
        }
        while self.hours.pop_front_if(|hour| hour.open_ns < from_ns).is_some() {}
    }
}

impl Window {
    fn add(&mut self, part: &Candle) {
        match &mut self.candle {
            Some(candle) => candle.add(part),
            empty => *empty = Some(*part),
        }
    }
}

/// Adds the later part to the candle, or begins a candle with it.
fn put(candle: &mut Option<Candle>, next: &Candle) {
    match candle {
        Some(candle) if candle.open_ns == next.open_ns => candle.add(next),
        other => *other = Some(*next),
    }
}

fn end_of_hour(open_ns: u64) -> u64 {
    Interval::Hour1.end_ns(TimeZone::UTC, open_ns)
}

/// Index of an interval and a zone in `rolled`.
fn place_of(interval: Interval, zone: TimeZone) -> Option<usize> {
    let interval = ROLLED.iter().position(|rolled| *rolled == interval)?;
    let zone = LIVE_ZONES.iter().position(|live| *live == zone)?;
    Some(zone * ROLLED.len() + interval)
}

impl Wire for Statistics {
    fn write(&self, out: &mut Vec<u8>) {
        self.second.write(out);
        self.minute.write(out);
        write_all(&self.minutes, out);
        write_all(&self.hours, out);
        self.rolled.write(out);
        self.before.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (second, minute) = (r.read()?, r.read()?);
        let minutes: Vec<Candle> = r.read()?;
        let hours: Vec<Candle> = r.read()?;
        let (rolled, before) = (r.read::<Vec<Candle>>()?, r.read()?);
        let is_sorted = |candles: &[Candle]| candles.is_sorted_by_key(|candle| candle.open_ns);
        let is_whole = rolled.is_empty() || rolled.len() == ROLLED.len() * LIVE_ZONES.len();
        if !(is_sorted(&minutes) && is_sorted(&hours) && is_whole) {
            return None;
        }
        let (minutes, hours) = (minutes.into(), hours.into());
        Some(Self { second, minute, minutes, hours, rolled, before })
    }
}

/// In the format of a `Vec`.
fn write_all(candles: &VecDeque<Candle>, out: &mut Vec<u8>) {
    let count = u32::try_from(candles.len()).expect("no more than a day has minutes");
    count.write(out);
    candles.iter().for_each(|candle| candle.write(out));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use types::{Amount, Qty, TradeId};

    use super::*;

    fn statistics(trades: &[PublicTrade]) -> Statistics {
        let mut statistics = Statistics::default();
        trades.iter().for_each(|trade| statistics.push(trade));
        statistics
    }

    /// Trades with these pauses between them, in milliseconds.
    fn trades(steps: Vec<(u64, i64, u64, bool)>) -> Vec<PublicTrade> {
        let mut traded_ns = 1_709_214_441_500_000_000;
        let trade = |(index, (pause_ms, ticks, lots, is_buyer_maker))| {
            traded_ns += pause_ms * 1_000_000;
            PublicTrade {
                trade_id: TradeId(index as u64 + 1),
                price: Price::from_ticks(ticks),
                qty: Qty::from_lots(lots),
                quote: Amount::from_minor(i128::from(ticks) * i128::from(lots) * 3),
                traded_ns,
                is_buyer_maker,
            }
        };
        steps.into_iter().enumerate().map(trade).collect()
    }

    fn any_trades() -> impl Strategy<Value = Vec<PublicTrade>> {
        // From the same millisecond to the same month, and beyond.
        let pause_ms = prop_oneof![
            0..3_u64,
            0..90_000_u64,
            0..20_000_000_u64,
            0..200_000_000_u64,
            Just(3_000_000_000)
        ];
        prop::collection::vec((pause_ms, 5..20_i64, 1..9_u64, any::<bool>()), 1..120)
            .prop_map(trades)
    }

    /// The plain computation, from all trades.
    fn recomputed<'a>(
        open_ns: u64,
        trades: impl Iterator<Item = &'a PublicTrade>,
    ) -> Option<Candle> {
        let trades: Vec<_> = trades.collect();
        let (first, last) = (trades.first()?, trades.last()?);
        let bought = || trades.iter().filter(|trade| !trade.is_buyer_maker);
        let lots = |trade: &&PublicTrade| i128::from(trade.qty.lots());
        Some(Candle {
            open_ns,
            open: first.price,
            high: trades.iter().map(|trade| trade.price).max()?,
            low: trades.iter().map(|trade| trade.price).min()?,
            close: last.price,
            volume_lots: trades.iter().map(lots).sum(),
            quote: trades.iter().map(|trade| trade.quote).sum(),
            taker_buy_lots: bought().map(lots).sum(),
            taker_buy_quote: bought().map(|trade| trade.quote).sum(),
            trade_count: trades.len() as u64,
            first_trade: first.trade_id,
            last_trade: last.trade_id,
        })
    }

    #[test]
    fn a_period_without_a_trade_has_the_last_price() {
        assert_eq!(Statistics::default().candle(Interval::Day1, TimeZone::UTC, 5), None);
        let trades = trades(vec![(0, 10, 5, false), (100, 12, 5, true)]);
        let statistics = statistics(&trades);
        let later_ns = trades[1].traded_ns + 2_000_000_000;
        let candle = |interval| statistics.candle(interval, TimeZone::UTC, later_ns).unwrap();
        let flat = candle(Interval::Second1);
        assert_eq!(
            (flat.trade_count, flat.open, flat.close),
            (0, trades[1].price, trades[1].price)
        );
        assert_eq!(candle(Interval::Minute1).trade_count, 2);
    }

    #[test]
    fn minutes_are_dropped_after_a_day_but_their_last_price_is_kept() {
        let day_ms = WINDOW_NS / 1_000_000;
        let statistics = statistics(&trades(vec![
            (0, 10, 1, false),
            (60_000, 11, 1, false),
            (day_ms, 12, 1, false),
        ]));
        assert_eq!(statistics.minutes.len(), 1);
        assert_eq!(statistics.before, Some(Price::from_ticks(10)));
    }

    proptest! {
        #[test]
        fn candles_are_the_sums_of_their_trades(trades in any_trades()) {
            for count in 1..=trades.len() {
                let (trades, last) = (&trades[..count], &trades[count - 1]);
                let statistics = statistics(trades);
                for (interval, zone) in Interval::ALL.iter().flat_map(|i| LIVE_ZONES.map(|z| (*i, z))) {
                    let open_ns = interval.open_ns(zone, last.traded_ns);
                    let within = trades.iter().filter(|trade| trade.traded_ns >= open_ns);
                    prop_assert_eq!(
                        statistics.candle(interval, zone, last.traded_ns),
                        recomputed(open_ns, within),
                        "{}", interval
                    );
                }
            }
        }

        #[test]
        fn windows_are_the_sums_of_their_trades(
            trades in any_trades(),
            ages_s in prop::collection::vec(0..86_400_u64, 20),
        ) {
            let statistics = statistics(&trades);
            let last_ns = trades.last().unwrap().traded_ns;
            for age_s in ages_s {
                let from_ns = last_ns - age_s * 1_000_000_000;
                let from_ns = from_ns - from_ns % NS_PER_MINUTE;
                let window = statistics.window(from_ns);
                let within = trades.iter().filter(|trade| trade.traded_ns >= from_ns);
                let before = trades.iter().rev().find(|trade| trade.traded_ns < from_ns);
                let candle = recomputed(0, within);
                prop_assert_eq!(window.candle.map(|c| Candle { open_ns: 0, ..c }), candle);
                prop_assert_eq!(window.before, before.map(|trade| trade.price));
            }
        }

        #[test]
        fn restored_statistics_equal_those_that_never_stopped(
            trades in any_trades(),
            stops_at in any::<prop::sample::Index>(),
        ) {
            let stops_at = stops_at.index(trades.len());
            let mut bytes = Vec::new();
            statistics(&trades[..stops_at]).write(&mut bytes);
            let mut r = Reader(&bytes);
            let mut restarted = Statistics::read(&mut r).unwrap();
            prop_assert!(r.is_empty());
            trades[stops_at..].iter().for_each(|trade| restarted.push(trade));
            prop_assert_eq!(restarted, statistics(&trades));
        }
    }
}
