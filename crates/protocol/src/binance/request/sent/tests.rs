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
    let fixed = Terms { fixed_peg: true, ..Terms::default() };
    assert_eq!((order.order_type, order.terms), (OrderType::MarketToLimit, Some(fixed)));
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
        "Pegged orders with an offset of levels are not supported for this symbol.",
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

#[test]
fn our_own_terms_reach_the_engine() {
    let limit = "type=LIMIT&quantity=2&price=5";
    let in_force = |text: &str| parse(text).map(|order| order.time_in_force).unwrap();
    for (word, expect) in [
        ("DAY", TimeInForce::Day),
        ("AT_OPEN", TimeInForce::AtOpen),
        ("AT_CLOSE", TimeInForce::AtClose),
    ] {
        assert_eq!(in_force(&format!("{limit}&timeInForce={word}")), expect);
    }
    let dated = format!("{limit}&timeInForce=GTD&goodTillDate=1507725176595&hidden=true&minQty=1");
    let expect = Terms {
        hidden: true,
        min_qty: Qty::from_lots(100_000),
        expire_ns: 1_507_725_176_595_000_000,
        ..Terms::default()
    };
    assert_eq!(terms(&dated), expect);
    for kind in ["LIMIT_MAKER&price=5", "STOP_LOSS&stopPrice=4", "TAKE_PROFIT&stopPrice=9"] {
        let text = format!("type={kind}&quantity=2");
        assert_eq!(in_force(&text), TimeInForce::Gtc);
        assert_eq!(in_force(&format!("{text}&timeInForce=DAY")), TimeInForce::Day);
    }
    let order = parse("type=MARKET_TO_LIMIT&quantity=2").unwrap();
    let found = (order.order_type, order.time_in_force, order.price, order.terms);
    let expect = (OrderType::MarketToLimit, TimeInForce::Gtc, Price::from_ticks(0), None);
    assert_eq!(found, expect);
    assert_eq!(in_force("type=MARKET_TO_LIMIT&quantity=2&timeInForce=IOC"), TimeInForce::Ioc);
    assert!(terms("type=MARKET&quantity=2&withinBalance=true").within_balance);
    assert_eq!(parse("type=MARKET&quantity=2&withinBalance=false").unwrap().terms, None);
    let iceberg = format!("{limit}&timeInForce=DAY&icebergQty=1");
    assert_eq!(terms(&iceberg).display_qty, Qty::from_lots(100_000));
}

#[test]
fn our_own_pegs_follow_with_an_offset_in_ticks() {
    let gtc = "type=LIMIT&quantity=1&timeInForce=GTC&pegPriceType";
    for (word, reference) in [
        ("PRIMARY_PEG", PegReference::Primary),
        ("OPPOSITE_PEG", PegReference::Market),
        ("MID_PEG", PegReference::Mid),
    ] {
        for offset_ticks in [-3, 250] {
            let offset = format!("pegOffsetType=TICK&pegOffsetValue={offset_ticks}");
            let expect = Peg { reference, offset_ticks, limit: None };
            assert_eq!(terms(&format!("{gtc}={word}&{offset}")).peg, Some(expect));
        }
    }
    let fixed = "type=LIMIT&quantity=1&timeInForce=IOC&pegPriceType=MARKET_PEG";
    check(
        &format!("{fixed}&pegOffsetType=TICK&pegOffsetValue=1"),
        -1013,
        "Market pegs with an offset are not supported for this symbol.",
    );
}

#[test]
fn our_own_terms_are_refused_by_name() {
    let gtc = "type=LIMIT&quantity=2&price=5&timeInForce=GTC";
    let ioc = "type=LIMIT&quantity=2&price=5&timeInForce=IOC";
    let gtd = "type=LIMIT&quantity=2&price=5&timeInForce=GTD";
    let market = "type=MARKET&quantity=2";
    let combination = |text: &str| format!("Unsupported order combination: {text}.");
    check(gtd, -1102, &mandatory("goodTillDate"));
    let bad = "Data sent for parameter 'goodTillDate' is not valid.";
    check(&format!("{gtd}&goodTillDate=0"), -1130, bad);
    check(&format!("{gtc}&goodTillDate=5"), -1106, &not_required("goodTillDate"));
    check(&format!("{market}&hidden=true"), -1106, &not_required("hidden"));
    let text = combination("'hidden' is not for orders with 'timeInForce' IOC");
    check(&format!("{ioc}&hidden=true"), -1014, &text);
    let text = combination("'hidden' and 'icebergQty' exclude each other");
    check(&format!("{gtc}&hidden=true&icebergQty=1"), -1014, &text);
    let hidden = "Data sent for parameter 'hidden' is not valid.";
    check(&format!("{gtc}&hidden=yes"), -1130, hidden);
    let above = "'minQty' exceeds the quantity of the order.";
    check(&format!("{gtc}&minQty=3"), -1013, above);
    check(&format!("{gtc}&minQty=0.000001"), -1013, "Filter failure: LOT_SIZE");
    let maker = "type=LIMIT_MAKER&quantity=2&price=5";
    check(&format!("{maker}&minQty=1"), -1106, &not_required("minQty"));
    check(&format!("{maker}&timeInForce=GTC"), -1106, &not_required("timeInForce"));
    let text = combination("'timeInForce' AT_OPEN is not for 'type' LIMIT_MAKER");
    check(&format!("{maker}&timeInForce=AT_OPEN"), -1014, &text);
    let text = combination("'timeInForce' AT_CLOSE is not for 'type' MARKET");
    check(&format!("{market}&timeInForce=AT_CLOSE"), -1014, &text);
    check(&format!("{market}&timeInForce=DAY"), -1106, &not_required("timeInForce"));
    check(&format!("{gtc}&withinBalance=true"), -1106, &not_required("withinBalance"));
    check("type=MARKET_TO_LIMIT&quantity=2&price=5", -1106, &not_required("price"));
}
