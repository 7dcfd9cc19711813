//! Public queries about the markets.

use types::{Market, Markets};

use super::{RESULTS_DEFAULT, RESULTS_MAX};
use crate::binance::SymbolStatus;
use crate::signed::params::{find_market, legal};
use crate::signed::{ApiError, Params};

const DEPTH_DEFAULT: usize = 100;
const DEPTH_MAX: usize = 5000;
/// The most symbols that one request may list.
pub(super) const SYMBOLS_MAX: usize = 500;

/// `GET /api/v3/depth`
#[derive(Clone, Copy, Debug)]
pub struct DepthRequest {
    pub market: Market,
    pub limit: usize,
}

impl DepthRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let limit = params.limit(DEPTH_DEFAULT, DEPTH_MAX)?;
        let status = symbol_status(&mut params)?;
        params.finish()?;
        if has_status(&market, status) {
            Ok(Self { market, limit })
        } else {
            Err(ApiError::symbol_status_mismatch())
        }
    }
}

requests! {
    /// `GET /api/v3/trades`
    TradesRequest(params, markets) {
        market: Market = params.market(markets)?,
        limit: usize = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?,
    }
}

/// Which markets a question is about.
#[derive(Clone, Debug)]
pub enum Selection {
    /// Answered with one object; any other with a list.
    One(Market),
    Listed(Vec<Market>),
    /// All that have this status, if there is one.
    All(Option<SymbolStatus>),
}

/// `GET /api/v3/ticker/price` and `GET /api/v3/ticker/bookTicker`
#[derive(Clone, Debug)]
pub struct TickerRequest {
    pub selection: Selection,
}

impl TickerRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let selection = selection(&mut params, markets)?;
        let status = symbol_status(&mut params)?;
        params.finish()?;
        let selection = match selection? {
            Selection::One(market) if !has_status(&market, status) => {
                return Err(ApiError::symbol_status_mismatch());
            }
            Selection::Listed(mut markets) => {
                markets.retain(|market| has_status(market, status));
                Selection::Listed(markets)
            }
            Selection::All(_) => Selection::All(status),
            selection => selection,
        };
        Ok(Self { selection })
    }
}

/// `GET /api/v3/exchangeInfo`
#[derive(Clone, Debug)]
pub struct ExchangeInfoRequest {
    pub selection: Selection,
    pub show_permission_sets: bool,
}

impl ExchangeInfoRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let selection = selection(&mut params, markets)?;
        let permissions = permissions(&mut params)?;
        let status = symbol_status(&mut params)?;
        let show_permission_sets = params.flag("showPermissionSets")?.unwrap_or(true);
        params.finish()?;
        let selection = selection?;
        let all = matches!(selection, Selection::All(_));
        if !all && (permissions.is_some() || status.is_some()) {
            return Err(ApiError::bad_combination());
        }
        let spot = permissions.is_none_or(|names| names.iter().any(|name| name == "SPOT"));
        let selection = match selection {
            _ if !spot => Selection::Listed(Vec::new()),
            Selection::All(_) => Selection::All(status),
            selection => selection,
        };
        Ok(Self { selection, show_permission_sets })
    }
}

/// `symbol`, `symbols` or neither; the inner result says whether it was both.
pub(super) fn selection(
    params: &mut Params,
    markets: Markets<'_>,
) -> Result<Result<Selection, ApiError>, ApiError> {
    let symbol = params.optional_market(markets)?;
    let symbols = params.texts("symbols", legal::SYMBOLS)?;
    let symbols = symbols.map(|symbols| listed(&symbols, SYMBOLS_MAX, markets)).transpose()?;
    Ok(match (symbol, symbols) {
        (None, None) => Ok(Selection::All(None)),
        (Some(market), None) => Ok(Selection::One(market)),
        (None, Some(markets)) => Ok(Selection::Listed(markets)),
        (Some(_), Some(_)) => Err(ApiError::bad_combination()),
    })
}

pub(super) fn listed(
    symbols: &[String],
    symbols_max: usize,
    markets: Markets<'_>,
) -> Result<Vec<Market>, ApiError> {
    if symbols.len() > symbols_max {
        return Err(ApiError::too_many_parameters(symbols_max, symbols.len()));
    }
    let mut sorted = symbols.iter().collect::<Vec<_>>();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(ApiError::duplicate_symbols());
    }
    symbols.iter().map(|symbol| find_market(symbol, markets)).collect()
}

/// One permission, or a list of them in JSON.
fn permissions(params: &mut Params) -> Result<Option<Vec<String>>, ApiError> {
    let Some(text) = params.text("permissions")? else { return Ok(None) };
    let names = if text.starts_with('[') {
        serde_json::from_str(&text).ok()
    } else {
        Some(vec![text.into_owned()])
    };
    names.map(Some).ok_or_else(|| ApiError::invalid_parameter("permissions"))
}

const STATUSES: &[(&str, SymbolStatus)] = &[
    ("PRE_TRADING", SymbolStatus::PreTrading),
    ("TRADING", SymbolStatus::Trading),
    ("POST_TRADING", SymbolStatus::PostTrading),
    ("END_OF_DAY", SymbolStatus::EndOfDay),
    ("HALT", SymbolStatus::Halt),
    ("AUCTION_MATCH", SymbolStatus::AuctionMatch),
    ("BREAK", SymbolStatus::Break),
];

pub(super) fn symbol_status(params: &mut Params) -> Result<Option<SymbolStatus>, ApiError> {
    params.choice_or("symbolStatus", STATUSES, ApiError::invalid_symbol_status)
}

pub(super) fn has_status(market: &Market, status: Option<SymbolStatus>) -> bool {
    status.is_none_or(|status| SymbolStatus::of(market) == status)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::binance::testing::{markets, query};

    #[test]
    fn market_data_is_asked_for_one_many_or_all_symbols() {
        let ticker = |text: &str| {
            TickerRequest::parse(query(text), &markets).map(|request| request.selection)
        };
        assert!(matches!(ticker("symbol=BTCUSDT"), Ok(Selection::One(_))));
        assert!(
            matches!(ticker(r#"symbols=["BTCUSDT"]"#), Ok(Selection::Listed(list)) if list.len() == 1)
        );
        assert!(matches!(ticker(""), Ok(Selection::All(None))));
        let halted = ticker("symbolStatus=HALT");
        assert!(matches!(halted, Ok(Selection::All(Some(SymbolStatus::Halt)))));
        let halted = ticker(r#"symbols=["BTCUSDT"]&symbolStatus=HALT"#);
        assert!(matches!(halted, Ok(Selection::Listed(list)) if list.is_empty()));
        assert!(matches!(ticker("symbol=BTCUSDT&symbolStatus=TRADING"), Ok(Selection::One(_))));
        let code = |text: &str| ticker(text).unwrap_err().code;
        assert_eq!(code(r#"symbol=BTCUSDT&symbols=["BTCUSDT"]"#), -1128);
        assert_eq!(code(r#"symbols=["BTCUSDT","BTCUSDT"]"#), -1151);
        assert_eq!(code(r#"symbols=["NONE"]"#), -1121);
        assert_eq!(code("symbols=BTCUSDT"), -1100);
        assert_eq!(code("symbol=BTCUSDT&symbolStatus=HALT"), -1220);
        assert_eq!(code("symbolStatus=X"), -1122);

        let info = |text: &str| ExchangeInfoRequest::parse(query(text), &markets);
        assert!(matches!(info("permissions=SPOT").unwrap().selection, Selection::All(None)));
        let pre = info("symbolStatus=PRE_TRADING").unwrap().selection;
        assert!(matches!(pre, Selection::All(Some(SymbolStatus::PreTrading))));
        assert_eq!(info("symbolStatus=HALT&symbol=BTCUSDT").unwrap_err().code, -1128);
        let margin = info(r#"permissions=["MARGIN"]"#).unwrap().selection;
        assert!(matches!(margin, Selection::Listed(list) if list.is_empty()));
        assert_eq!(info("permissions=SPOT&symbol=BTCUSDT").unwrap_err().code, -1128);
        assert!(!info("showPermissionSets=false").unwrap().show_permission_sets);

        let depth = DepthRequest::parse(query("symbol=BTCUSDT&limit=9999"), &markets).unwrap();
        assert_eq!(depth.limit, 5000);
    }

    proptest! {
        #[test]
        fn any_values_make_a_question_or_an_error(rest in "[a-zA-Z&=0-9.%\\[\\]\"]{0,60}") {
            let Ok(params) = Params::parse(&rest, b"") else { return Ok(()) };
            let _ = DepthRequest::parse(params.clone(), &markets);
            let _ = TickerRequest::parse(params.clone(), &markets);
            let _ = ExchangeInfoRequest::parse(params, &markets);
        }
    }
}
