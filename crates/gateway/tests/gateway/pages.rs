//! `docs/api.md` against the router, both ways.

use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../../docs/api.md");

/// The requests of Binance's `rest-api.md` of 2026-07-21.
const PUBLIC: &[&str] = &[
    "GET /api/v3/ping",
    "GET /api/v3/time",
    "GET /api/v3/exchangeInfo",
    "GET /api/v3/executionRules",
    "GET /api/v3/depth",
    "GET /api/v3/trades",
    "GET /api/v3/historicalTrades",
    "GET /api/v3/historicalBlockTrades",
    "GET /api/v3/aggTrades",
    "GET /api/v3/klines",
    "GET /api/v3/uiKlines",
    "GET /api/v3/avgPrice",
    "GET /api/v3/ticker/24hr",
    "GET /api/v3/ticker/tradingDay",
    "GET /api/v3/ticker/price",
    "GET /api/v3/ticker/bookTicker",
    "GET /api/v3/ticker",
    "GET /api/v3/referencePrice",
    "GET /api/v3/referencePrice/calculation",
    "POST /api/v3/order",
    "POST /api/v3/order/test",
    "DELETE /api/v3/order",
    "DELETE /api/v3/openOrders",
    "POST /api/v3/order/cancelReplace",
    "PUT /api/v3/order/amend/keepPriority",
    "POST /api/v3/order/oco",
    "POST /api/v3/orderList/oco",
    "POST /api/v3/orderList/oto",
    "POST /api/v3/orderList/otoco",
    "POST /api/v3/orderList/opo",
    "POST /api/v3/orderList/opoco",
    "DELETE /api/v3/orderList",
    "POST /api/v3/sor/order",
    "POST /api/v3/sor/order/test",
    "GET /api/v3/account",
    "GET /api/v3/order",
    "GET /api/v3/openOrders",
    "GET /api/v3/allOrders",
    "GET /api/v3/orderList",
    "GET /api/v3/allOrderList",
    "GET /api/v3/openOrderList",
    "GET /api/v3/myTrades",
    "GET /api/v3/rateLimit/order",
    "GET /api/v3/myPreventedMatches",
    "GET /api/v3/myAllocations",
    "GET /api/v3/account/commission",
    "GET /api/v3/order/amendments",
    "GET /api/v3/myFilters",
];

/// The rows of a section's table: method with path, and name in the WebSocket API.
fn rows(heading: &str) -> BTreeSet<(String, String)> {
    let section = PAGE.split("\n## ").find(|section| section.starts_with(heading)).unwrap();
    let cells = |line: &str| line.split('|').map(|cell| cell.replace('`', "")).collect::<Vec<_>>();
    let row = |line: &str| {
        let cells = cells(line);
        (cells[1].trim().to_owned(), cells[2].trim().to_owned())
    };
    let is_request = |line: &&str| line.starts_with("| `") && line.contains(" /");
    section.lines().filter(is_request).map(row).collect()
}

#[test]
fn the_page_names_each_request_and_no_other() {
    let served: BTreeSet<_> = gateway::OPERATIONS
        .iter()
        .map(|one| (format!("{} {}", one.method, one.path), one.name.unwrap_or("").to_owned()))
        .collect();
    let named = rows("Requests");
    let missing: Vec<_> = served.difference(&named).collect();
    let unknown: Vec<_> = named.difference(&served).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
}

#[test]
fn the_page_names_each_request_of_binance() {
    let named: BTreeSet<_> = rows("Requests").into_iter().map(|(request, _)| request).collect();
    let forgotten: Vec<_> = PUBLIC.iter().filter(|one| !named.contains(**one)).collect();
    assert!(forgotten.is_empty(), "{forgotten:?}");
}
