//! Public queries about the past: trades, candles, statistics.

use types::{Interval, Market, Markets, TimeZone, TradeId};

use super::market::{Selection, has_status, listed, symbol_status};
use super::{RESULTS_DEFAULT, RESULTS_MAX, Times};
use crate::signed::{ApiError, Params};

/// The most symbols that one request for statistics may list.
const STATISTICS_SYMBOLS_MAX: usize = 100;

requests! {
    /// `GET /api/v3/historicalTrades`
    HistoricalTradesRequest(params, markets) {
        market: Market = params.market(markets)?,
        limit: usize = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?,
        from_id: Option<TradeId> = params.integer("fromId")?.map(TradeId),
    }

    /// `GET /api/v3/aggTrades`: from an id on, or within the times, else the latest.
    AggTradesRequest(params, markets) {
        market: Market = params.market(markets)?,
        from_id: Option<TradeId> = params.integer("fromId")?.map(TradeId),
        times: Times = Times::take(&mut params)?,
        limit: usize = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?,
    } => {
        if from_id.is_some() && times.any() {
            return Err(ApiError::bad_combination());
        }
    }

    /// `GET /api/v3/klines` and `GET /api/v3/uiKlines`
    KlinesRequest(params, markets) {
        market: Market = params.market(markets)?,
        interval: Interval =
            params.mandatory_choice_or("interval", &intervals(), ApiError::invalid_interval)?,
        times: Times = Times::take(&mut params)?,
        zone: TimeZone = time_zone(&mut params)?,
        limit: usize = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?,
    }

    /// `GET /api/v3/avgPrice`
    AvgPriceRequest(params, markets) {
        market: Market = params.market(markets)?,
    }
}

fn intervals() -> [(&'static str, Interval); Interval::ALL.len()] {
    std::array::from_fn(|index| (Interval::ALL[index].name(), Interval::ALL[index]))
}

/// How much the answer has of each market.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum TickerType {
    #[default]
    Full,
    Mini,
}

/// `GET /api/v3/ticker/24hr`
#[derive(Clone, Debug)]
pub struct DayTickerRequest {
    pub selection: Selection,
    pub ticker_type: TickerType,
}

impl DayTickerRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let ticker_type = ticker_type(&mut params)?;
        let selection = super::TickerRequest::parse(params, markets)?.selection;
        Ok(Self { selection, ticker_type })
    }
}

/// `GET /api/v3/ticker/tradingDay`
#[derive(Clone, Debug)]
pub struct TradingDayRequest {
    pub selection: Selection,
    pub zone: TimeZone,
    pub ticker_type: TickerType,
}

impl TradingDayRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let (zone, ticker_type) = (time_zone(&mut params)?, ticker_type(&mut params)?);
        let selection = named_markets(params, markets)?;
        Ok(Self { selection, zone, ticker_type })
    }
}

/// `GET /api/v3/ticker`
#[derive(Clone, Debug)]
pub struct WindowTickerRequest {
    pub selection: Selection,
    pub window_minutes: u64,
    pub ticker_type: TickerType,
}

impl WindowTickerRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let window = params.text("windowSize")?;
        let window_minutes = window.map_or(Some(24 * 60), |text| parse_window(&text));
        let window_minutes =
            window_minutes.ok_or_else(|| ApiError::invalid_parameter("windowSize"))?;
        let ticker_type = ticker_type(&mut params)?;
        let selection = named_markets(params, markets)?;
        Ok(Self { selection, window_minutes, ticker_type })
    }
}

/// `1m` to `59m`, `1h` to `23h`, `1d` to `7d`.
fn parse_window(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let number = parse_digits(number, 2)?;
    let (most, minutes) = match unit {
        "m" => (59, 1),
        "h" => (23, 60),
        "d" => (7, 24 * 60),
        _ => return None,
    };
    (1..=most).contains(&number).then_some(number * minutes)
}

/// One symbol or some, never all.
fn named_markets(mut params: Params, markets: Markets<'_>) -> Result<Selection, ApiError> {
    let market = params.optional_market(markets)?;
    let symbols = params.texts("symbols", crate::signed::params::legal::SYMBOLS)?;
    let status = symbol_status(&mut params)?;
    params.finish()?;
    match (market, symbols) {
        (None, None) => Err(ApiError::either_mandatory("symbol", "symbols")),
        (Some(_), Some(_)) => Err(ApiError::bad_combination()),
        (Some(market), None) if has_status(&market, status) => Ok(Selection::One(market)),
        (Some(_), None) => Err(ApiError::symbol_status_mismatch()),
        (None, Some(symbols)) => {
            let mut found = listed(&symbols, STATISTICS_SYMBOLS_MAX, markets)?;
            found.retain(|market| has_status(market, status));
            Ok(Selection::Listed(found))
        }
    }
}

fn ticker_type(params: &mut Params) -> Result<TickerType, ApiError> {
    let types = [("FULL", TickerType::Full), ("MINI", TickerType::Mini)];
    let found = params.choice_or("type", &types, ApiError::invalid_ticker_type)?;
    Ok(found.unwrap_or_default())
}

fn time_zone(params: &mut Params) -> Result<TimeZone, ApiError> {
    let Some(text) = params.text("timeZone")? else { return Ok(TimeZone::UTC) };
    parse_time_zone(&text).ok_or_else(|| ApiError::invalid_parameter("timeZone"))
}

/// Hours, or hours and minutes: `8`, `-1:00`, `05:45`.
fn parse_time_zone(text: &str) -> Option<TimeZone> {
    let (sign, text) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let (hours, minutes) = match text.split_once(':') {
        None => (text, 0),
        Some((hours, minutes)) if minutes.len() == 2 => (hours, parse_digits(minutes, 2)?),
        Some(_) => return None,
    };
    let minutes = (minutes < 60).then(|| parse_digits(hours, 2))?? * 60 + minutes;
    TimeZone::from_minutes(sign * i16::try_from(minutes).ok()?)
}

fn parse_digits(text: &str, len_max: usize) -> Option<u64> {
    let is_number = text.len() <= len_max && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::binance::testing::{markets, query};

    #[test]
    fn klines_have_an_interval_and_a_time_zone() {
        let parse =
            |text: &str| KlinesRequest::parse(query(&format!("symbol=BTCUSDT&{text}")), &markets);
        let request = parse("interval=1M&timeZone=-1:30&startTime=1000&limit=5000").unwrap();
        assert_eq!((request.interval, request.zone.minutes()), (Interval::Month1, -90));
        assert_eq!((request.times.start_ns, request.limit), (Some(1_000_000_000), 1000));
        for (text, minutes) in
            [("0", 0), ("8", 480), ("05:45", 345), ("%2B08:00", 480), ("14:00", 840), ("-12", -720)]
        {
            let request = parse(&format!("interval=1d&timeZone={text}")).unwrap();
            assert_eq!(request.zone.minutes(), minutes, "{text}");
        }
        for text in ["14:01", "-12:01", "1:60", "1:5", "x", "1:", "-", "100", "--1", "1:+5", ":30"]
        {
            let code = parse(&format!("interval=1d&timeZone={text}")).unwrap_err().code;
            assert_eq!(code, -1130, "{text}");
        }
        assert_eq!(parse("interval=1D").unwrap_err().code, -1120);
        assert_eq!(parse("").unwrap_err().code, -1102);
        assert_eq!(parse("interval=1d&x=1").unwrap_err().code, -1104);
    }

    #[test]
    fn windows_have_sizes() {
        let parse = |text: &str| {
            WindowTickerRequest::parse(query(&format!("symbol=BTCUSDT&{text}")), &markets)
        };
        assert_eq!(parse("").unwrap().window_minutes, 1_440);
        for (text, minutes) in [("1m", 1), ("59m", 59), ("23h", 1_380), ("7d", 10_080)] {
            let request = parse(&format!("windowSize={text}&type=MINI")).unwrap();
            assert_eq!((request.window_minutes, request.ticker_type), (minutes, TickerType::Mini));
        }
        for text in ["60m", "0h", "24h", "8d", "1d2h", "1w", "m", "+1m", "1\u{fc}"] {
            assert_eq!(parse(&format!("windowSize={text}")).unwrap_err().code, -1130, "{text}");
        }
        assert_eq!(parse("type=mini").unwrap_err().code, -1139);
        assert_eq!(parse("symbolStatus=HALT").unwrap_err().code, -1220);
        let none = WindowTickerRequest::parse(query(""), &markets);
        assert_eq!(none.unwrap_err().code, -1102);
        let many = vec!["BTCUSDT"; 101].join("\",\"");
        let many = query(&format!("symbols=[\"{many}\"]"));
        assert_eq!(WindowTickerRequest::parse(many, &markets).unwrap_err().code, -1101);
    }

    #[test]
    fn aggregate_trades_are_asked_for_by_id_or_by_time() {
        let parse = |text: &str| {
            AggTradesRequest::parse(query(&format!("symbol=BTCUSDT&{text}")), &markets)
        };
        assert_eq!(parse("fromId=5").unwrap().from_id, Some(TradeId(5)));
        assert_eq!(parse("endTime=1").unwrap().times.end_ns, Some(1_999_999));
        assert_eq!(parse("fromId=5&startTime=1").unwrap_err().code, -1128);
    }

    proptest! {
        #[test]
        fn any_values_make_a_question_or_an_error(rest in "[a-zA-Z&=0-9.:%+\\[\\]\"-]{0,60}") {
            let Ok(params) = Params::parse(&format!("symbol=BTCUSDT&{rest}"), b"") else {
                return Ok(());
            };
            let _ = KlinesRequest::parse(params.clone(), &markets);
            let _ = WindowTickerRequest::parse(params.clone(), &markets);
            let _ = TradingDayRequest::parse(params.clone(), &markets);
            let _ = AggTradesRequest::parse(params, &markets);
        }
    }
}
