//! Requests for orders as commands. What goes with what is the engine's to check.

use proto::v1;
use protocol::signed::ApiError;
use types::{
    CancelOrder, CancelRestriction, ClOrdId, Command, Market, MassCancel, ModifyOrder, NewOrder,
    OrderId, OrderRef, OrderSize, OrderType, Price, Qty, StpMode, Terms, TimeInForce,
};

use crate::door::generate::generate;
use crate::grpc::words::Given;

const STRATEGY_TYPE_MIN: i32 = 1_000_000;
const CL_ORD_ID_LEGAL: &str = r"^[\.A-Z\:/a-z0-9_-]{1,36}$";

pub(super) fn place(market: &Market, sent: &v1::PlaceOrderRequest) -> Result<NewOrder, ApiError> {
    let order_type = sent.r#type().given().ok_or_else(ApiError::invalid_order_type)?;
    let terms = Terms {
        stop_price: optional(&sent.stop_price, |text| price(market, text))?,
        trailing_delta_bps: sent.trailing_delta_bps,
        display_qty: optional_qty(market, "display_quantity", &sent.display_quantity)?,
        hidden: sent.hidden,
        min_qty: optional_qty(market, "min_quantity", &sent.min_quantity)?,
        expire_ns: ns_of_ms("expire_ms", sent.expire_ms)?,
        within_balance: sent.within_balance,
        ..Terms::default()
    };
    check_terms(order_type, sent)?;
    if sent.strategy_type.is_some_and(|strategy_type| strategy_type < STRATEGY_TYPE_MIN) {
        return Err(ApiError::strategy_type_too_low());
    }
    Ok(NewOrder {
        instrument: market.instrument.id,
        cl_ord_id: name("client_order_id", &sent.client_order_id)?.unwrap_or_else(generate),
        side: sent.side().given().ok_or_else(ApiError::invalid_side)?,
        order_type,
        time_in_force: time_in_force(order_type, sent.time_in_force())?,
        stp_mode: sent.stp_mode().given().unwrap_or(StpMode::None),
        price: own_price(market, order_type, &sent.price)?,
        size: size(market, sent)?,
        strategy_id: sent.strategy_id,
        strategy_type: sent.strategy_type,
        terms: (terms != Terms::default()).then_some(terms),
    })
}

pub(super) fn cancel(
    market: &Market,
    sent: &v1::CancelOrderRequest,
) -> Result<CancelOrder, ApiError> {
    let order = order_ref(sent.order_id, &sent.client_order_id)?;
    let (instrument, restriction) = (market.instrument.id, CancelRestriction::None);
    Ok(CancelOrder { instrument, order, cl_ord_id: generate(), restriction })
}

pub(super) fn replace(
    market: &Market,
    sent: &v1::ReplaceOrderRequest,
) -> Result<ModifyOrder, ApiError> {
    Ok(ModifyOrder {
        instrument: market.instrument.id,
        order: order_ref(sent.order_id, &sent.client_order_id)?,
        cl_ord_id: name("new_client_order_id", &sent.new_client_order_id)?,
        order_qty: qty(market, "quantity", &sent.quantity)?,
        price: optional(&sent.price, |text| price(market, text))?,
    })
}

/// Any request of a stream for this market.
pub fn command(market: &Market, request: &v1::order_request::Request) -> Result<Command, ApiError> {
    use v1::order_request::Request;
    Ok(match request {
        Request::Place(sent) => Command::NewOrder(place(market, sent)?),
        Request::Cancel(sent) => Command::CancelOrder(cancel(market, sent)?),
        Request::Replace(sent) => Command::ModifyOrder(replace(market, sent)?),
        Request::CancelAll(sent) => Command::MassCancel(cancel_all(Some(market), sent)?),
    })
}

pub(super) fn cancel_all(
    market: Option<&Market>,
    sent: &v1::CancelAllRequest,
) -> Result<MassCancel, ApiError> {
    let instrument = market.map(|market| market.instrument.id);
    Ok(MassCancel { instrument, side: sent.side().given(), cl_ord_id: generate() })
}

pub(super) fn order_ref(order_id: u64, client_order_id: &str) -> Result<OrderRef, ApiError> {
    let cl_ord_id = name("client_order_id", client_order_id)?;
    let order_id = (order_id > 0).then_some(OrderId(order_id));
    if order_id.is_none() && cl_ord_id.is_none() {
        return Err(ApiError::either_mandatory("order_id", "client_order_id"));
    }
    Ok(OrderRef { order_id, cl_ord_id })
}

/// A client's name for an order; `None` if there is none.
fn name(field: &str, text: &str) -> Result<Option<ClOrdId>, ApiError> {
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = ClOrdId::parse(text).filter(|name| !name.is_of_venue());
    parsed.map(Some).ok_or_else(|| ApiError::illegal_characters(field, CL_ORD_ID_LEGAL))
}

fn time_in_force(order_type: OrderType, sent: v1::TimeInForce) -> Result<TimeInForce, ApiError> {
    let Some(time_in_force) = sent.given() else { return Ok(TimeInForce::Gtc) };
    if order_type == OrderType::Market {
        Err(ApiError::not_required("time_in_force"))
    } else {
        Ok(time_in_force)
    }
}

/// A trigger belongs to orders that wait for one.
fn check_terms(order_type: OrderType, sent: &v1::PlaceOrderRequest) -> Result<(), ApiError> {
    let has_trigger = !sent.stop_price.is_empty() || sent.trailing_delta_bps > 0;
    match (order_type.is_stop(), has_trigger) {
        (true, false) => Err(ApiError::either_mandatory("stop_price", "trailing_delta_bps")),
        (false, true) => Err(ApiError::not_required("stop_price")),
        _ => Ok(()),
    }
}

fn own_price(market: &Market, order_type: OrderType, text: &str) -> Result<Price, ApiError> {
    let has_none = order_type.is_market() || order_type == OrderType::MarketToLimit;
    match (has_none, text) {
        (true, "") => Ok(Price::default()),
        (true, _) => Err(ApiError::not_required("price")),
        (false, "") => Err(ApiError::mandatory("price")),
        (false, text) => price(market, text),
    }
}

fn size(market: &Market, sent: &v1::PlaceOrderRequest) -> Result<OrderSize, ApiError> {
    match (&*sent.quantity, &*sent.quote_quantity) {
        ("", "") => Err(ApiError::mandatory("quantity")),
        (text, "") => qty(market, "quantity", text).map(OrderSize::Base),
        ("", text) => {
            let amount = market.quote.parse_amount(text);
            let amount = amount.ok_or_else(|| ApiError::invalid_parameter("quote_quantity"))?;
            Ok(OrderSize::Quote(amount))
        }
        _ => Err(ApiError::not_required("quote_quantity")),
    }
}

fn optional<T>(
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, ApiError>,
) -> Result<Option<T>, ApiError> {
    if text.is_empty() { Ok(None) } else { parse(text).map(Some) }
}

fn optional_qty(market: &Market, field: &str, text: &str) -> Result<Qty, ApiError> {
    Ok(optional(text, |text| qty(market, field, text))?.unwrap_or(Qty::ZERO))
}

fn qty(market: &Market, field: &str, text: &str) -> Result<Qty, ApiError> {
    market.instrument.parse_qty(text).ok_or_else(|| ApiError::invalid_parameter(field))
}

fn price(market: &Market, text: &str) -> Result<Price, ApiError> {
    market.instrument.parse_price(text).ok_or_else(|| ApiError::invalid_parameter("price"))
}

pub(super) fn ns_of_ms(field: &str, ms: u64) -> Result<u64, ApiError> {
    ms.checked_mul(1_000_000).ok_or_else(|| ApiError::overflowed(field))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proto::Message;

    use super::*;

    fn limit() -> v1::PlaceOrderRequest {
        v1::PlaceOrderRequest {
            symbol: "BTCUSDT".into(),
            side: v1::Side::Buy.into(),
            r#type: v1::OrderType::Limit.into(),
            quantity: "0.001".into(),
            price: "60000.5".into(),
            client_order_id: "mine".into(),
            ..Default::default()
        }
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut v1::PlaceOrderRequest), refused: Option<&str>) {
        let mut sent = limit();
        change(&mut sent);
        let placed = place(&Market::example(), &sent);
        match (placed, refused) {
            (Ok(_), None) => {}
            (Err(error), Some(part)) => assert!(error.msg.contains(part), "{}", error.msg),
            (placed, refused) => panic!("{placed:?} and not {refused:?}"),
        }
    }

    #[test]
    fn numbers_are_exact_or_refused() {
        let order = place(&Market::example(), &limit()).unwrap();
        assert_eq!(
            (order.price, order.size),
            (Price::from_ticks(6_000_050), OrderSize::Base(Qty::from_lots(100)))
        );
        assert_eq!((order.time_in_force, order.terms), (TimeInForce::Gtc, None));
        check(|sent| sent.price = "60000.501".into(), Some("'price'"));
        check(|sent| sent.quantity = "1e3".into(), Some("'quantity'"));
        check(|sent| sent.quantity = String::new(), Some("'quantity'"));
        check(|sent| sent.min_quantity = "-1".into(), Some("'min_quantity'"));
        check(|sent| sent.expire_ms = u64::MAX, Some("'expire_ms'"));
    }

    #[test]
    fn what_an_order_lacks_or_has_too_much_is_named() {
        check(|sent| sent.price = String::new(), Some("'price'"));
        check(|sent| sent.side = 0, Some("side"));
        check(|sent| sent.side = 77, Some("side"));
        check(|sent| sent.r#type = 0, Some("orderType"));
        check(|sent| sent.stop_price = "1".into(), Some("'stop_price'"));
        check(|sent| sent.client_order_id = "~venue".into(), Some("'client_order_id'"));
        check(|sent| sent.client_order_id = "a b".into(), Some("'client_order_id'"));
        check(|sent| sent.r#type = v1::OrderType::StopLossLimit.into(), Some("'stop_price'"));
        let market = |sent: &mut v1::PlaceOrderRequest| {
            sent.r#type = v1::OrderType::Market.into();
            sent.price = String::new();
        };
        check(market, None);
        let both = |sent: &mut v1::PlaceOrderRequest| {
            market(sent);
            sent.quote_quantity = "10".into();
        };
        check(both, Some("'quote_quantity'"));
        let ioc = |sent: &mut v1::PlaceOrderRequest| {
            market(sent);
            sent.time_in_force = v1::TimeInForce::Ioc.into();
        };
        check(ioc, Some("'time_in_force'"));
    }

    proptest! {
        /// Whatever a message has, it is an order or a refusal, and numbers are as they were sent.
        #[test]
        fn any_message_is_an_order_or_a_refusal(
            bytes in vec(any::<u8>(), 0..200),
            price in "[0-9.e+-]{0,24}|\\PC{0,8}",
            quantity in "[0-9.e+-]{0,24}|\\PC{0,8}",
            numbers in any::<(i32, i32, i32, i32, u64)>(),
        ) {
            let market = Market::example();
            if let Ok(sent) = v1::PlaceOrderRequest::decode(&*bytes) {
                let _read = place(&market, &sent);
            }
            let (side, r#type, time_in_force, stp_mode, expire_ms) = numbers;
            let small = |n: i32| n.rem_euclid(9);
            let sent = v1::PlaceOrderRequest {
                side: small(side),
                r#type: small(r#type),
                time_in_force: small(time_in_force),
                stp_mode,
                expire_ms,
                price: price.clone(),
                quantity,
                ..limit()
            };
            if let Ok(order) = place(&market, &sent)
                && order.price != Price::default()
            {
                let as_sent = types::parse_decimal(&price, market.quote.decimals);
                let as_read = types::parse_decimal(&market.price(order.price), market.quote.decimals);
                prop_assert_eq!(as_sent, as_read);
            }
        }
    }
}
