//! Queries about rules, and about trades that other venues have and this one does not.

use types::{Market, Markets, OrderId};

use super::market::{selection, symbol_status};
use super::{RESULTS_DEFAULT, RESULTS_MAX, Selection, Times};
use crate::signed::{ApiError, Params};

/// `GET /api/v3/executionRules`: of one symbol, of some, of a status, or of all.
#[derive(Clone, Debug)]
pub struct ExecutionRulesRequest {
    pub selection: Selection,
}

impl ExecutionRulesRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let selection = selection(&mut params, markets)?;
        let status = symbol_status(&mut params)?;
        params.finish()?;
        let selection = match (selection?, status) {
            (Selection::All(_), status) => Selection::All(status),
            (selection, None) => selection,
            (_, Some(_)) => return Err(ApiError::bad_combination()),
        };
        Ok(Self { selection })
    }
}

requests! {
    /// `GET /api/v3/referencePrice`
    ReferencePriceRequest(params, markets) {
        market: Market = params.market(markets)?,
    }

    /// `GET /api/v3/historicalBlockTrades`: from an id on.
    BlockTradesRequest(params, markets) {
        market: Market = params.market(markets)?,
        from_id: u64 = params.mandatory_integer("fromId")?,
        limit: usize = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?,
    }

    /// `GET /api/v3/myFilters`
    MyFiltersRequest(params, markets) {
        market: Market = params.market(markets)?,
    }

    /// `GET /api/v3/myAllocations`: from an id on or of an order, or within the times.
    AllocationsRequest(params, markets) {
        market: Market = params.market(markets)?,
        times: Times = Times::take(&mut params)?,
        from_id: Option<u64> = params.integer("fromAllocationId")?,
        order_id: Option<OrderId> = params.integer("orderId")?.map(OrderId),
        limit: usize = params.limit(RESULTS_DEFAULT, RESULTS_MAX)?,
    } => {
        if times.any() && (order_id.is_some() || from_id.is_some()) {
            return Err(ApiError::bad_combination());
        }
        times.check()?;
    }
}

/// `GET /api/v3/referencePrice/calculation`
#[derive(Clone, Debug)]
pub struct ReferencePriceCalculationRequest {
    pub market: Market,
}

impl ReferencePriceCalculationRequest {
    pub fn parse(mut params: Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let status = symbol_status(&mut params)?;
        params.finish()?;
        if super::market::has_status(&market, status) {
            Ok(Self { market })
        } else {
            Err(ApiError::symbol_status_mismatch())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binance::testing::{markets, query};

    #[test]
    fn execution_rules_are_asked_for_in_one_way() {
        let rules = |text: &str| ExecutionRulesRequest::parse(query(text), &markets);
        let selection = |text: &str| rules(text).map(|request| request.selection);
        assert!(matches!(selection(""), Ok(Selection::All(None))));
        assert!(matches!(selection("symbol=BTCUSDT"), Ok(Selection::One(_))));
        assert!(matches!(selection("symbolStatus=HALT"), Ok(Selection::All(Some(_)))));
        assert_eq!(rules("symbol=BTCUSDT&symbolStatus=HALT").unwrap_err().code, -1128);
        assert_eq!(rules("symbol=BTCUSDT&symbols=%5B%22BTCUSDT%22%5D").unwrap_err().code, -1128);
    }

    #[test]
    fn allocations_are_asked_for_by_id_or_by_time() {
        let code = |text: &str| AllocationsRequest::parse(query(text), &markets).unwrap_err().code;
        assert_eq!(code("symbol=BTCUSDT&orderId=1&startTime=5"), -1128);
        assert_eq!(code("symbol=BTCUSDT&startTime=0&endTime=86400001"), -1127);
        assert_eq!(code(""), -1102);
        AllocationsRequest::parse(query("symbol=BTCUSDT&orderId=1"), &markets).unwrap();
    }
}
