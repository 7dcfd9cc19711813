//! The few questions of `/sapi/v1` that clients ask as they start.

use types::{Market, Markets};

use super::lookup::NoParams;
use super::market::{SYMBOLS_MAX, listed};
use crate::signed::params::legal;
use crate::signed::{ApiError, Params};

requests! {
    /// `GET /sapi/v1/asset/tradeFee`; without a market, those of all.
    TradeFeeRequest(params, markets) {
        market: Option<Market> = params.optional_market(markets)?,
    }
}

/// `GET /sapi/v1/margin/allPairs` and `…/isolated/allPairs`: nothing here trades on margin, so what
/// is asked for does not matter as long as it exists.
#[derive(Clone, Copy, Debug)]
pub struct MarginPairsRequest {}

impl MarginPairsRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        params.optional_market(markets)?;
        if let Some(symbols) = params.texts("symbols", legal::SYMBOLS)? {
            listed(&symbols, SYMBOLS_MAX, markets)?;
        }
        NoParams::parse(params).map(|NoParams {}| Self {})
    }
}
