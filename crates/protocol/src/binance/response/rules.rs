//! Rules of execution, and the filters that matter to one account.

use schemars::JsonSchema;
use serde::Serialize;
use types::Market;

use super::exchange_info::{Filter, filters};

/// `GET /api/v3/executionRules`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionRules {
    pub symbol_rules: Vec<SymbolRules>,
}

impl ExecutionRules {
    /// No symbol has a rule of the kind that this query shows: a price outside an instrument's
    /// bands begins an auction instead of ending the order.
    pub fn new<'a>(markets: impl IntoIterator<Item = &'a Market>) -> Self {
        let none = |market: &Market| SymbolRules { symbol: market.symbol().into(), rules: [] };
        Self { symbol_rules: markets.into_iter().map(none).collect() }
    }
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SymbolRules {
    pub symbol: String,
    pub rules: [super::Empty; 0],
}

/// `GET /api/v3/myFilters`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MyFilters {
    pub exchange_filters: [super::Empty; 0],
    pub symbol_filters: Vec<Filter>,
    pub asset_filters: [super::Empty; 0],
}

impl MyFilters {
    pub fn new(market: &Market) -> Self {
        Self { exchange_filters: [], symbol_filters: filters(market), asset_filters: [] }
    }
}
