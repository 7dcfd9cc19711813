//! Dates and times of recordings.

const NS_PER_SECOND: i64 = 1_000_000_000;
const NS_PER_HOUR: i64 = 3_600 * NS_PER_SECOND;
const NS_PER_DAY: i64 = 24 * NS_PER_HOUR;

/// A day of the calendar.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Day {
    year: i32,
    month: u8,
    day: u8,
}

impl Day {
    /// The day with which time since midnight counts if no day is known.
    pub const EPOCH: Self = Self { year: 1970, month: 1, day: 1 };

    /// `None` unless it is a day from 1900 to 2199.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let is_day = (1900..2200).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_in_month(year, month)).contains(&day);
        is_day.then_some(Self { year, month, day })
    }

    /// `2024-08-08` or `20240808`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_bytes(text.as_bytes())
    }

    fn parse_bytes(text: &[u8]) -> Option<Self> {
        let (year, month, day) = match text {
            [year @ .., b'-', a, b, b'-', c, d] | [year @ .., a, b, c, d] => {
                (year, [*a, *b], [*c, *d])
            }
            _ => return None,
        };
        if year.len() != 4 {
            return None;
        }
        Self::new(digits(year)? as i32, digits(&month)? as u8, digits(&day)? as u8)
    }

    /// The first day in a file's name, and the bytes of the name that it takes.
    pub(crate) fn find(name: &str) -> Option<(Self, std::ops::Range<usize>)> {
        let is_digit = |at: usize| name.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        (0..name.len()).find_map(|at| {
            if at > 0 && is_digit(at - 1) {
                return None;
            }
            [10, 8].into_iter().find_map(|length| {
                let range = at..at + length;
                let day = Self::parse(name.get(range.clone())?)?;
                (!is_digit(range.end)).then_some((day, range))
            })
        })
    }

    /// Days since 1970-01-01. Years begin in March here, so that a leap day is a year's last.
    fn since_epoch(self) -> i64 {
        let year = i64::from(self.year) - i64::from(self.month < 3);
        let month = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year
            - 719_468
    }

    /// Its begin in UTC, in nanoseconds since 1970.
    pub fn midnight_ns(self) -> i64 {
        self.since_epoch() * NS_PER_DAY
    }

    /// Its begin in New York, whose clocks are ahead from the second Sunday of March to the first
    /// one of November since 2007, and from April to October before. The hours until two o'clock
    /// of those Sundays are one hour off; no market is open then.
    pub(crate) fn new_york_midnight_ns(self) -> i64 {
        let sunday = |month: u8, from: u8| {
            let first = Self { month, day: from, ..self }.since_epoch();
            first + (3 - first).rem_euclid(7) // 1970-01-04 was a Sunday.
        };
        let (begin, end) = if self.year >= 2007 {
            (sunday(3, 8), sunday(11, 1))
        } else {
            (sunday(4, 1), sunday(10, 25))
        };
        let is_summer = (begin..end).contains(&self.since_epoch());
        self.midnight_ns() + if is_summer { 4 } else { 5 } * NS_PER_HOUR
    }
}

fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Parses a time as data vendors write it: digits since 1970 in seconds, milliseconds,
/// microseconds or nanoseconds, which their number decides; or `2021-12-31 23:01:00.000000`, with a
/// `T`, a `Z` or an offset, or a date alone. Without an offset it is UTC.
pub(crate) fn parse_time(text: &[u8]) -> Option<i64> {
    if text.len() > 10 && text[4] == b'-' || text.len() == 10 && text[7] == b'-' {
        return parse_calendar(text);
    }
    if text.len() == 8 {
        return Day::parse_bytes(text).map(Day::midnight_ns);
    }
    let (whole, fraction) = match text.iter().position(|&byte| byte == b'.') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &[][..]),
    };
    let number = digits(whole)?;
    let unit_ns = match whole.len() {
        ..=11 => NS_PER_SECOND,
        12..=14 => 1_000_000,
        15..=17 => 1_000,
        _ => 1,
    };
    number.checked_mul(unit_ns)?.checked_add(fraction_of(fraction, unit_ns)?)
}

/// Nanoseconds since 1970 of a time in any of the spellings that tables may have.
pub fn time_ns(text: &str) -> Option<i64> {
    parse_time(text.as_bytes())
}

/// Likewise, for digits since 1970 in a stated unit, however many they are.
pub(crate) fn parse_time_in(text: &[u8], unit_ns: i64) -> Option<i64> {
    let (whole, fraction) = match text.iter().position(|&byte| byte == b'.') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &[][..]),
    };
    match digits(whole) {
        Some(number) => number.checked_mul(unit_ns)?.checked_add(fraction_of(fraction, unit_ns)?),
        None => parse_calendar(text),
    }
}

fn parse_calendar(text: &[u8]) -> Option<i64> {
    let midnight = Day::parse_bytes(text.get(..10)?)?.midnight_ns();
    let Some(rest) = text.get(11..).filter(|rest| !rest.is_empty()) else {
        return (text.len() == 10).then_some(midnight);
    };
    if !matches!(text[10], b' ' | b'T') {
        return None;
    }
    let zone = rest.iter().position(|byte| matches!(byte, b'Z' | b'+' | b'-'));
    let (clock, zone) = rest.split_at(zone.unwrap_or(rest.len()));
    let clock = clock.trim_ascii_end();
    let two = |at: usize| digits(clock.get(at..at + 2)?);
    let colon = |at: usize| (clock.get(at) == Some(&b':')).then_some(());
    colon(2)?;
    let mut ns = two(0)? * NS_PER_HOUR + two(3)? * 60 * NS_PER_SECOND;
    if clock.len() > 5 {
        colon(5)?;
        ns += two(6)? * NS_PER_SECOND;
    }
    if clock.len() > 8 {
        let fraction = clock.get(9..).filter(|_| clock[8] == b'.')?;
        ns += fraction_of(fraction, NS_PER_SECOND)?;
    }
    Some(midnight + ns - parse_zone(zone)?)
}

/// `Z`, `+01:00` or `+0100`.
fn parse_zone(zone: &[u8]) -> Option<i64> {
    let (sign, hours, minutes) = match zone {
        [] | b"Z" => return Some(0),
        [sign, hours @ .., b':', a, b] => (sign, hours, [*a, *b]),
        [sign, hours @ .., a, b] if hours.len() == 2 => (sign, hours, [*a, *b]),
        _ => return None,
    };
    let ns = digits(hours)? * NS_PER_HOUR + digits(&minutes)? * 60 * NS_PER_SECOND;
    match sign {
        b'+' => Some(ns),
        b'-' => Some(-ns),
        _ => None,
    }
}

fn digits(text: &[u8]) -> Option<i64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_i64, |number, &byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(i64::from(digit))
    })
}

/// Digits after the point, as part of a unit; beyond nanoseconds they must be zero.
fn fraction_of(fraction: &[u8], unit_ns: i64) -> Option<i64> {
    let (mut ns, mut place) = (0, unit_ns);
    for &byte in fraction {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 || digit > 0 && place < 10 {
            return None;
        }
        place /= 10;
        ns += i64::from(digit) * place;
    }
    Some(ns)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<i64>) {
        assert_eq!(parse_time(text.as_bytes()), expect, "{text:?}");
    }

    #[test]
    fn times_are_parsed_in_the_usual_spellings() {
        let seconds = 1_640_991_660;
        let ns = Some(seconds * NS_PER_SECOND);
        for text in [
            "2021-12-31 23:01:00.000000",
            "2021-12-31T23:01:00Z",
            "2021-12-31 23:01",
            "2022-01-01 00:01:00+01:00",
            "2021-12-31T18:01:00-0500",
            "1640991660",
            "1640991660.0",
            "1640991660000",
            "1640991660000000",
            "1640991660000000000",
        ] {
            check(text, ns);
        }
        check("2021-12-31 23:01:00.000000001", ns.map(|ns| ns + 1));
        check("1640991660.25", ns.map(|ns| ns + NS_PER_SECOND / 4));
        check("2004-08-19", Some(1_092_873_600 * NS_PER_SECOND));
        check("20040819", Some(1_092_873_600 * NS_PER_SECOND));
        for text in ["", "x", "2021-13-01", "2021-02-29", "2021-12-31x23:01", "-5", "noon"] {
            check(text, None);
        }
        check("2021-12-31 23:01:00.0000000001", None);
    }

    #[test]
    fn a_stated_unit_counts_whatever_the_number_of_digits() {
        let check = |text: &str, unit_ns, expect| {
            assert_eq!(parse_time_in(text.as_bytes(), unit_ns), expect, "{text:?}");
        };
        check("5", 1, Some(5));
        check("1640991660", 1, Some(1_640_991_660));
        check("20040819", 1_000_000, Some(20_040_819_000_000));
        check("1640991660000.25", 1_000_000, Some(1_640_991_660_000_250_000));
        check("1970-01-01 00:00:00.000000007", 1_000, Some(7));
        check("0.1", 1, None);
        check("", 1, None);
        check("-5", 1, None);
        check("99999999999999999999", 1, None);
    }

    #[test]
    fn midnight_in_new_york_follows_its_summer() {
        let hour = |text: &str| {
            let day = Day::parse(text).unwrap();
            (day.new_york_midnight_ns() - day.midnight_ns()) / NS_PER_HOUR
        };
        let cases = ["2012-06-21", "2013-10-08", "2024-03-08", "2024-03-11", "2024-11-04"];
        assert_eq!(cases.map(hour), [4, 4, 5, 4, 5]);
        assert_eq!(["2006-03-20", "2006-04-03", "2006-10-30"].map(hour), [5, 4, 5]);
    }

    #[test]
    fn a_day_is_found_in_a_name() {
        fn find(name: &str) -> Option<(Day, &str)> {
            Day::find(name).map(|(day, range)| (day, &name[range]))
        }
        let day = Day::new(2012, 6, 21).unwrap();
        assert_eq!(find("lobster_AAPL_2012-06-21_message.csv"), Some((day, "2012-06-21")));
        assert_eq!(find("20120621_spy_Trade_Tick.csv"), Some((day, "20120621")));
        assert_eq!(find("a_99999999_b"), None);
        assert_eq!(find("ä2012"), None);
    }

    proptest! {
        #[test]
        fn days_count_up(year in 1970_i32..2199, month in 1_u8..=12, day in 1_u8..=28) {
            let this = Day::new(year, month, day).unwrap();
            let text = format!("{year:04}-{month:02}-{day:02}");
            prop_assert_eq!(Day::parse(&text), Some(this));
            if let Some(next) = Day::new(year, month, day + 1) {
                prop_assert_eq!(next.since_epoch(), this.since_epoch() + 1);
            }
            let month_next = Day::new(year + i32::from(month == 12), month % 12 + 1, 1).unwrap();
            let last = Day { day: days_in_month(year, month), ..this };
            prop_assert_eq!(month_next.since_epoch(), last.since_epoch() + 1);
        }

        #[test]
        fn arbitrary_text_never_panics(text in ".{0,40}", near in "[-0-9:. TZ+]{0,32}") {
            let _ = (parse_time(text.as_bytes()), parse_time(near.as_bytes()));
            let _ = (parse_time_in(text.as_bytes(), 1_000), parse_time_in(near.as_bytes(), 1));
            let _ = (Day::find(&text), Day::find(&near));
        }
    }
}
