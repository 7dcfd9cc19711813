//! `GET /openapi.json`: the trading API, as far as the table of operations knows it. What parameters
//! an operation takes is in Binance's documentation, and in `docs/api.md` where it differs.

use std::sync::OnceLock;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use types::Role;

use crate::operations::{Row, rows};

pub(crate) async fn document() -> Response {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| describe(rows()).to_string());
    ([(CONTENT_TYPE, "application/json")], document.as_str()).into_response()
}

fn describe(rows: impl Iterator<Item = Row>) -> Value {
    let mut paths = Map::new();
    for row in rows {
        let path = paths.entry(row.path).or_insert_with(|| json!({}));
        path[row.method.to_lowercase()] = operation(&row);
    }
    let api_key = |name: &str, place: &str| json!({ "type": "apiKey", "in": place, "name": name });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Buttonwood: trading",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The Binance Spot API: its documentation has the parameters and answers.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "externalDocs": { "url": "https://github.com/binance/binance-spot-api-docs" },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": { "securitySchemes": {
            "key": api_key("X-MBX-APIKEY", "header"),
            "timestamp": api_key("timestamp", "query"),
            "signature": api_key("signature", "query"),
        } },
    })
}

fn operation(row: &Row) -> Value {
    let id = format!("{} {}", row.method, row.path);
    let name = row.name.map_or(String::new(), |name| format!(" In the WebSocket API: `{name}`."));
    let roles = row.roles.unwrap_or_default().iter().map(role_name);
    let roles = roles.collect::<Vec<_>>().join(", ");
    let security = match row.roles {
        None => json!([]),
        Some(_) => json!([{ "key": [], "timestamp": [], "signature": [] }]),
    };
    let asks =
        if roles.is_empty() { "Anybody may ask.".into() } else { format!("Roles: {roles}.") };
    json!({
        "operationId": id,
        "summary": row.name.unwrap_or(row.path),
        "description": format!("{asks}{name}"),
        "x-weight": row.weight,
        "security": security,
        "responses": {
            "200": { "description": "Done" },
            "4XX": { "description": "Refused: a code and a text; nothing was changed" },
            "5XX": { "description": "The venue takes nothing at the moment, or stopped before it answered" },
        },
    })
}

fn role_name(role: &Role) -> &'static str {
    match role {
        Role::Trader => "trader",
        Role::ReadOnly => "read-only",
        Role::MarketData => "market-data",
        Role::Operator => "operator",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_described_with_who_may_ask() {
        let document = describe(rows());
        for row in rows() {
            let operation = &document["paths"][row.path][row.method.to_lowercase()];
            let is_signed = operation["security"] != json!([]);
            assert_eq!(is_signed, row.roles.is_some(), "{row:?} {operation}");
        }
        let place = &document["paths"]["/api/v3/order"]["post"];
        assert_eq!(place["description"], "Roles: trader. In the WebSocket API: `order.place`.");
        assert_eq!(place["x-weight"], 1);
        assert_eq!(document["paths"]["/api/v3/depth"]["get"]["x-weight"], Value::Null);
    }
}
