//! What streams are called.

use std::fmt;

use types::{Interval, Symbol, TimeZone};

use super::STREAMS_MAX;

/// What a client can listen to.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Stream {
    /// `None` for a stream of all markets.
    pub symbol: Option<Symbol>,
    pub kind: StreamKind,
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum StreamKind {
    Trade,
    AggTrade,
    BookTicker,
    /// Changes of the book.
    Depth(Speed),
    /// The best levels of the book: 5, 10 or 20.
    PartialDepth(u8, Speed),
    /// The current candle, in UTC or at +08:00.
    Kline(Interval, TimeZone),
    /// Statistics over the last 24 hours.
    Ticker,
    MiniTicker,
    RollingTicker(RollingWindow),
    AvgPrice,
    /// The result that an auction would have, and the one that it had.
    Auction,
    /// Status, phase and rules of all markets.
    Status,
}

/// How often a stream is sent.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Speed {
    Ms2000,
    Ms1000,
    Ms100,
    Ms20,
}

impl Speed {
    pub const fn interval_ms(self) -> u64 {
        match self {
            Self::Ms2000 => 2000,
            Self::Ms1000 => 1000,
            Self::Ms100 => 100,
            Self::Ms20 => 20,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum RollingWindow {
    Hour1,
    Hour4,
    Day1,
}

impl RollingWindow {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hour1 => "1h",
            Self::Hour4 => "4h",
            Self::Day1 => "1d",
        }
    }

    pub const fn hours(self) -> u64 {
        match self {
            Self::Hour1 => 1,
            Self::Hour4 => 4,
            Self::Day1 => 24,
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::Hour1, Self::Hour4, Self::Day1].into_iter().find(|window| window.name() == name)
    }
}

/// The one time zone beside UTC that has streams.
const PLUS_8_NAME: &str = "+08:00";
const PLUS_8_MINUTES: i16 = 8 * 60;

impl Stream {
    /// `None` unless it is a symbol in lower case, an `@`, and a stream that exists.
    pub fn parse(name: &str) -> Option<Self> {
        if let Some(of_all) = name.strip_prefix('!') {
            let kind = match of_all.strip_suffix("@arr")? {
                "status" => StreamKind::Status,
                of_all => statistics(of_all)?,
            };
            return Some(Self { symbol: None, kind });
        }
        let (symbol, kind) = name.split_once('@')?;
        if symbol.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        let symbol = Symbol::parse(&symbol.to_ascii_uppercase())?;
        let kind = match kind {
            "trade" => StreamKind::Trade,
            "aggTrade" => StreamKind::AggTrade,
            "bookTicker" => StreamKind::BookTicker,
            "avgPrice" => StreamKind::AvgPrice,
            "auction" => StreamKind::Auction,
            _ => match (kind.strip_prefix("depth"), kind.strip_prefix("kline_")) {
                (Some(text), _) => depth(text)?,
                (_, Some(text)) => kline(text)?,
                _ => statistics(kind)?,
            },
        };
        Some(Self { symbol: Some(symbol), kind })
    }

    /// The streams that a connection begins with: `a/b/c` from its path or query. An error is the
    /// name that is none, or the last one of too many.
    pub fn parse_list(names: &str) -> Result<Vec<Self>, String> {
        let mut streams = Vec::new();
        for name in names.split('/').filter(|name| !name.is_empty()) {
            let stream = Self::parse(name).filter(|_| streams.len() < STREAMS_MAX);
            streams.push(stream.ok_or_else(|| name.to_owned())?);
        }
        Ok(streams)
    }
}

/// What follows `depth`: levels, speed, both or nothing.
fn depth(text: &str) -> Option<StreamKind> {
    let (levels, speed) = match text.split_once('@') {
        None => (text, Speed::Ms1000),
        Some((levels, "20ms")) => (levels, Speed::Ms20),
        Some((levels, "100ms")) => (levels, Speed::Ms100),
        Some((levels, "1000ms")) => (levels, Speed::Ms1000),
        Some(_) => return None,
    };
    match levels {
        "" => Some(StreamKind::Depth(speed)),
        "5" => Some(StreamKind::PartialDepth(5, speed)),
        "10" => Some(StreamKind::PartialDepth(10, speed)),
        "20" => Some(StreamKind::PartialDepth(20, speed)),
        _ => None,
    }
}

/// What follows `kline_`: an interval, perhaps with a time zone.
fn kline(text: &str) -> Option<StreamKind> {
    let (interval, zone) = match text.split_once('@') {
        None => (text, TimeZone::UTC),
        Some((interval, PLUS_8_NAME)) => (interval, TimeZone::from_minutes(PLUS_8_MINUTES)?),
        Some(_) => return None,
    };
    Some(StreamKind::Kline(Interval::parse(interval)?, zone))
}

/// What there is of one market and of all.
fn statistics(text: &str) -> Option<StreamKind> {
    match text {
        "ticker" => Some(StreamKind::Ticker),
        "miniTicker" => Some(StreamKind::MiniTicker),
        _ => RollingWindow::parse(text.strip_prefix("ticker_")?).map(StreamKind::RollingTicker),
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.symbol {
            Some(symbol) => write!(f, "{}@{}", symbol.as_str().to_ascii_lowercase(), self.kind),
            None => write!(f, "!{}@arr", self.kind),
        }
    }
}

impl StreamKind {
    /// The stream's word, without speed, levels, interval and window.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Trade => "trade",
            Self::AggTrade => "aggTrade",
            Self::BookTicker => "bookTicker",
            Self::Depth(_) | Self::PartialDepth(..) => "depth",
            Self::Kline(..) => "kline",
            Self::Ticker | Self::RollingTicker(_) => "ticker",
            Self::MiniTicker => "miniTicker",
            Self::AvgPrice => "avgPrice",
            Self::Auction => "auction",
            Self::Status => "status",
        }
    }
}

impl fmt::Display for StreamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speed = |speed| match speed {
            Speed::Ms20 => "@20ms",
            Speed::Ms100 => "@100ms",
            Speed::Ms1000 | Speed::Ms2000 => "",
        };
        f.write_str(self.word())?;
        match self {
            Self::Depth(at) => f.write_str(speed(*at)),
            Self::PartialDepth(levels, at) => write!(f, "{levels}{}", speed(*at)),
            Self::Kline(interval, zone) => {
                let zone = if *zone == TimeZone::UTC { "" } else { "@+08:00" };
                write!(f, "_{interval}{zone}")
            }
            Self::RollingTicker(window) => write!(f, "_{}", window.name()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_have_names() {
        use Speed::{Ms20, Ms100, Ms1000};
        let plus_8 = TimeZone::from_minutes(480).unwrap();
        for (name, kind) in [
            ("btcusdt@trade", StreamKind::Trade),
            ("btcusdt@aggTrade", StreamKind::AggTrade),
            ("btcusdt@bookTicker", StreamKind::BookTicker),
            ("btcusdt@depth", StreamKind::Depth(Ms1000)),
            ("btcusdt@depth@100ms", StreamKind::Depth(Ms100)),
            ("btcusdt@depth@20ms", StreamKind::Depth(Ms20)),
            ("btcusdt@depth10@20ms", StreamKind::PartialDepth(10, Ms20)),
            ("btcusdt@depth5", StreamKind::PartialDepth(5, Ms1000)),
            ("btcusdt@depth20@100ms", StreamKind::PartialDepth(20, Ms100)),
            ("btcusdt@kline_1m", StreamKind::Kline(Interval::Minute1, TimeZone::UTC)),
            ("btcusdt@kline_1M", StreamKind::Kline(Interval::Month1, TimeZone::UTC)),
            ("btcusdt@kline_1d@+08:00", StreamKind::Kline(Interval::Day1, plus_8)),
            ("btcusdt@ticker", StreamKind::Ticker),
            ("btcusdt@ticker_4h", StreamKind::RollingTicker(RollingWindow::Hour4)),
            ("btcusdt@miniTicker", StreamKind::MiniTicker),
            ("btcusdt@avgPrice", StreamKind::AvgPrice),
            ("btcusdt@auction", StreamKind::Auction),
        ] {
            let stream = Stream::parse(name).unwrap();
            let symbol = stream.symbol.map(|symbol| symbol.to_string());
            assert_eq!((symbol.as_deref(), stream.kind), (Some("BTCUSDT"), kind));
            assert_eq!(stream.to_string(), name);
        }
        for (name, kind) in [
            ("!ticker@arr", StreamKind::Ticker),
            ("!miniTicker@arr", StreamKind::MiniTicker),
            ("!status@arr", StreamKind::Status),
            ("!ticker_1h@arr", StreamKind::RollingTicker(RollingWindow::Hour1)),
        ] {
            assert_eq!(Stream::parse(name), Some(Stream { symbol: None, kind }));
            assert_eq!(Stream { symbol: None, kind }.to_string(), name);
        }
        for name in [
            "",
            "@",
            "!",
            "!@arr",
            "!ticker",
            "!trade@arr",
            "btcusdt@status",
            "btcusdt",
            "btcusdt@",
            "BTCUSDT@trade",
            "btcusdt@Trade",
            "btcusdt@depth6",
            "btcusdt@depth@5ms",
            "btcusdt@depth@100ms@",
            "btcusdt@kline_",
            "btcusdt@kline_2m",
            "btcusdt@kline_1d@+09:00",
            "btcusdt@ticker_2h",
            "btcusdt@ticker@arr",
            "btc usdt@trade",
            "@trade",
            "ｂ@trade",
        ] {
            assert_eq!(Stream::parse(name), None, "{name:?}");
        }
        let list = Stream::parse_list("btcusdt@trade/ethbtc@depth").unwrap();
        assert_eq!(list.len(), 2);
        assert_eq!(Stream::parse_list("btcusdt@trade/x"), Err("x".to_owned()));
        let many = "btcusdt@trade/".repeat(STREAMS_MAX + 1);
        assert_eq!(Stream::parse_list(&many), Err("btcusdt@trade".to_owned()));
    }
}
