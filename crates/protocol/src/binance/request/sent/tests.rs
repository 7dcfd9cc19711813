//! What each type of order asks for, and what it refuses.

use types::{Peg, PegReference};

use super::*;
use crate::binance::request::NewOrderRequest;
use crate::binance::testing::{cl, markets, query};

fn parse(text: &str) -> Result<NewOrder, ApiError> {
    let text = format!("symbol=BTCUSDT&side=SELL&{text}");
    NewOrderRequest::parse(query(&text), &markets, &mut || cl("x")).map(|request| request.order)
}

fn terms(text: &str) -> Terms {
    parse(text).unwrap().terms.unwrap()
}

fn check(text: &str, code: i32, msg: &str) {
    let error = parse(text).unwrap_err();
    assert_eq!((error.code, &*error.msg), (code, msg), "{text}");
}

fn mandatory(name: &str) -> String {
    format!("Mandatory parameter '{name}' was not sent, was empty/null, or malformed.")
}

fn not_required(name: &str) -> String {
    format!("Parameter '{name}' sent when not required.")
}

#[test]
fn a_stop_has_a_trigger_price_or_a_delta_or_both() {
    let order = parse("type=STOP_LOSS&quantity=1&stopPrice=24000").unwrap();
    assert_eq!((order.order_type, order.time_in_force), (OrderType::StopLoss, TimeInForce::Gtc));
    assert_eq!(order.price, Price::from_ticks(0));
    let price = Price::from_ticks(2_400_000);
    let stop_price = Some(price);
    assert_eq!(order.terms, Some(Terms { stop_price, ..Terms::default() }));

    let both = "type=TAKE_PROFIT_LIMIT&timeInForce=IOC&quantity=1&price=24000&stopPrice=24000\
                &trailingDelta=100";
    let order = parse(both).unwrap();
    assert_eq!((order.order_type, order.price), (OrderType::TakeProfitLimit, price));
    let trailing = Terms { stop_price, trailing_delta_bps: 100, ..Terms::default() };
    assert_eq!(order.terms, Some(trailing));
    let delta_alone = terms("type=TAKE_PROFIT&quantity=1&trailingDelta=5");
    assert_eq!((delta_alone.stop_price, delta_alone.trailing_delta_bps), (None, 5));
}

#[test]
fn each_type_refuses_what_it_has_no_use_for() {
    let neither = "Param 'stopPrice' or 'trailingDelta' must be sent, but both were empty/null!";
    for kind in ["STOP_LOSS", "TAKE_PROFIT"] {
        let order = format!("type={kind}&quantity=1");
        check(&order, -1102, neither);
        let order = format!("{order}&stopPrice=1");
        assert!(parse(&order).is_ok());
        check(&format!("{order}&price=1"), -1106, &not_required("price"));
        check(&format!("{order}&timeInForce=GTC"), -1106, &not_required("timeInForce"));
        check(&format!("{order}&icebergQty=0.1"), -1106, &not_required("icebergQty"));
        check(&format!("{order}&quoteOrderQty=1"), -1106, &not_required("quoteOrderQty"));
        let no_quantity = format!("type={kind}&stopPrice=1&quoteOrderQty=5");
        check(&no_quantity, -1102, &mandatory("quantity"));
    }
    for kind in ["STOP_LOSS_LIMIT", "TAKE_PROFIT_LIMIT"] {
        let order = format!("type={kind}&quantity=1&price=1&timeInForce=GTC");
        check(&order, -1102, neither);
        assert!(parse(&format!("{order}&stopPrice=1")).is_ok());
        let no_price = format!("type={kind}&quantity=1&timeInForce=GTC&stopPrice=1");
        check(&no_price, -1102, &mandatory("price"));
        let no_time = format!("type={kind}&quantity=1&price=1&stopPrice=1");
        check(&no_time, -1102, &mandatory("timeInForce"));
    }
    for order in [
        "type=LIMIT&quantity=1&price=1&timeInForce=GTC",
        "type=LIMIT_MAKER&quantity=1&price=1",
        "type=MARKET&quantity=1",
    ] {
        check(&format!("{order}&stopPrice=1"), -1106, &not_required("stopPrice"));
        check(&format!("{order}&trailingDelta=1"), -1106, &not_required("trailingDelta"));
    }
    check("type=MARKET&quantity=1&icebergQty=0.1", -1106, &not_required("icebergQty"));
}

#[test]
fn trigger_prices_and_deltas_pass_the_filters() {
    let stop = "type=STOP_LOSS&quantity=1";
    check(&format!("{stop}&stopPrice=1.001"), -1013, "Filter failure: PRICE_FILTER");
    let precise = "Parameter 'stopPrice' has too much precision.";
    check(&format!("{stop}&stopPrice=1.000000001"), -1111, precise);
    check(&format!("{stop}&trailingDelta=0"), -1013, "Filter failure: TRAILING_DELTA");
    let overflowed = "Parameter 'trailingDelta' overflowed.";
    check(&format!("{stop}&trailingDelta=4294967296"), -1108, overflowed);
}

#[test]
fn an_iceberg_shows_less_than_it_is_and_stays() {
    let limit = "type=LIMIT&quantity=1&price=1";
    let shown = terms(&format!("{limit}&timeInForce=GTC&icebergQty=0.1")).display_qty;
    assert_eq!(shown, Qty::from_lots(10_000));
    let maker = "type=LIMIT_MAKER&quantity=1&price=1&icebergQty=0.1";
    assert_eq!(terms(maker).display_qty, shown);
    let none = format!("{limit}&timeInForce=IOC&icebergQty=0.00000000");
    assert_eq!(parse(&none).unwrap().terms, None);

    let whole = format!("{limit}&timeInForce=GTC&icebergQty=1");
    check(&whole, -1013, "IcebergQty exceeds QTY.");
    let odd = format!("{limit}&timeInForce=GTC&icebergQty=0.000001");
    check(&odd, -1013, "Filter failure: LOT_SIZE");
    let immediate = format!("{limit}&timeInForce=IOC&icebergQty=0.1");
    check(&immediate, -1014, "Unsupported order combination.");
}

#[test]
fn a_primary_peg_follows_and_a_market_peg_takes_its_price_once() {
    let gtc = "type=LIMIT&quantity=1&timeInForce=GTC";
    let peg = |limit| Peg { reference: PegReference::Primary, offset_ticks: 0, limit };
    let order = parse(&format!("{gtc}&pegPriceType=PRIMARY_PEG&price=5")).unwrap();
    assert_eq!((order.order_type, order.price), (OrderType::Limit, Price::from_ticks(0)));
    assert_eq!(order.terms.unwrap().peg, Some(peg(Some(Price::from_ticks(500)))));
    let order = parse("type=LIMIT_MAKER&quantity=1&pegPriceType=PRIMARY_PEG").unwrap();
    assert_eq!(
        (order.order_type, order.terms.unwrap().peg),
        (OrderType::LimitMaker, Some(peg(None)))
    );

    let order = parse("type=LIMIT&quantity=1&timeInForce=IOC&pegPriceType=MARKET_PEG").unwrap();
    assert_eq!((order.order_type, order.terms), (OrderType::MarketToLimit, None));
    assert_eq!((order.time_in_force, order.price), (TimeInForce::Ioc, Price::from_ticks(0)));
}

#[test]
fn pegs_are_refused_by_name() {
    let gtc = "type=LIMIT&quantity=1&timeInForce=GTC";
    let peg = "pegPriceType=PRIMARY_PEG";
    check(&format!("{gtc}&pegPriceType=MID"), -1210, "Invalid pegPriceType.");
    check(&format!("{gtc}&{peg}&pegOffsetType=BPS"), -1211, "Invalid pegOffsetType.");
    check(
        &format!("{gtc}&{peg}&pegOffsetType=PRICE_LEVEL&pegOffsetValue=101"),
        -1102,
        "'pegOffsetValue' contains unexpected value. Cannot be greater than 100.",
    );
    check(
        &format!("{gtc}&{peg}&pegOffsetType=PRICE_LEVEL"),
        -1128,
        "Fields [pegOffsetType,pegOffsetValue] must be sent together or omitted entirely.",
    );
    let offset = "pegOffsetType=PRICE_LEVEL&pegOffsetValue=1";
    check(
        &format!("{gtc}&{peg}&{offset}"),
        -1013,
        "Pegged orders with an offset are not supported for this symbol.",
    );
    check(&format!("{gtc}&price=1&{offset}"), -1106, &not_required("pegOffsetType"));
    let immediate = format!("type=LIMIT&quantity=1&timeInForce=IOC&{peg}");
    check(&immediate, -1014, "Unsupported order combination.");
    check(
        &format!("type=STOP_LOSS_LIMIT&quantity=1&timeInForce=GTC&stopPrice=1&{peg}"),
        -1013,
        "Pegged stop orders are not supported for this symbol.",
    );
    check(
        &format!("{gtc}&price=1&pegPriceType=MARKET_PEG"),
        -1013,
        "Market pegs with a price are not supported for this symbol.",
    );
    check(
        "type=LIMIT_MAKER&quantity=1&pegPriceType=MARKET_PEG",
        -1013,
        "This price peg cannot be used with this order type.",
    );
    for kind in ["MARKET", "STOP_LOSS&stopPrice=1", "TAKE_PROFIT&stopPrice=1"] {
        let order = format!("quantity=1&{peg}&type={kind}");
        check(&order, -1013, "This order type may not use pegged price.");
    }
    check("type=LIMIT&quantity=1&timeInForce=GTC", -1102, &mandatory("price"));
}
