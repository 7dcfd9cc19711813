//! Rules of execution, an account's filters, and lists that are empty on this venue: it has no
//! block trades, and sends no order elsewhere.

use protocol::binance::request::{
    AllocationsRequest, BlockTradesRequest, ExecutionRulesRequest, MyFiltersRequest,
    ReferencePriceCalculationRequest, ReferencePriceRequest,
};
use protocol::binance::response::{Empty, ExecutionRules, MyFilters};
use protocol::signed::{ApiError, Params};

use crate::binance::call::{Answer, Call, KeyedCall};
use crate::binance::select::select;

/// The highest weight of a query for the rules of several symbols.
const RULES_WEIGHT_MAX: u32 = 40;

/// `GET /api/v3/executionRules`
pub(crate) async fn execution_rules(
    call: Call,
    ExecutionRulesRequest { selection }: ExecutionRulesRequest,
) -> Answer<ExecutionRules> {
    Ok(ExecutionRules::new(&select(&call.shared, selection)))
}

pub(crate) fn execution_rules_weight(params: &Params) -> u32 {
    match (params.contains("symbol"), params.peek("symbols")) {
        (true, _) => 2,
        (false, Some(symbols)) => {
            let symbols = symbols.split(',').count() as u32;
            symbols.saturating_mul(2).min(RULES_WEIGHT_MAX)
        }
        (false, None) => RULES_WEIGHT_MAX,
    }
}

/// `GET /api/v3/referencePrice`
pub(crate) async fn reference_price(_: Call, _: ReferencePriceRequest) -> Answer<Empty> {
    Err(ApiError::no_reference_price().into())
}

/// `GET /api/v3/referencePrice/calculation`
pub(crate) async fn reference_price_calculation(
    _: Call,
    _: ReferencePriceCalculationRequest,
) -> Answer<Empty> {
    Err(ApiError::no_reference_price().into())
}

/// `GET /api/v3/historicalBlockTrades`
pub(crate) async fn block_trades(_: Call, _: BlockTradesRequest) -> Answer<[Empty; 0]> {
    Ok([])
}

/// `GET /api/v3/myFilters`
pub(crate) async fn my_filters(
    _: KeyedCall,
    MyFiltersRequest { market }: MyFiltersRequest,
) -> Answer<MyFilters> {
    Ok(MyFilters::new(&market))
}

/// `GET /api/v3/myAllocations`
pub(crate) async fn allocations(_: KeyedCall, _: AllocationsRequest) -> Answer<[Empty; 0]> {
    Ok([])
}
