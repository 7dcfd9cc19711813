//! Times on the wire: milliseconds or microseconds since 1970, where the venue counts nanoseconds.

use crate::signed::ApiError;

/// The unit in which a client wants its answers.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum TimeUnit {
    #[default]
    Millisecond,
    Microsecond,
}

impl TimeUnit {
    /// From the header `X-MBX-TIME-UNIT` of a request, or the parameter `timeUnit` of a stream.
    pub fn parse(text: Option<&str>) -> Result<Self, ApiError> {
        match text {
            None | Some("MILLISECOND" | "millisecond") => Ok(Self::Millisecond),
            Some("MICROSECOND" | "microsecond") => Ok(Self::Microsecond),
            Some(_) => Err(ApiError::invalid_time_unit()),
        }
    }

    pub const fn time(self, ns: u64) -> u64 {
        match self {
            Self::Millisecond => ns / NS_PER_MS,
            Self::Microsecond => ns / NS_PER_US,
        }
    }
}

pub(crate) const NS_PER_MS: u64 = 1_000_000;
pub(crate) const NS_PER_US: u64 = 1_000;

/// A client's time is in milliseconds up to this value (the year 5138), and above it in
/// microseconds (from the year 1973 on).
const MS_MAX: u64 = 100_000_000_000_000;

/// The first and the last nanosecond that a client means by a time in either unit; `None` when it
/// is out of range.
pub(crate) fn span_ns(time: u64) -> Option<(u64, u64)> {
    let unit_ns = if time <= MS_MAX { NS_PER_MS } else { NS_PER_US };
    let first = time.checked_mul(unit_ns)?;
    Some((first, first.checked_add(unit_ns - 1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_milliseconds_or_microseconds() {
        let ms = (1_499_827_319_559_000_000, 1_499_827_319_559_999_999);
        assert_eq!(span_ns(1_499_827_319_559), Some(ms));
        let us = (1_499_827_319_559_123_000, 1_499_827_319_559_123_999);
        assert_eq!(span_ns(1_499_827_319_559_123), Some(us));
        assert_eq!(span_ns(u64::MAX), None);
    }

    #[test]
    fn the_unit_is_chosen_by_header() {
        assert_eq!(TimeUnit::parse(None), Ok(TimeUnit::Millisecond));
        assert_eq!(TimeUnit::parse(Some("microsecond")), Ok(TimeUnit::Microsecond));
        assert_eq!(TimeUnit::parse(Some("hour")).unwrap_err().code, -1194);
        assert_eq!(TimeUnit::Millisecond.time(1_999_999), 1);
        assert_eq!(TimeUnit::Microsecond.time(1_999_999), 1_999);
    }
}
