//! What the parsers say of themselves.

use super::{
    AmendOrderRequest, ExchangeInfoRequest, KlinesRequest, NewOrderListRequest, NewOrderRequest,
};
use crate::signed::{Kind, Parameter, parameters};

fn check(parameters: &[Parameter], required: &[&str], optional: &[&str]) {
    let names = |is_required| {
        let found = parameters.iter().filter(move |found| found.is_required == is_required);
        found.map(|found| found.name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!((names(true), names(false)), (required.to_vec(), optional.to_vec()));
}

#[test]
fn a_parser_reports_what_it_takes() {
    let order = parameters(|params, markets, generate| {
        drop(NewOrderRequest::parse(params, markets, generate));
    });
    check(
        &order,
        &["symbol", "side", "type"],
        &[
            "selfTradePreventionMode",
            "quantity",
            "timeInForce",
            "quoteOrderQty",
            "price",
            "stopPrice",
            "trailingDelta",
            "icebergQty",
            "pegPriceType",
            "pegOffsetType",
            "pegOffsetValue",
            "goodTillDate",
            "hidden",
            "minQty",
            "withinBalance",
            "newClientOrderId",
            "strategyId",
            "strategyType",
            "newOrderRespType",
        ],
    );
    let side = order.iter().find(|parameter| parameter.name == "side").unwrap();
    assert_eq!(side.kind, Kind::Words(vec!["BUY".to_owned(), "SELL".to_owned()]));
    let klines = parameters(|params, markets, _| drop(KlinesRequest::parse(params, markets)));
    check(&klines, &["symbol", "interval"], &["startTime", "endTime", "timeZone", "limit"]);
    assert_eq!(klines[5].kind, Kind::Limit { default: 500, max: 1000 });
    let info = parameters(|params, markets, _| drop(ExchangeInfoRequest::parse(params, markets)));
    let names = ["symbol", "symbols", "permissions", "symbolStatus", "showPermissionSets"];
    check(&info, &[], &names);
    let amend = parameters(|params, markets, generate| {
        drop(AmendOrderRequest::parse(params, markets, generate));
    });
    let optional = ["orderId", "origClientOrderId", "newClientOrderId"];
    check(&amend, &["symbol", "newQty"], &optional);
    let list = parameters(|params, markets, generate| {
        drop(NewOrderListRequest::parse_otoco(params, markets, generate));
    });
    // Four of the list, 19 of its first order, two that the others share, 17 of each.
    assert_eq!(list.len(), 4 + 19 + 2 + 2 * 17);
}

#[test]
#[should_panic(expected = "before it had asked for everything")]
fn half_a_parser_is_noticed() {
    parameters(|mut params, markets, _| drop(params.market(markets)));
}
