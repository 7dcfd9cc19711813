//! Intervals of candles, and the periods that each interval divides time into.
//!
//! Every time is in exactly one period of each interval. A time zone only moves the edges. All
//! times are in nanoseconds since 1970.

use std::fmt;

const NS_PER_SECOND: u64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
/// The first Monday since 1970: weeks begin on a Monday.
const FIRST_MONDAY: i64 = 4 * SECONDS_PER_DAY;

#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Interval {
    Second1,
    Minute1,
    Minute3,
    Minute5,
    Minute15,
    Minute30,
    Hour1,
    Hour2,
    Hour4,
    Hour6,
    Hour8,
    Hour12,
    Day1,
    /// Counted from the first day of 1970.
    Day3,
    /// From Monday.
    Week1,
    /// A month of the calendar.
    Month1,
}

/// Offset of a local clock from UTC.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct TimeZone {
    minutes: i16,
}

impl TimeZone {
    pub const UTC: Self = Self { minutes: 0 };
    pub const MINUTES_MIN: i16 = -12 * 60;
    pub const MINUTES_MAX: i16 = 14 * 60;

    /// `None` beyond 12 hours west and 14 hours east of UTC.
    pub const fn from_minutes(minutes: i16) -> Option<Self> {
        if Self::MINUTES_MIN <= minutes && minutes <= Self::MINUTES_MAX {
            Some(Self { minutes })
        } else {
            None
        }
    }

    pub const fn minutes(self) -> i16 {
        self.minutes
    }

    /// In seconds since 1970.
    fn local(self, time_ns: u64) -> i64 {
        let seconds = i64::try_from(time_ns / NS_PER_SECOND).expect("64 bits of ns are fewer s");
        seconds + i64::from(self.minutes) * 60
    }

    /// Times start at 1970.
    fn utc_ns(self, local: i64) -> u64 {
        let seconds = u64::try_from(local - i64::from(self.minutes) * 60).unwrap_or_default();
        seconds.saturating_mul(NS_PER_SECOND)
    }
}

impl Interval {
    pub const ALL: &[Self] = &[
        Self::Second1,
        Self::Minute1,
        Self::Minute3,
        Self::Minute5,
        Self::Minute15,
        Self::Minute30,
        Self::Hour1,
        Self::Hour2,
        Self::Hour4,
        Self::Hour6,
        Self::Hour8,
        Self::Hour12,
        Self::Day1,
        Self::Day3,
        Self::Week1,
        Self::Month1,
    ];

    /// The usual name in market data; a minute is `m` and a month `M`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Second1 => "1s",
            Self::Minute1 => "1m",
            Self::Minute3 => "3m",
            Self::Minute5 => "5m",
            Self::Minute15 => "15m",
            Self::Minute30 => "30m",
            Self::Hour1 => "1h",
            Self::Hour2 => "2h",
            Self::Hour4 => "4h",
            Self::Hour6 => "6h",
            Self::Hour8 => "8h",
            Self::Hour12 => "12h",
            Self::Day1 => "1d",
            Self::Day3 => "3d",
            Self::Week1 => "1w",
            Self::Month1 => "1M",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|interval| interval.name() == name)
    }

    /// Start of the period that contains this time.
    pub fn open_ns(self, zone: TimeZone, time_ns: u64) -> u64 {
        zone.utc_ns(self.open(zone.local(time_ns)))
    }

    /// End of the period that contains this time: the first nanosecond of the next one.
    pub fn end_ns(self, zone: TimeZone, time_ns: u64) -> u64 {
        let open = self.open(zone.local(time_ns));
        zone.utc_ns(match self.seconds() {
            Some(seconds) => open + seconds,
            None => next_month(open),
        })
    }

    /// `None` for intervals whose periods differ in length.
    const fn seconds(self) -> Option<i64> {
        Some(match self {
            Self::Second1 => 1,
            Self::Minute1 => 60,
            Self::Minute3 => 3 * 60,
            Self::Minute5 => 5 * 60,
            Self::Minute15 => 15 * 60,
            Self::Minute30 => 30 * 60,
            Self::Hour1 => 3_600,
            Self::Hour2 => 2 * 3_600,
            Self::Hour4 => 4 * 3_600,
            Self::Hour6 => 6 * 3_600,
            Self::Hour8 => 8 * 3_600,
            Self::Hour12 => 12 * 3_600,
            Self::Day1 => SECONDS_PER_DAY,
            Self::Day3 => 3 * SECONDS_PER_DAY,
            Self::Week1 => 7 * SECONDS_PER_DAY,
            Self::Month1 => return None,
        })
    }

    fn open(self, local: i64) -> i64 {
        let Some(seconds) = self.seconds() else { return month(local) };
        let first = if self == Self::Week1 { FIRST_MONDAY } else { 0 };
        local - (local - first).rem_euclid(seconds)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The first second of the month that contains this second.
fn month(local: i64) -> i64 {
    let day = local.div_euclid(SECONDS_PER_DAY);
    (day - day_of_month(day) + 1) * SECONDS_PER_DAY
}

/// The first second of the month after the one that begins here.
fn next_month(open: i64) -> i64 {
    // The longest month has 31 days, and no month is so short that this skips one.
    month(open + 31 * SECONDS_PER_DAY)
}

/// From 1, in the Gregorian calendar. Years count from March, so that a leap day is the last day of
/// its year.
fn day_of_month(day: i64) -> i64 {
    const DAYS_PER_400_YEARS: i64 = 146_097;
    const FROM_MARCH_OF_YEAR_0: i64 = 719_468;
    let day = (day + FROM_MARCH_OF_YEAR_0).rem_euclid(DAYS_PER_400_YEARS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    day_of_year - (153 * month + 2) / 5 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const NS_PER_MS: u64 = 1_000_000;
    /// 2024-02-29 13:47:21.5, a Thursday.
    const LEAP_DAY_MS: u64 = 1_709_214_441_500;

    fn zone(minutes: i16) -> TimeZone {
        TimeZone::from_minutes(minutes).unwrap()
    }

    #[track_caller]
    fn check(interval: &str, minutes: i16, open_ms: u64, end_ms: u64) {
        let interval = Interval::parse(interval).unwrap();
        let time_ns = LEAP_DAY_MS * NS_PER_MS;
        let (open_ns, end_ns) =
            (interval.open_ns(zone(minutes), time_ns), interval.end_ns(zone(minutes), time_ns));
        assert_eq!((open_ns / NS_PER_MS, end_ns / NS_PER_MS), (open_ms, end_ms), "{interval}");
    }

    #[test]
    fn each_interval_has_its_edges() {
        check("1s", 0, 1_709_214_441_000, 1_709_214_442_000);
        check("1m", 0, 1_709_214_420_000, 1_709_214_480_000);
        check("3m", 0, 1_709_214_300_000, 1_709_214_480_000);
        check("30m", 0, 1_709_213_400_000, 1_709_215_200_000);
        check("1h", 0, 1_709_211_600_000, 1_709_215_200_000);
        check("8h", 0, 1_709_193_600_000, 1_709_222_400_000);
        check("1d", 0, 1_709_164_800_000, 1_709_251_200_000); // 29 February
        check("3d", 0, 1_709_164_800_000, 1_709_424_000_000); // day 19,782 is a multiple of three
        check("1w", 0, 1_708_905_600_000, 1_709_510_400_000); // Monday 26
        check("1M", 0, 1_706_745_600_000, 1_709_251_200_000); // 1 February to 1 March
    }

    #[test]
    fn a_time_zone_moves_the_edges_and_nothing_else() {
        check("1m", 345, 1_709_214_420_000, 1_709_214_480_000);
        check("1h", 345, 1_709_212_500_000, 1_709_216_100_000); // 13:15 UTC is 19:00 at +05:45
        check("1d", 480, 1_709_136_000_000, 1_709_222_400_000);
        check("1d", 660, 1_709_211_600_000, 1_709_298_000_000); // there it is 1 March already
        check("1M", 660, 1_709_211_600_000, 1_711_890_000_000);
        check("1d", -720, 1_709_208_000_000, 1_709_294_400_000);
        for minutes in [-721, 841] {
            assert_eq!(TimeZone::from_minutes(minutes), None);
        }
    }

    #[test]
    fn periods_follow_each_other_without_gap_or_overlap() {
        for interval in Interval::ALL {
            for minutes in [-720, -60, 0, 345, 480, 840] {
                let mut open_ns = interval.open_ns(zone(minutes), LEAP_DAY_MS * NS_PER_MS);
                for _ in 0..500 {
                    let end_ns = interval.end_ns(zone(minutes), open_ns);
                    assert!(end_ns > open_ns, "{interval}");
                    assert_eq!(interval.open_ns(zone(minutes), end_ns), end_ns, "{interval}");
                    assert_eq!(interval.open_ns(zone(minutes), end_ns - 1), open_ns, "{interval}");
                    open_ns = end_ns;
                }
            }
        }
    }

    #[test]
    fn the_first_and_the_last_times_have_periods() {
        for interval in Interval::ALL {
            for minutes in [-720, 0, 840] {
                assert!(interval.open_ns(zone(minutes), 0) == 0, "{interval}");
                assert!(interval.end_ns(zone(minutes), 0) > 0, "{interval}");
                assert!(interval.open_ns(zone(minutes), u64::MAX) > 0, "{interval}");
                assert!(interval.end_ns(zone(minutes), u64::MAX) > 0, "{interval}");
            }
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for interval in Interval::ALL {
            assert_eq!(Interval::parse(interval.name()), Some(*interval));
        }
        for name in ["", "1", "1D", "2d", "60m", "1s "] {
            assert_eq!(Interval::parse(name), None, "{name:?}");
        }
    }
}
