//! Sums over the samples of an equity, from which all figures of returns follow.
//!
//! One pass and fixed memory, whatever the length of the run.

const DAY_NS: i64 = 86_400_000_000_000;
/// Calendar days of a year, for growth over time.
const YEAR_DAYS: f64 = 365.25;

/// Samples of the equity, summed.
#[derive(Clone, Debug, Default)]
pub struct Returns {
    pub samples: u64,
    pub first_ns: i64,
    pub last_ns: i64,
    pub first_equity: f64,
    pub last_equity: f64,
    pub peak: f64,
    pub drawdowns: Drawdowns,
    days: Days,
    /// Logarithmic returns from sample to sample, of the equity and of the market.
    pairs: Pairs,
    last_mark: f64,
    weekend_samples: u64,
}

/// Falls below the highest equity so far, as parts of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawdowns {
    /// The deepest, as a positive part.
    pub max: f64,
    pub max_ns: i64,
    pub count: u64,
    sum: f64,
    sum_ns: i128,
    /// Of the fall that is going on.
    deepest: f64,
    since_ns: i64,
    is_down: bool,
}

/// Returns from day to day, by UTC.
#[derive(Clone, Copy, Debug, Default)]
struct Days {
    day: i64,
    /// At the end of the day before.
    before: f64,
    last: f64,
    count: u64,
    sum: f64,
    squares: f64,
    losses: f64,
    logs: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Pairs {
    count: u64,
    mean_equity: f64,
    mean_market: f64,
    covariance: f64,
    market_variance: f64,
}

impl Returns {
    #[inline]
    pub(crate) fn add(&mut self, at_ns: i64, equity: f64, mark: f64) {
        if self.samples == 0 {
            self.first_ns = at_ns;
            self.first_equity = equity;
            self.peak = equity;
            self.days = Days { day: at_ns.div_euclid(DAY_NS), last: equity, ..Days::default() };
            self.drawdowns.since_ns = at_ns;
        } else {
            if mark > 0.0 && self.last_mark > 0.0 && equity > 0.0 && self.last_equity > 0.0 {
                self.pairs.add(ln_ratio(equity, self.last_equity), ln_ratio(mark, self.last_mark));
            }
            self.days.add(at_ns.div_euclid(DAY_NS), equity);
        }
        // The first of January 1970 was a Thursday.
        let weekday = (at_ns.div_euclid(DAY_NS) + 3).rem_euclid(7);
        self.weekend_samples += u64::from(weekday >= 5);
        self.peak = self.peak.max(equity);
        let down = if self.peak > 0.0 { 1.0 - equity / self.peak } else { 0.0 };
        self.drawdowns.add(at_ns, down);
        self.samples += 1;
        self.last_ns = at_ns;
        self.last_equity = equity;
        self.last_mark = mark;
    }

    /// Trading days of a year: those of a market that also trades at weekends, or of one that does
    /// not.
    pub fn year_days(&self) -> f64 {
        let weekend = self.weekend_samples as f64 / self.samples.max(1) as f64;
        if weekend > 2.0 / 7.0 * 0.6 { 365.0 } else { 252.0 }
    }

    pub fn total(&self) -> f64 {
        self.last_equity / self.first_equity - 1.0
    }

    /// Days with a return.
    pub fn days(&self) -> u64 {
        self.days.with_last().count
    }

    fn day_growth(&self) -> f64 {
        let days = self.days.with_last();
        if days.count == 0 { f64::NAN } else { (days.logs / days.count as f64).exp() }
    }

    /// The geometric mean of daily returns, over a year.
    pub fn annual_return(&self) -> f64 {
        self.day_growth().powf(self.year_days()) - 1.0
    }

    /// Of a year of such days, compounded.
    pub fn annual_volatility(&self) -> f64 {
        let days = self.days.with_last();
        if days.count < 2 {
            return f64::NAN;
        }
        let mean = days.sum / days.count as f64;
        let variance = (days.squares - mean * days.sum) / (days.count - 1) as f64;
        let growth = self.day_growth();
        let year = self.year_days();
        ((variance.max(0.0) + growth * growth).powf(year) - growth.powf(2.0 * year)).sqrt()
    }

    /// Not a number for less than a day, as the other figures of a year.
    pub fn growth_a_year(&self) -> f64 {
        if self.last_ns - self.first_ns < DAY_NS {
            return f64::NAN;
        }
        let years = (self.last_ns - self.first_ns) as f64 / DAY_NS as f64 / YEAR_DAYS;
        (self.last_equity / self.first_equity).powf(1.0 / years) - 1.0
    }

    pub fn sharpe(&self) -> f64 {
        self.annual_return() / self.annual_volatility()
    }

    pub fn sortino(&self) -> f64 {
        let days = self.days.with_last();
        let deviation = (days.losses / days.count as f64).sqrt() * self.year_days().sqrt();
        self.annual_return() / deviation
    }

    pub fn calmar(&self) -> f64 {
        self.annual_return() / self.drawdowns.max
    }

    pub fn beta(&self) -> f64 {
        self.pairs.covariance / self.pairs.market_variance
    }
}

#[inline]
fn ln_ratio(new: f64, old: f64) -> f64 {
    // Most samples of an equity do not move, and a logarithm costs more than the rest.
    if new == old { 0.0 } else { (new / old).ln() }
}

impl Drawdowns {
    #[inline]
    fn add(&mut self, at_ns: i64, down: f64) {
        if down > 0.0 {
            self.is_down = true;
            self.deepest = self.deepest.max(down);
            self.max = self.max.max(down);
            return;
        }
        if self.is_down {
            self.end(at_ns);
        }
        self.since_ns = at_ns;
    }

    fn end(&mut self, at_ns: i64) {
        let lasted_ns = at_ns - self.since_ns;
        self.count += 1;
        self.sum += self.deepest;
        self.sum_ns += i128::from(lasted_ns);
        self.max_ns = self.max_ns.max(lasted_ns);
        self.deepest = 0.0;
        self.is_down = false;
    }

    /// With the fall that is still going on at the end.
    pub(crate) fn ended(mut self, last_ns: i64) -> Self {
        if self.is_down {
            self.end(last_ns);
        }
        self
    }

    pub fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    pub fn mean_ns(&self) -> i64 {
        if self.count == 0 { 0 } else { (self.sum_ns / i128::from(self.count)) as i64 }
    }
}

impl Days {
    #[inline]
    fn add(&mut self, day: i64, equity: f64) {
        if day != self.day {
            *self = self.with_last();
            self.day = day;
            self.before = self.last;
        }
        self.last = equity;
    }

    /// With the return of the day that is going on.
    fn with_last(self) -> Self {
        if self.before == 0.0 {
            return self;
        }
        let gained = self.last / self.before - 1.0;
        Self {
            count: self.count + 1,
            sum: self.sum + gained,
            squares: self.squares + gained * gained,
            losses: self.losses + gained.min(0.0).powi(2),
            logs: self.logs + (1.0 + gained).max(f64::MIN_POSITIVE).ln(),
            ..self
        }
    }
}

impl Pairs {
    #[inline]
    fn add(&mut self, equity: f64, market: f64) {
        self.count += 1;
        let n = self.count as f64;
        let from_equity = equity - self.mean_equity;
        let from_market = market - self.mean_market;
        self.mean_equity += from_equity / n;
        self.mean_market += from_market / n;
        self.covariance += from_equity * (market - self.mean_market);
        self.market_variance += from_market * (market - self.mean_market);
    }
}
