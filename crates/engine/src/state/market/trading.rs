//! Trading state of an instrument: its phase, its rules beyond its bounds, and their reference
//! prices.

use types::{
    InstrumentRules, InstrumentSpec, Phase, Price, QTY_MAX, Qty, Reader, SESSIONS_MAX, Wire,
};

use crate::state::market::average::Average;
use crate::state::market::calendar::{Sessions, read_sessions};
use crate::state::market::indication::Indication;

/// A week: the longest window of an average price.
const AVG_PRICE_MINS_MAX: u32 = 7 * 24 * 60;

const EVERYWHERE: (Price, Price) = (Price::from_ticks(i64::MIN), Price::from_ticks(i64::MAX));
const NOWHERE: (Price, Price) = (Price::from_ticks(i64::MAX), Price::from_ticks(i64::MIN));

/// State of a market beyond its book. Most markets have the state that they were listed with.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Trading {
    pub(crate) phase: Phase,
    pub(crate) delisted: bool,
    pub(crate) rules: InstrumentRules,
    /// Time at which the phase ends by itself; zero if it does not.
    pub(crate) until_ns: u64,
    /// Time of the last phase change, which overrides earlier sessions of the calendar.
    pub(crate) changed_ns: u64,
    /// Price of the last trade under these rules.
    pub(crate) last_price: Option<Price>,
    /// Reference of the static band and of the circuit breaker: the price of the last auction, or
    /// else of the first trade.
    pub(crate) reference: Option<Price>,
    /// Allowed trade prices: none outside continuous trading, and within the bands in it.
    allowed: (Price, Price),
    pub(crate) average: Average,
    pub(crate) indication: Indication,
    pub(crate) calendar: Sessions,
    /// Whether this instrument is the circuit breaker's index, and whether it has traded since the
    /// last check.
    pub(super) is_index: bool,
    pub(crate) index_traded: bool,
    /// Levels of the circuit breaker that were reached since the opening.
    pub(crate) levels_had: u8,
    /// Whether a trade changes more than the last price.
    is_watched: bool,
    /// Whether it is in continuous trading without rules beyond the spec's bounds.
    pub(crate) is_plain: bool,
    /// The widest bounds so far, if they were changed: open orders are within these.
    widest: Option<Bounds>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Bounds {
    min_price: Price,
    max_price: Price,
    max_qty: Qty,
    market_max_qty: Qty,
}

impl Default for Trading {
    fn default() -> Self {
        Self {
            phase: Phase::Continuous,
            delisted: false,
            rules: InstrumentRules::default(),
            until_ns: 0,
            changed_ns: 0,
            last_price: None,
            reference: None,
            allowed: EVERYWHERE,
            average: Average::default(),
            indication: Indication::default(),
            calendar: [None; SESSIONS_MAX],
            is_index: false,
            index_traded: false,
            levels_had: 0,
            is_watched: true,
            is_plain: true,
            widest: None,
        }
    }
}

impl Trading {
    /// Whether a trade is allowed at this price now.
    #[inline]
    pub(crate) fn allows(&self, price: Price) -> bool {
        let (lowest, highest) = self.allowed;
        lowest <= price && price <= highest
    }

    /// Records a trade.
    #[inline]
    pub(crate) fn record_trade(&mut self, price: Price, qty: Qty, now_ns: u64) {
        self.last_price = Some(price);
        if self.is_watched {
            self.record_watched_trade(price, qty, now_ns);
        }
    }

    #[inline(never)]
    fn record_watched_trade(&mut self, price: Price, qty: Qty, now_ns: u64) {
        self.average.record(price, qty, now_ns);
        self.reference.get_or_insert(price);
        self.index_traded = self.is_index;
        self.narrow();
    }

    /// The price for filters: without a trade in the window, the last price.
    pub(crate) fn avg_price(&self, now_ns: u64) -> Option<Price> {
        self.average.price(now_ns).or(self.last_price)
    }

    pub(in crate::state) fn set_index(&mut self, is_index: bool) {
        self.is_index = is_index;
        self.narrow();
    }

    pub(crate) fn set_reference(&mut self, price: Price) {
        self.reference = Some(price);
    }

    pub(crate) fn enter_phase(&mut self, phase: Phase, until_ns: u64, now_ns: u64) {
        self.phase = phase;
        self.until_ns = until_ns;
        self.changed_ns = now_ns;
        self.narrow();
    }

    pub(crate) fn delist(&mut self) {
        self.delisted = true;
        self.narrow();
    }

    pub(crate) fn has_bands(&self) -> bool {
        self.rules.bands.static_bps > 0 || self.rules.bands.dynamic_bps > 0
    }

    /// The prices within the bands around these references.
    fn within_bands(&self, reference: Option<Price>, last: Option<Price>) -> (Price, Price) {
        let bands = &self.rules.bands;
        let (low, high) = band(reference, bands.static_bps);
        let (lower, higher) = band(last, bands.dynamic_bps);
        (low.max(lower), high.min(higher))
    }

    /// Whether a trade at `price` would be within the bands, after trades whose first and last
    /// prices are given.
    pub(crate) fn would_allow(&self, after: Option<(Price, Price)>, price: Price) -> bool {
        let Some((first, last)) = after else { return self.allows(price) };
        let reference = self.reference.or(Some(first));
        let (lowest, highest) = self.within_bands(reference, Some(last));
        lowest <= price && price <= highest
    }

    /// Recomputes the allowed prices, and whether trades are watched.
    pub(crate) fn narrow(&mut self) {
        self.allowed = match self.phase {
            Phase::Continuous => self.within_bands(self.reference, self.last_price),
            _ => NOWHERE,
        };
        self.is_watched = self.reference.is_none()
            || self.is_index
            || self.has_bands()
            || self.rules.avg_price_mins > 0;
        self.is_plain = self.phase == Phase::Continuous
            && !self.delisted
            && self.rules == InstrumentRules::default();
    }

    pub(crate) fn widen(&mut self, spec: &InstrumentSpec) {
        let InstrumentSpec { min_price, max_price, max_qty, market_max_qty, .. } =
            self.widest_spec(spec);
        self.widest = Some(Bounds { min_price, max_price, max_qty, market_max_qty });
    }

    /// The spec with its widest bounds so far, for orders from an earlier spec.
    pub(crate) fn widest_spec(&self, spec: &InstrumentSpec) -> InstrumentSpec {
        let Some(widest) = self.widest else { return *spec };
        InstrumentSpec {
            min_price: widest.min_price.min(spec.min_price),
            max_price: widest.max_price.max(spec.max_price),
            max_qty: widest.max_qty.max(spec.max_qty),
            market_max_qty: widest.market_max_qty.max(spec.market_max_qty),
            ..*spec
        }
    }

    /// Whether each stored trade price can have been allowed.
    pub(in crate::state) fn prices_are_sound(&self, spec: &InstrumentSpec, now_ns: u64) -> bool {
        let InstrumentSpec { min_price, max_price, .. } = self.widest_spec(spec);
        let within = |price: Option<Price>| {
            price.is_none_or(|price| (min_price..=max_price).contains(&price))
        };
        within(self.last_price)
            && within(self.reference)
            && self.average.is_sound(min_price, max_price, now_ns)
    }
}

/// The prices that are at most `bps` basis points from a reference.
fn band(reference: Option<Price>, bps: u32) -> (Price, Price) {
    let (Some(reference), 1..) = (reference, bps) else { return EVERYWHERE };
    let reference = i128::from(reference.ticks());
    let half = reference.abs() * i128::from(bps) / 10_000;
    let price = |ticks: i128| {
        let bounded = ticks.clamp(i64::MIN.into(), i64::MAX.into());
        Price::from_ticks(i64::try_from(bounded).expect("within the bounds of 64 bits"))
    };
    (price(reference - half), price(reference + half))
}

/// Whether rules are consistent and within the venue's bounds.
pub(crate) fn rules_valid(rules: &InstrumentRules) -> bool {
    let percent = &rules.percent_price;
    let ordered = |min: u32, max: u32| max == 0 || min <= max;
    rules.avg_price_mins <= AVG_PRICE_MINS_MAX
        && ordered(percent.buy_min_bps, percent.buy_max_bps)
        && ordered(percent.sell_min_bps, percent.sell_max_bps)
        && ordered(rules.trailing_delta_min_bps, rules.trailing_delta_max_bps)
        && rules.market_min_qty <= QTY_MAX
        && rules.max_position <= QTY_MAX
}

impl Wire for Trading {
    fn write(&self, out: &mut Vec<u8>) {
        (self.phase, self.delisted).write(out);
        (self.until_ns, self.changed_ns).write(out);
        (self.last_price, self.reference).write(out);
        (self.indication.indicated_ns, self.indication.is_due).write(out);
        (self.index_traded, self.levels_had).write(out);
        self.calendar.write(out);
        self.rules.write(out);
        self.widest.write(out);
        self.average.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (phase, delisted) = r.read()?;
        let (until_ns, changed_ns) = r.read()?;
        let (last_price, reference) = r.read()?;
        let (indicated_ns, is_due) = r.read()?;
        let (index_traded, levels_had) = r.read()?;
        let calendar = read_sessions(r)?;
        let mut trading = Self {
            phase,
            delisted,
            rules: r.read()?,
            until_ns,
            changed_ns,
            last_price,
            reference,
            indication: Indication { indicated_ns, is_due },
            calendar,
            index_traded,
            levels_had,
            widest: r.read()?,
            average: r.read()?,
            ..Self::default()
        };
        trading.average = trading.average.with_mins(trading.rules.avg_price_mins);
        trading.narrow();
        Some(trading)
    }
}

impl Wire for Bounds {
    fn write(&self, out: &mut Vec<u8>) {
        ((self.min_price, self.max_price), (self.max_qty, self.market_max_qty)).write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let ((min_price, max_price), (max_qty, market_max_qty)) = r.read()?;
        Some(Self { min_price, max_price, max_qty, market_max_qty })
    }
}
