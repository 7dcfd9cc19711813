//! `GET /openapi.json`: the trading API from the table of operations. Each parser reports its
//! parameters; each answer's type has its schema.

use std::sync::OnceLock;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use protocol::signed::sign::check_time;
use protocol::signed::{ApiError, Kind, Parameter, parameters};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use types::Role;

use crate::binance::operations::{OPERATIONS, Operation};

const JSON: &str = "application/json";
const SCHEMAS: &str = "/components/schemas";
/// Parameters that the security scheme describes.
const PROOF: [&str; 2] = ["timestamp", "signature"];

pub(crate) async fn document() -> Response {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| describe().to_string());
    ([(CONTENT_TYPE, JSON)], document.as_str()).into_response()
}

fn describe() -> Value {
    // OpenAPI 3.1 uses this draft. The schemas describe what is written, not what is read.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(never_null));
    let mut schemas =
        settings.with(|settings| settings.definitions_path = SCHEMAS.into()).into_generator();
    let error = schemas.subschema_for::<ApiError>();
    let mut paths = Map::new();
    for row in OPERATIONS {
        let path = paths.entry(row.path).or_insert_with(|| json!({}));
        path[row.method.to_lowercase()] = operation(row, &mut schemas, error.as_value());
    }
    let api_key = |name: &str, place: &str| json!({ "type": "apiKey", "in": place, "name": name });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Buttonwood: trading",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The Binance Spot API; docs/api.md says where it differs.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "externalDocs": { "url": "https://github.com/binance/binance-spot-api-docs" },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "schemas": schemas.take_definitions(true),
            "securitySchemes": {
                "key": api_key("X-MBX-APIKEY", "header"),
                "timestamp": api_key("timestamp", "query"),
                "signature": api_key("signature", "query"),
            },
        },
    })
}

/// An optional field without a value is left out, never null.
fn never_null(schema: &mut Schema) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let may_be_absent = |(name, _): &(&String, &mut Value)| !required.contains(&json!(name));
    for (_, property) in properties.iter_mut().filter(may_be_absent) {
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|of| of != "null");
            if let [only] = types.as_slice() {
                property["type"] = only.clone();
            }
        }
        if let Some(Value::Array(forms)) = property.get_mut("anyOf") {
            forms.retain(|form| form["type"] != "null");
        }
    }
}

fn operation(row: &Operation, schemas: &mut SchemaGenerator, error: &Value) -> Value {
    let id = format!("{} {}", row.method, row.path);
    let name = row.name.map_or(String::new(), |name| format!(" In the WebSocket API: `{name}`."));
    let roles = row.roles().unwrap_or_default().iter().map(role_name);
    let roles = roles.collect::<Vec<_>>().join(", ");
    let security = match row.roles() {
        None => json!([]),
        Some(_) if row.is_signed() => json!([{ "key": [], "timestamp": [], "signature": [] }]),
        Some(_) => json!([{ "key": [] }]),
    };
    let asks = if roles.is_empty() { "Public: no key.".into() } else { format!("Roles: {roles}.") };
    let content = |schema: Value| json!({ JSON: { "schema": schema } });
    json!({
        "operationId": id,
        "summary": row.name.unwrap_or(row.path),
        "description": format!("{asks}{name}"),
        "x-weight": row.fixed_weight(),
        "security": security,
        "parameters": all_parameters(row).iter().map(parameter).collect::<Value>(),
        "responses": {
            "200": { "description": "Done", "content": content((row.answer_schema)(schemas).to_value()) },
            "4XX": {
                "description": "Refused: a code and a text; nothing was changed",
                "content": content(error.clone()),
            },
            "5XX": {
                "description":
                    "The venue takes nothing at the moment, or stopped before it answered",
                "content": content(error.clone()),
            },
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

/// The parameters of the operation, and those of every signed request.
fn all_parameters(row: &Operation) -> Vec<Parameter> {
    let mut all = (row.parameters)();
    if row.is_signed() {
        all.extend(parameters(|mut params, _, _| {
            drop(check_time(&mut params, 0));
            drop(params.finish());
        }));
    }
    all.retain(|parameter| !PROOF.contains(&parameter.name.as_str()));
    all
}

/// A parameter in the query. A form or an object in the body may hold it too.
fn parameter(parameter: &Parameter) -> Value {
    let Parameter { name, kind, is_required } = parameter;
    let mut description = describe_parameter(name).expect("each parameter has a text");
    if let Kind::Limit { max, .. } = kind {
        description += &format!(" More than {max} means {max}.");
    }
    json!({
        "name": name,
        "in": "query",
        "required": is_required,
        "description": description,
        "schema": schema(kind),
    })
}

fn schema(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string", "minLength": 1 }),
        Kind::Integer => json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Words(words) => json!({ "type": "string", "enum": words }),
        // Binance's pattern has an escape that JavaScript's Unicode mode does not know.
        Kind::Pattern(pattern) => {
            json!({ "type": "string", "pattern": pattern.replace(r"\:", ":") })
        }
        Kind::Limit { default, .. } => {
            json!({ "type": "integer", "minimum": 1, "default": default, "maximum": u64::MAX })
        }
    }
}

/// Prefixes of the parameters of each order of a list, longer ones first.
const LEGS: [(&str, &str); 8] = [
    ("pendingAbove", "the pending order above the market"),
    ("pendingBelow", "the pending order below the market"),
    ("pending", "the order that waits for the first"),
    ("working", "the order that comes first"),
    ("above", "the order above the market"),
    ("below", "the order below the market"),
    ("limit", "the limit-maker order"),
    ("stop", "the stop-loss order"),
];

const TEXTS: &[(&str, &str)] = &[
    ("symbol", "A market, such as `BTCUSDT`."),
    ("symbols", "A list of markets in JSON, such as `[\"BTCUSDT\",\"ETHUSDT\"]`."),
    ("permissions", "A permission, or a list of them in JSON; every market here has `SPOT`."),
    ("symbolStatus", "Only markets of this status."),
    ("showPermissionSets", "Whether the answer has `permissionSets`; it has by default."),
    ("limit", "How many at most."),
    ("fromId", "From this id on."),
    ("startTime", "From then on, in milliseconds or microseconds since 1970."),
    ("endTime", "Until then, in milliseconds or microseconds since 1970."),
    ("timeZone", "Hours, or hours and minutes ahead of UTC: `8`, `-1:00`, `05:45`."),
    ("interval", "How long a candle is."),
    ("windowSize", "`1m` to `59m`, `1h` to `23h`, `1d` to `7d`; a day unless given."),
    ("type", "What is asked for: a type of order, or how much a ticker has."),
    ("side", "Of the order."),
    ("timeInForce", "What has a limit price must have one."),
    ("quantity", "In the base asset."),
    ("quoteOrderQty", "Of a market order, in the quote asset, in place of `quantity`."),
    ("price", "The limit."),
    ("stopPrice", "The price that triggers the order."),
    ("trailingDelta", "How far the trigger follows the price, in hundredths of a percent."),
    ("icebergQty", "How much of the order is shown."),
    ("hidden", "Whether market data shows nothing of the order."),
    ("minQty", "At least this quantity trades on arrival, or the order expires."),
    ("goodTillDate", "When a `GTD` order expires, in milliseconds or microseconds since 1970."),
    ("withinBalance", "Whether a market order trades as far as the balance pays."),
    ("strategyId", "Any number, which comes back."),
    ("strategyType", "Any number from 1000000 on, which comes back."),
    ("pegPriceType", "Which price the order follows."),
    ("pegOffsetType", "How the offset of the peg is counted."),
    ("pegOffsetValue", "The offset of the peg: of levels only 0, of ticks any."),
    ("clientOrderId", "The client's own id of the order; made up unless given."),
    ("newClientOrderId", "The client's own id of the order, or of the cancel."),
    ("origClientOrderId", "The client's own id of the order or list that is meant."),
    ("listClientOrderId", "The client's own id of the list."),
    ("stopLimitPrice", "The limit of the stop-loss order, if it has one."),
    ("stopLimitTimeInForce", "Of the stop-loss order, if it has a limit."),
    ("newOrderRespType", "How much the answer has."),
    ("selfTradePreventionMode", "What happens before the order would trade with its own account."),
    ("computeCommissionRates", "Whether the answer has the fees."),
    ("orderId", "The venue's id of an order."),
    ("orderListId", "The venue's id of a list."),
    ("cancelReplaceMode", "Whether the new order is wanted if the cancel fails."),
    ("cancelOrderId", "The venue's id of the order to cancel."),
    ("cancelOrigClientOrderId", "The client's own id of the order to cancel."),
    ("cancelNewClientOrderId", "The client's own id of the cancel."),
    ("cancelRestrictions", "Cancels the order only if it is in this state."),
    ("orderRateLimitExceededMode", "Whether the cancel is wanted if too many orders were sent."),
    ("newQty", "The lower quantity that the order shall have."),
    ("batchOrders", "A list in JSON of up to 20 objects with the parameters of one each."),
    ("queue", "Whether each order is to have `aheadQty`, its place in the queue at its price."),
    ("omitZeroBalances", "Leaves out the assets of which there is nothing."),
    ("preventedMatchId", "Just this one."),
    ("fromPreventedMatchId", "From this id on."),
    ("fromAllocationId", "From this id on."),
    ("fromExecutionId", "From this id on."),
    ("listenKey", "The listen key."),
    ("coin", "Only transfers of this asset."),
    ("txId", "Only the deposit of this reference."),
    ("withdrawOrderId", "Only the withdrawal of this reference."),
    ("idList", "Only withdrawals of these ids, with commas between, 45 at most."),
    ("status", "Only transfers in this state, by its number."),
    ("offset", "How many of the newest to leave out."),
    ("includeSource", "Has no effect: a deposit here has no source address."),
    ("recvWindow", "For how many milliseconds after `timestamp` the request is meant."),
];

fn describe_parameter(name: &str) -> Option<String> {
    let text = |name: &str| TEXTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    if let Some(text) = text(name) {
        return Some(text.to_owned());
    }
    let (rest, order) =
        LEGS.iter().find_map(|(leg, order)| Some((name.strip_prefix(leg)?, order)))?;
    let (first, rest) = rest.split_at_checked(1)?;
    let plain = format!("{}{rest}", first.to_ascii_lowercase());
    Some(format!("Of {order}. {}", text(&plain)?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn named<'a>(operation: &'a Value, name: &str) -> &'a Value {
        let all = operation["parameters"].as_array().unwrap();
        all.iter().find(|parameter| parameter["name"] == name).unwrap()
    }

    #[test]
    fn every_operation_is_described_with_its_roles() {
        let document = describe();
        for row in OPERATIONS {
            let operation = &document["paths"][row.path][row.method.to_lowercase()];
            let is_signed = operation["security"] != json!([]);
            assert_eq!(is_signed, row.roles().is_some(), "{row:?} {operation}");
        }
        let place = &document["paths"]["/api/v3/order"]["post"];
        assert_eq!(place["description"], "Roles: trader. In the WebSocket API: `order.place`.");
        assert_eq!(place["x-weight"], 1);
        assert_eq!(document["paths"]["/api/v3/depth"]["get"]["x-weight"], Value::Null);
    }

    #[test]
    fn parameters_and_answers_are_described() {
        let document = describe();
        let place = &document["paths"]["/api/v3/order"]["post"];
        assert_eq!(
            named(place, "side"),
            &json!({
                "name": "side",
                "in": "query",
                "required": true,
                "description": "Of the order.",
                "schema": { "type": "string", "enum": ["BUY", "SELL"] },
            })
        );
        assert_eq!(named(place, "recvWindow")["required"], false);
        let oco = &document["paths"]["/api/v3/orderList/otoco"]["post"];
        let text = &named(oco, "pendingAboveStopPrice")["description"];
        assert_eq!(
            text,
            "Of the pending order above the market. The price that triggers the order."
        );
        let answer = &place["responses"]["200"]["content"][JSON]["schema"]["$ref"];
        assert_eq!(answer, "#/components/schemas/NewOrderAnswer");
        let schema = &document["components"]["schemas"]["NewOrderAnswer"];
        assert_eq!(schema["properties"]["orderId"]["type"], "integer");
        assert_eq!(schema["properties"]["stopPrice"], json!({ "type": "string" }));
        // What an ACK has is always there, and no more.
        let required = ["symbol", "orderId", "orderListId", "clientOrderId", "transactTime"];
        assert_eq!(schema["required"], json!(required));
    }

    #[test]
    fn each_text_is_of_a_parameter_that_there_is() {
        let taken: BTreeSet<String> =
            OPERATIONS.iter().flat_map(all_parameters).map(|taken| taken.name).collect();
        for name in &taken {
            assert!(describe_parameter(name).is_some(), "no text for {name}");
        }
        for (name, _) in TEXTS {
            let mut legs = LEGS.iter().map(|(leg, _)| format!("{leg}C{}", &name[1..]));
            let is_used = taken.contains(*name)
                || *name == "clientOrderId" && legs.any(|name| taken.contains(&name));
            assert!(is_used, "nothing takes {name}");
        }
    }
}
