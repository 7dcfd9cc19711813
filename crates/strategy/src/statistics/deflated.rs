//! The deflated Sharpe ratio: the probability that the best of many tries is better than luck.
//!
//! Bailey and López de Prado, "The Deflated Sharpe Ratio" (2014), equations 1 and 2.

/// Moments of the returns of one run, not annualised.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    pub count: u64,
    mean: f64,
    second: f64,
    third: f64,
    fourth: f64,
}

const EULER: f64 = 0.577_215_664_901_532_9;

impl Moments {
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut moments = Self::default();
        values.for_each(|value| moments.add(value));
        moments
    }

    /// Adds a value, by Pébay's update of central moments.
    pub fn add(&mut self, value: f64) {
        let before = self.count as f64;
        self.count += 1;
        let n = self.count as f64;
        let delta = value - self.mean;
        let step = delta / n;
        let square = step * step;
        let term = delta * step * before;
        self.mean += step;
        self.fourth += term * square * (n * n - 3.0 * n + 3.0) + 6.0 * square * self.second
            - 4.0 * step * self.third;
        self.third += term * step * (n - 2.0) - 3.0 * step * self.second;
        self.second += term;
    }

    /// Count, mean, and the sums of the second to fourth powers of the distance from it.
    pub fn parts(&self) -> [f64; 5] {
        [self.count as f64, self.mean, self.second, self.third, self.fourth]
    }

    /// The inverse of [`Moments::parts`].
    pub fn from_parts([count, mean, second, third, fourth]: [f64; 5]) -> Self {
        Self { count: count as u64, mean, second, third, fourth }
    }

    /// Mean over standard deviation; zero where nothing varies.
    pub fn sharpe(&self) -> f64 {
        let deviation = (self.second / (self.count.max(2) - 1) as f64).sqrt();
        if deviation == 0.0 { 0.0 } else { self.mean / deviation }
    }

    fn skewness(&self) -> f64 {
        if self.second == 0.0 {
            return 0.0;
        }
        (self.count as f64).sqrt() * self.third / self.second.powf(1.5)
    }

    fn kurtosis(&self) -> f64 {
        if self.second == 0.0 { 3.0 } else { self.count as f64 * self.fourth / self.second.powi(2) }
    }
}

/// The probability that the best of `tried` runs has a true Sharpe ratio above zero, given the
/// variance of the ratios of all of them.
pub fn deflated_sharpe(best: &Moments, variance: f64, tried: u64) -> f64 {
    let expected = if tried < 2 {
        0.0
    } else {
        let n = tried as f64;
        let high = normal_quantile(1.0 - 1.0 / n);
        let higher = normal_quantile(1.0 - 1.0 / (n * std::f64::consts::E));
        variance.sqrt() * ((1.0 - EULER) * high + EULER * higher)
    };
    let sharpe = best.sharpe();
    let spread = 1.0 - best.skewness() * sharpe + (best.kurtosis() - 1.0) / 4.0 * sharpe * sharpe;
    let score = (sharpe - expected) * (best.count.max(2) as f64 - 1.0).sqrt()
        / spread.max(f64::MIN_POSITIVE).sqrt();
    normal(score)
}

/// The standard normal distribution, by Abramowitz and Stegun 7.1.26: exact to 1.5e-7.
fn normal(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * (x.abs() / std::f64::consts::SQRT_2));
    let series = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let sum = series.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    let error = 1.0 - sum * (-x * x / 2.0).exp();
    if x < 0.0 { (1.0 - error) / 2.0 } else { f64::midpoint(1.0, error) }
}

/// The inverse of [`normal`], by bisection: called twice a sweep.
fn normal_quantile(part: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if normal(middle) < part { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_definition() {
        let values = [0.1, -0.2, 0.3, 0.05, 0.0, 0.4];
        let moments = Moments::of(values.into_iter());
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let central = |power| values.iter().map(|value| (value - mean).powi(power)).sum::<f64>();
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12);
        close(moments.sharpe(), mean / (central(2) / (n - 1.0)).sqrt());
        close(moments.skewness(), central(3) / n / (central(2) / n).powf(1.5));
        close(moments.kurtosis(), central(4) / n / (central(2) / n).powi(2));
    }

    #[test]
    fn the_normal_distribution_has_its_known_values() {
        for (x, expected) in [(0.0, 0.5), (1.0, 0.841_344_7), (-1.96, 0.024_997_9)] {
            assert!((normal(x) - expected).abs() < 1e-6, "{x}");
            assert!((normal_quantile(expected) - x).abs() < 1e-5, "{x}");
        }
    }

    #[test]
    fn more_tries_make_the_same_result_less_likely() {
        let best = Moments::of((0..250).map(|at| if at % 5 < 3 { 0.011 } else { -0.01 }));
        let few = deflated_sharpe(&best, 0.01, 2);
        let many = deflated_sharpe(&best, 0.01, 1_000);
        assert!(few > many && many > 0.0 && few < 1.0, "{few} {many}");
    }
}
