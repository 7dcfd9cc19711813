//! Lists as clients send them, and the fault in each that is refused.

use proptest::prelude::*;
use types::{InstrumentId, OrderListId, OrderSize, Price, Qty, TimeInForce};

use super::*;
use crate::binance::testing::{cl, markets, query};

const SELL_OCO: &str = "symbol=BTCUSDT&side=SELL&quantity=0.1&aboveType=LIMIT_MAKER\
                        &abovePrice=26000&belowType=STOP_LOSS_LIMIT&belowPrice=23900\
                        &belowStopPrice=24000&belowTimeInForce=GTC";
const OTO: &str = "symbol=BTCUSDT&workingType=LIMIT&workingSide=BUY&workingPrice=25000\
                   &workingQuantity=0.1&workingTimeInForce=GTC&pendingType=MARKET\
                   &pendingSide=SELL&pendingQuantity=0.2";
const OTOCO: &str = "symbol=BTCUSDT&workingType=LIMIT_MAKER&workingSide=BUY&workingPrice=25000\
                     &workingQuantity=0.1&pendingSide=SELL&pendingQuantity=0.1\
                     &pendingAboveType=TAKE_PROFIT&pendingAboveStopPrice=26000\
                     &pendingBelowType=STOP_LOSS&pendingBelowTrailingDelta=100";
const LEGACY: &str = "symbol=BTCUSDT&side=BUY&quantity=0.1&price=24000&stopPrice=26000";

type Parse = fn(Params, Markets<'_>, Generate<'_>) -> Result<NewOrderListRequest, ApiError>;

fn list(parse: Parse, text: &str) -> Result<NewOrderList, ApiError> {
    let mut count = 0;
    let mut generate = || {
        count += 1;
        cl(&format!("generated{count}"))
    };
    parse(query(text), &markets, &mut generate).map(|request| request.list)
}

fn oco(text: &str) -> Result<NewOrderList, ApiError> {
    list(NewOrderListRequest::parse_oco, text)
}

fn check(result: Result<NewOrderList, ApiError>, code: i32, msg: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.code, &*error.msg), (code, msg));
}

fn types_of(list: &NewOrderList) -> Vec<OrderType> {
    list.orders.iter().map(|order| order.order_type).collect()
}

#[test]
fn an_oco_is_its_stop_and_its_other_leg() {
    let text = format!(
        "{SELL_OCO}&listClientOrderId=list&aboveClientOrderId=gain&belowIcebergQty=0.01\
         &belowStrategyId=7&selfTradePreventionMode=EXPIRE_BOTH"
    );
    let list = oco(&text).unwrap();
    assert_eq!((list.kind, list.cl_ord_id), (OrderListKind::Oco, cl("list")));
    assert_eq!(types_of(&list), [OrderType::StopLossLimit, OrderType::LimitMaker]);
    let [stop, gain] = &list.orders[..] else { panic!("two orders") };
    assert_eq!((stop.cl_ord_id, gain.cl_ord_id), (cl("generated1"), cl("gain")));
    assert_eq!(stop.special().stop_price, Some(Price::from_ticks(2_400_000)));
    assert_eq!(stop.special().display_qty.lots(), 1_000);
    assert_eq!((stop.strategy_id, gain.strategy_id), (Some(7), None));
    assert_eq!(stop.size, gain.size);
    assert_eq!([stop.stp_mode, gain.stp_mode], [StpMode::ExpireBoth; 2]);
}

#[test]
fn each_fault_of_an_oco_has_its_code() {
    let oco_of = |side: &str, above: &str, below: &str| {
        let leg = |name: &str, kind: &str| match kind {
            "LIMIT_MAKER" => format!("{name}Type={kind}&{name}Price=1"),
            "STOP_LOSS" | "TAKE_PROFIT" => format!("{name}Type={kind}&{name}StopPrice=1"),
            _ => format!("{name}Type={kind}"),
        };
        let (above, below) = (leg("above", above), leg("below", below));
        oco(&format!("symbol=BTCUSDT&side={side}&quantity=1&{above}&{below}"))
    };
    assert!(oco_of("BUY", "STOP_LOSS", "TAKE_PROFIT").is_ok());
    for (side, above, below, code, msg) in [
        ("BUY", "MARKET", "STOP_LOSS", -1158, "Order type not supported in OCO."),
        ("BUY", "STOP_LOSS", "LIMIT", -1158, "Order type not supported in OCO."),
        ("SELL", "LIMIT_MAKER", "LIMIT_MAKER", -1168, "At least one OCO order must be contingent."),
        ("BUY", "LIMIT_MAKER", "STOP_LOSS", -1165, "A limit order in a buy OCO must be below."),
        ("SELL", "STOP_LOSS", "LIMIT_MAKER", -1166, "A limit order in a sell OCO must be above."),
        ("BUY", "STOP_LOSS", "STOP_LOSS", -1196, "A stop loss order in a buy OCO must be above."),
        ("SELL", "STOP_LOSS", "STOP_LOSS", -1197, "A stop loss order in a sell OCO must be below."),
        (
            "BUY",
            "TAKE_PROFIT",
            "TAKE_PROFIT",
            -1198,
            "A take profit order in a buy OCO must be below.",
        ),
        (
            "SELL",
            "TAKE_PROFIT",
            "TAKE_PROFIT",
            -1199,
            "A take profit order in a sell OCO must be above.",
        ),
    ] {
        check(oco_of(side, above, below), code, msg);
    }
    check(
        oco(&SELL_OCO.replace("belowTimeInForce=GTC", "belowTimeInForce=IOC&belowIcebergQty=0.01")),
        -1160,
        "Parameter 'belowIcebergQty' is not supported if 'belowTimeInForce' is not GTC.",
    );
    check(
        oco(&SELL_OCO.replace("&abovePrice=26000", "")),
        -1102,
        "Mandatory parameter 'abovePrice' was not sent, was empty/null, or malformed.",
    );
    check(
        oco(&SELL_OCO.replace("&quantity=0.1", "")),
        -1102,
        "Mandatory parameter 'quantity' was not sent, was empty/null, or malformed.",
    );
    check(
        oco(&format!("{SELL_OCO}&belowStrategyType=5")),
        -1134,
        "strategyType was less than 1000000.",
    );
    check(
        oco(&format!("{SELL_OCO}&abovePegPriceType=PRIMARY_PEG")),
        -1013,
        "Pegged orders in order lists are not supported for this symbol.",
    );
    let unread = "Not all sent parameters were read; read '9' parameter(s) but was sent '10'.";
    check(oco(&format!("{SELL_OCO}&price=1")), -1104, unread);
}

#[test]
fn an_oto_has_two_orders_of_their_own_sides_and_sizes() {
    let oto = |text: &str| list(NewOrderListRequest::parse_oto, text);
    let list = oto(OTO).unwrap();
    assert_eq!(list.kind, OrderListKind::Oto);
    assert_eq!(types_of(&list), [OrderType::Limit, OrderType::Market]);
    assert_eq!(list.orders[0].side, Side::Buy);
    assert_eq!(list.orders[1].side, Side::Sell);
    assert_ne!(list.orders[0].size, list.orders[1].size);
    check(
        oto(&OTO.replace("workingType=LIMIT", "workingType=MARKET")),
        -1014,
        "Unsupported order combination.",
    );
    check(
        oto(&OTO.replace("pendingQuantity", "pendingQuoteOrderQty")),
        -1102,
        "Mandatory parameter 'pendingQuantity' was not sent, was empty/null, or malformed.",
    );
}

#[test]
fn an_otoco_has_an_order_and_an_oco_that_waits_for_it() {
    let otoco = |text: &str| list(NewOrderListRequest::parse_otoco, text);
    let list = otoco(OTOCO).unwrap();
    assert_eq!(list.kind, OrderListKind::Otoco);
    let types = [OrderType::LimitMaker, OrderType::StopLoss, OrderType::TakeProfit];
    assert_eq!(types_of(&list), types);
    assert_eq!(list.orders[1].special().trailing_delta_bps, 100);
    check(
        otoco(&OTOCO.replace("pendingAboveType=TAKE_PROFIT", "pendingAboveType=STOP_LOSS")),
        -1197,
        "A stop loss order in a sell OCO must be below.",
    );
}

#[test]
fn the_later_orders_of_an_opo_have_no_quantity() {
    let opo = |text: &str| list(NewOrderListRequest::parse_opo, text);
    let text = OTO.replace("&pendingQuantity=0.2", "");
    let list_of_two = opo(&text).unwrap();
    assert_eq!(list_of_two.kind, OrderListKind::Opo);
    assert_eq!(types_of(&list_of_two), [OrderType::Limit, OrderType::Market]);
    assert_eq!(list_of_two.orders[1].size, OrderSize::Base(Qty::ZERO));
    let iceberg = "pendingType=LIMIT_MAKER&pendingPrice=26000&pendingIcebergQty=0.01";
    let iceberg = opo(&text.replace("pendingType=MARKET", iceberg)).unwrap();
    assert_eq!(iceberg.orders[1].special().display_qty.lots(), 1_000);
    check(
        opo(&text.replace("workingSide=BUY", "workingSide=SELL")),
        -1222,
        "Working order in an OPO list must be a bid.",
    );
    check(
        opo(&text.replace("pendingSide=SELL", "pendingSide=BUY")),
        -1223,
        "Pending orders in an OPO list must be asks.",
    );
    let unread = "Not all sent parameters were read; read '8' parameter(s) but was sent '9'.";
    check(opo(OTO), -1104, unread);
    check(
        opo(&format!("{text}&pendingQuoteOrderQty=1")),
        -1106,
        "Parameter 'pendingQuoteOrderQty' sent when not required.",
    );

    let opoco = |text: &str| list(NewOrderListRequest::parse_opoco, text);
    let text = OTOCO.replace("&pendingQuantity=0.1", "");
    let list_of_three = opoco(&text).unwrap();
    assert_eq!(list_of_three.kind, OrderListKind::Opoco);
    assert_eq!(list_of_three.orders[2].size, OrderSize::Base(Qty::ZERO));
    check(
        opoco(&text.replace("pendingSide=SELL", "pendingSide=BUY")),
        -1223,
        "Pending orders in an OPO list must be asks.",
    );
}

#[test]
fn the_oco_of_the_past_is_an_oco() {
    let legacy = |text: &str| list(NewOrderListRequest::parse_legacy_oco, text);
    let list = legacy(LEGACY).unwrap();
    assert_eq!(types_of(&list), [OrderType::StopLoss, OrderType::LimitMaker]);
    let limited = format!(
        "{LEGACY}&stopLimitPrice=26100&stopLimitTimeInForce=FOK&stopClientOrderId=s\
         &limitClientOrderId=l&limitIcebergQty=0.01"
    );
    let list = legacy(&limited).unwrap();
    assert_eq!(types_of(&list), [OrderType::StopLossLimit, OrderType::LimitMaker]);
    assert_eq!(list.orders[0].time_in_force, TimeInForce::Fok);
    assert_eq!(list.orders[0].price, Price::from_ticks(2_610_000));
    assert_eq!(list.orders[1].special().display_qty.lots(), 1_000);
    assert_eq!((list.orders[0].cl_ord_id, list.orders[1].cl_ord_id), (cl("s"), cl("l")));
    check(
        legacy(&format!("{LEGACY}&stopLimitPrice=26100")),
        -1102,
        "Mandatory parameter 'stopLimitTimeInForce' was not sent, was empty/null, or malformed.",
    );
}

#[test]
fn a_list_is_canceled_by_id_or_by_name() {
    let cancel = |text: &str| {
        let text = format!("symbol=BTCUSDT&{text}");
        CancelOrderListRequest::parse(query(&text), &markets, &mut || cl("generated"))
            .map(|request| request.cancel)
    };
    let request = cancel("orderListId=300000&listClientOrderId=mine").unwrap();
    assert_eq!(request.instrument, InstrumentId(0));
    assert_eq!(request.order_list, Some(OrderListId(3)));
    assert_eq!(request.list_cl_ord_id, Some(cl("mine")));
    assert_eq!(request.cl_ord_id, cl("generated"));
    assert_eq!(cancel("").unwrap_err().code, -1102);
    // The list of another market.
    let error = cancel("orderListId=300001").unwrap_err();
    assert_eq!((error.code, &*error.msg), (-2011, "Unknown order list sent."));
}

proptest! {
    #[test]
    fn any_values_make_a_list_or_an_error(rest in "[a-zA-Z&=0-9.%\\[\\]\"]{0,60}") {
        let parses: [(Parse, &str); 4] = [
            (NewOrderListRequest::parse_oco, SELL_OCO),
            (NewOrderListRequest::parse_oto, OTO),
            (NewOrderListRequest::parse_otoco, OTOCO),
            (NewOrderListRequest::parse_legacy_oco, LEGACY),
        ];
        for (parse, start) in parses {
            let Ok(params) = Params::parse(&format!("{start}&{rest}"), b"") else { continue };
            let _ = parse(params, &markets, &mut || cl("x"));
        }
    }
}
