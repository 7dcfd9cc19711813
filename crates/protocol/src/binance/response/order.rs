//! The answer to a new order.

use schemars::JsonSchema;
use serde::Serialize;
use types::{ClOrdId, Event, Market, RejectReason, Symbol};

use crate::binance::list_id::list_id_of;
use crate::binance::reject::{self, Request};
use crate::binance::request::ResponseType;
use crate::binance::response::entered::Entered;
use crate::binance::response::prevented::PreventedInfo;
use crate::binance::response::report::{FillInfo, OrderReport};
use crate::binance::words::{Word, as_text};
use crate::signed::{ApiError, TimeUnit};

/// `POST /api/v3/order`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewOrderAnswer {
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    symbol: Symbol,
    order_id: u64,
    order_list_id: i64,
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    client_order_id: ClOrdId,
    transact_time: u64,
    #[serde(flatten)]
    result: Option<OrderReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fills: Option<Vec<FillInfo>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    prevented_matches: Vec<PreventedInfo>,
}

impl NewOrderAnswer {
    /// From the events of the one command that entered the order.
    pub fn new(
        market: &Market,
        events: &[Event],
        response_type: ResponseType,
        unit: TimeUnit,
    ) -> Result<Self, ApiError> {
        match Entered::find(events) {
            Some(entered) => Ok(Self::from_entered(market, &entered, response_type, unit)),
            None => Err(new_order_refusal(market, events)),
        }
    }

    pub(super) fn from_entered(
        market: &Market,
        entered: &Entered<'_>,
        response_type: ResponseType,
        unit: TimeUnit,
    ) -> Self {
        let order = &entered.order;
        let tells = response_type != ResponseType::Ack;
        let fills = || {
            let fills = entered.fills.iter();
            fills.map(|(trade, fill)| FillInfo::new(market, trade, fill)).collect()
        };
        let prevented = entered.prevented.iter().filter(|_| tells);
        Self {
            symbol: market.instrument.spec.symbol,
            order_id: order.order_id.0,
            order_list_id: list_id_of(order),
            client_order_id: order.cl_ord_id,
            transact_time: unit.time(order.updated_ns),
            result: tells.then(|| OrderReport::new(market, order, &entered.facts, unit)),
            fills: (response_type == ResponseType::Full).then(fills),
            prevented_matches: prevented
                .map(|prevented| PreventedInfo::new(market, prevented))
                .collect(),
        }
    }
}

/// `POST /api/v3/sor/order`. The venue has one book a symbol, so the order works there and nowhere
/// else.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoutedOrderAnswer {
    #[serde(flatten)]
    order: NewOrderAnswer,
    working_floor: Word,
    used_sor: bool,
}

impl From<NewOrderAnswer> for RoutedOrderAnswer {
    fn from(order: NewOrderAnswer) -> Self {
        Self { order, working_floor: "EXCHANGE".into(), used_sor: true }
    }
}

/// Why a command has no result. Without a refusal among its events its result is not known.
pub(super) fn refusal(events: &[Event], in_cancel: bool, request: Request) -> ApiError {
    match find_refusal(events, in_cancel) {
        Some(reason) => reject::api_error(reason, request),
        None => ApiError::unknown(),
    }
}

/// Why a new order has no result.
pub(super) fn new_order_refusal(market: &Market, events: &[Event]) -> ApiError {
    match find_refusal(events, false) {
        Some(reason) => reject::new_order_error(reason, market),
        None => ApiError::unknown(),
    }
}

pub(super) fn find_refusal(events: &[Event], in_cancel: bool) -> Option<RejectReason> {
    events.iter().find_map(|event| match event {
        Event::CommandRejected(rejected) if rejected.in_cancel == in_cancel => {
            Some(rejected.reason)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::{
        AccountId, Amount, AssetId, CancelCause, ExpireCause, Fill, InstrumentId, Order,
        OrderDecremented, OrderExpired, OrderId, OrderRested, OrderStatus, OrderTerms,
        OrderTriggered, OrderType, Peg, PegReference, Prevented, Price, Qty, Side, StpMode, Terms,
        TimeInForce, TradeExecuted, TradeId, TradePrevented,
    };

    use super::*;
    use crate::binance::response::encode;
    use crate::binance::testing::{accepted, btcusdt, canceled, check, order, rejected};

    const MS: TimeUnit = TimeUnit::Millisecond;

    /// The taker gets 0.04 at 24 999.
    fn trade(taker: Order) -> Event {
        let fill = |order| Fill {
            account_seq: 2,
            order,
            fee: Amount::from_minor(6_000),
            fee_asset: AssetId(0),
        };
        Event::TradeExecuted(TradeExecuted {
            instrument_seq: 2,
            instrument: InstrumentId(0),
            trade_id: TradeId(56),
            price: Price::from_ticks(2_499_900),
            qty: Qty::from_lots(4_000),
            quote: Amount::from_minor(99_996_000_000),
            side: Side::Buy,
            maker: fill(Order { side: Side::Sell, ..order(1) }),
            taker: fill(taker),
        })
    }

    fn partly_filled() -> Order {
        Order {
            status: OrderStatus::PartiallyFilled,
            cum_qty: Qty::from_lots(4_000),
            cum_quote: Amount::from_minor(99_996_000_000),
            ..order(28)
        }
    }

    /// Before it another order was due to end; after its rest come a trade of an order that it
    /// triggered, one in which it is itself the maker, and what became of others.
    #[test]
    fn an_answer_has_what_the_order_did_on_entry() {
        let with = |maker: Order, taker: Order| {
            let Event::TradeExecuted(mut executed) = trade(taker) else { unreachable!() };
            executed.maker.order = maker;
            Event::TradeExecuted(executed)
        };
        let other = |id: u64| Order { order_id: OrderId(id), ..partly_filled() };
        let ended = |order| {
            let (account_seq, instrument_seq, cause) = (1, 1, ExpireCause::GoodTillDate);
            let prevented = None;
            let expired = OrderExpired { account_seq, instrument_seq, order, cause, prevented };
            Event::OrderExpired(expired)
        };
        let rested = |order: &Order| {
            Event::OrderRested(OrderRested {
                instrument_seq: 3,
                instrument: order.instrument,
                order_id: order.order_id,
                side: order.side,
                price: order.price,
                leaves_qty: order.leaves_qty(),
            })
        };
        let elsewhere = Order { instrument: InstrumentId(1), ..partly_filled() };
        let later = Order { cum_qty: Qty::from_lots(6_000), ..partly_filled() };
        let before = [ended(other(3)), accepted(order(28)), with(other(5), elsewhere)];
        let after = [
            with(other(5), other(6)),
            with(later, other(6)),
            ended(other(6)),
            ended(later),
            canceled(other(7), CancelCause::OrderList),
        ];
        for own in [
            vec![rested(&order(28))],
            vec![with(other(5), partly_filled()), rested(&partly_filled())],
            // A hidden order rests without an event.
            vec![with(other(5), partly_filled())],
        ] {
            let events = [&before[..], &own, &after].concat();
            let entered = Entered::find(&events).unwrap();
            let fills = own.len() - usize::from(matches!(own.last(), Some(Event::OrderRested(_))));
            let expect = if fills > 0 { partly_filled() } else { order(28) };
            assert_eq!((entered.order, entered.fills.len()), (expect, fills));
            assert_eq!(entered.facts.expired, None);
        }
    }

    #[test]
    fn a_full_answer_has_the_fills_and_the_order_as_it_ended() {
        let events = [accepted(order(28)), trade(partly_filled())];
        let answer = NewOrderAnswer::new(&btcusdt(), &events, ResponseType::Full, MS).unwrap();
        assert_eq!(
            encode(&answer),
            concat!(
                r#"{"symbol":"BTCUSDT","orderId":28,"orderListId":-1,"clientOrderId":"mine","#,
                r#""transactTime":1507725176595,"price":"25000.00000000","origQty":"0.10000000","#,
                r#""executedQty":"0.04000000","origQuoteOrderQty":"0.00000000","#,
                r#""cummulativeQuoteQty":"999.96000000","status":"PARTIALLY_FILLED","#,
                r#""timeInForce":"GTC","type":"LIMIT","side":"BUY","workingTime":1507725176595,"#,
                r#""selfTradePreventionMode":"NONE","fills":[{"price":"24999.00000000","#,
                r#""qty":"0.04000000","commission":"0.00006000","commissionAsset":"BTC","tradeId":56}]}"#,
            )
        );
    }

    #[test]
    fn an_acknowledgement_is_short() {
        let unit = TimeUnit::Microsecond;
        let events = [accepted(order(28))];
        let answer = NewOrderAnswer::new(&btcusdt(), &events, ResponseType::Ack, unit).unwrap();
        check(
            &answer,
            json!({
                "symbol": "BTCUSDT", "orderId": 28, "orderListId": -1, "clientOrderId": "mine",
                "transactTime": 1_507_725_176_595_123_u64,
            }),
        );
    }

    #[test]
    fn a_result_shows_why_an_order_expired_and_whose_strategy_it_was() {
        let ioc = Order {
            time_in_force: TimeInForce::Ioc,
            strategy_id: Some(7),
            strategy_type: Some(1_000_000),
            ..order(28)
        };
        let expired = OrderExpired {
            account_seq: 2,
            instrument_seq: 2,
            order: Order { status: OrderStatus::Expired, ..ioc },
            cause: ExpireCause::ImmediateOrCancel,
            prevented: None,
        };
        let events = [accepted(ioc), Event::OrderExpired(expired)];
        let answer = NewOrderAnswer::new(&btcusdt(), &events, ResponseType::Result, MS).unwrap();
        check(
            &answer,
            json!({
                "symbol": "BTCUSDT", "orderId": 28, "orderListId": -1, "clientOrderId": "mine",
                "transactTime": 1_507_725_176_595_u64, "price": "25000.00000000",
                "origQty": "0.10000000", "executedQty": "0.00000000",
                "origQuoteOrderQty": "0.00000000", "cummulativeQuoteQty": "0.00000000",
                "status": "EXPIRED", "timeInForce": "IOC", "type": "LIMIT", "side": "BUY",
                "strategyId": 7, "strategyType": 1_000_000,
                "workingTime": 1_507_725_176_595_u64, "selfTradePreventionMode": "NONE",
                "expiryReason": "UNFILLED_IOC_QUANTITY_EXPIRED",
            }),
        );
    }

    #[test]
    fn a_refused_order_is_an_error() {
        let error = |events: &[Event]| {
            NewOrderAnswer::new(&btcusdt(), events, ResponseType::Full, MS).unwrap_err().code
        };
        assert_eq!(error(&[rejected(RejectReason::InsufficientBalance, false)]), -2010);
        assert_eq!(error(&[rejected(RejectReason::NotionalBelowMin, false)]), -1013);
        assert_eq!(error(&[]), -1000);
    }

    /// Of 0.04 lots, and what it took off each side.
    fn prevented(stp_mode: StpMode, maker_lots: u64, taker_lots: u64) -> TradePrevented {
        TradePrevented {
            instrument_seq: 3,
            instrument: InstrumentId(0),
            prevented_match_id: 7,
            price: Price::from_ticks(2_499_900),
            qty: Qty::from_lots(4_000),
            stp_mode,
            stp_group: 0,
            maker_account: AccountId(7),
            maker_order_id: OrderId(4),
            maker_prevented_qty: Qty::from_lots(maker_lots),
            taker_account: AccountId(7),
            taker_order_id: OrderId(28),
            taker_prevented_qty: Qty::from_lots(taker_lots),
            prevented_ns: 1_507_725_176_596_000_000,
        }
    }

    fn ended_in_match(order: Order) -> Event {
        let lots = order.order_qty - order.cum_qty;
        let mut order = lowered(order, lots);
        order.status = OrderStatus::Prevented;
        let (account_seq, instrument_seq, cause) = (2, 2, ExpireCause::SelfTrade);
        let prevented = Some(part(lots));
        let expired = OrderExpired { account_seq, instrument_seq, order, cause, prevented };
        Event::OrderExpired(expired)
    }

    fn part(prevented_qty: Qty) -> Prevented {
        Prevented {
            prevented_match_id: 7,
            price: Price::from_ticks(2_499_900),
            qty: Qty::from_lots(4_000),
            prevented_qty,
            counter_order_id: OrderId(4),
            stp_group: 0,
        }
    }

    fn lowered(order: Order, qty: Qty) -> Order {
        let terms = order.terms.unwrap_or_default();
        let terms = OrderTerms { prevented_qty: qty, prevented_match_id: 7, ..terms };
        Order { order_qty: order.order_qty - qty, terms: Some(terms), ..order }
    }

    fn decremented(order: Order) -> Event {
        let prevented = part(Qty::from_lots(4_000));
        let order = lowered(order, prevented.prevented_qty);
        let (account_seq, instrument_seq) = (2, 2);
        Event::OrderDecremented(OrderDecremented { account_seq, instrument_seq, order, prevented })
    }

    fn result_of(events: &[Event]) -> serde_json::Value {
        let answer = NewOrderAnswer::new(&btcusdt(), events, ResponseType::Result, MS);
        serde_json::to_value(answer.unwrap()).unwrap()
    }

    /// The scenarios of Binance's FAQ on self-trade prevention.
    #[test]
    fn what_was_prevented_is_shown_and_what_ended_by_it_expired_in_match() {
        let told = |prevented: TradePrevented, then: &[Event]| {
            let taken_on = accepted(Order { stp_mode: prevented.stp_mode, ..order(28) });
            result_of(&[&[taken_on, Event::TradePrevented(prevented)], then].concat())
        };
        let matched = |rest: serde_json::Value| {
            let mut expect = json!([{
                "preventedMatchId": 7, "makerOrderId": 4, "price": "24999.00000000",
            }]);
            expect[0].as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            expect
        };
        let maker = Order { cum_qty: Qty::from_lots(1_000), ..order(4) };

        let answer = told(prevented(StpMode::ExpireMaker, 9_000, 0), &[ended_in_match(maker)]);
        assert_eq!(answer["status"], "NEW");
        let whole_maker = matched(json!({"makerPreventedQuantity": "0.09000000"}));
        assert_eq!(answer["preventedMatches"], whole_maker);
        assert_eq!(answer["preventedQuantity"], json!(null));
        assert_eq!(answer["preventedMatchId"], json!(null));

        let taker = prevented(StpMode::ExpireTaker, 0, 10_000);
        let answer = told(taker, &[ended_in_match(order(28))]);
        assert_eq!(answer["status"], "EXPIRED_IN_MATCH");
        assert_eq!(answer["preventedQuantity"], "0.10000000");
        assert_eq!(answer["origQty"], "0.10000000");
        assert_eq!(answer["expiryReason"], json!(null));
        let whole_taker = matched(json!({"takerPreventedQuantity": "0.10000000"}));
        assert_eq!(answer["preventedMatches"], whole_taker);

        let both = prevented(StpMode::Decrement, 4_000, 4_000);
        let answer = told(both, &[decremented(order(4)), decremented(order(28))]);
        assert_eq!((&answer["status"], &answer["origQty"]), (&json!("NEW"), &json!("0.10000000")));
        assert_eq!(answer["preventedQuantity"], "0.04000000");
        assert_eq!(answer["preventedMatchId"], 7);
        let both = json!({
            "takerPreventedQuantity": "0.04000000", "makerPreventedQuantity": "0.04000000",
        });
        assert_eq!(answer["preventedMatches"], matched(both));

        let acknowledged = NewOrderAnswer::new(
            &btcusdt(),
            &[accepted(order(28)), Event::TradePrevented(prevented(StpMode::ExpireMaker, 1, 0))],
            ResponseType::Ack,
            MS,
        );
        assert!(!encode(&acknowledged.unwrap()).contains("prevented"));
    }

    #[test]
    fn a_stop_shows_its_trigger_and_works_once_that_is_reached() {
        let terms = Terms {
            stop_price: Some(Price::from_ticks(2_400_000)),
            trailing_delta_bps: 100,
            display_qty: Qty::from_lots(1_000),
            ..Terms::default()
        };
        let stop = Order {
            order_type: OrderType::StopLossLimit,
            side: Side::Sell,
            terms: Some(OrderTerms { terms, ..OrderTerms::default() }),
            ..order(28)
        };
        let answer = result_of(&[accepted(stop)]);
        assert_eq!(
            answer,
            json!({
                "symbol": "BTCUSDT", "orderId": 28, "orderListId": -1, "clientOrderId": "mine",
                "transactTime": 1_507_725_176_595_u64, "price": "25000.00000000",
                "origQty": "0.10000000", "executedQty": "0.00000000",
                "origQuoteOrderQty": "0.00000000", "cummulativeQuoteQty": "0.00000000",
                "status": "NEW", "timeInForce": "GTC", "type": "STOP_LOSS_LIMIT", "side": "SELL",
                "stopPrice": "24000.00000000", "trailingDelta": 100, "trailingTime": -1,
                "icebergQty": "0.01000000", "workingTime": -1, "selfTradePreventionMode": "NONE",
            })
        );
        let trailing = Terms { stop_price: None, ..terms };
        let trailing_ns = stop.created_ns;
        let trailing = Some(OrderTerms { terms: trailing, trailing_ns, ..OrderTerms::default() });
        let answer = result_of(&[accepted(Order { terms: trailing, ..stop })]);
        assert_eq!(answer["trailingTime"], 1_507_725_176_595_u64);

        let updated_ns = 1_507_725_176_600_000_000;
        let reached = OrderTerms { terms, triggered_ns: updated_ns, ..OrderTerms::default() };
        let triggered = OrderTriggered {
            account_seq: 2,
            instrument_seq: 2,
            order: Order { terms: Some(reached), updated_ns, ..stop },
        };
        let answer = result_of(&[accepted(stop), Event::OrderTriggered(triggered)]);
        assert_eq!(answer["workingTime"], 1_507_725_176_600_u64);
    }

    #[test]
    fn a_pegged_order_shows_its_limit_and_where_it_stands() {
        let peg = Peg {
            reference: PegReference::Primary,
            offset_ticks: 0,
            limit: Some(Price::from_ticks(2_600_000)),
        };
        let terms = Terms { peg: Some(peg), ..Terms::default() };
        let pegged =
            Order { terms: Some(OrderTerms { terms, ..OrderTerms::default() }), ..order(28) };
        let answer = result_of(&[accepted(pegged)]);
        let told = |answer: &serde_json::Value| {
            let names = ["type", "price", "pegPriceType", "peggedPrice"];
            names.map(|name| answer[name].as_str().unwrap_or_default().to_owned())
        };
        let expect = ["LIMIT", "26000.00000000", "PRIMARY_PEG", "25000.00000000"];
        assert_eq!(told(&answer), expect);
        let once = Order { order_type: OrderType::MarketToLimit, ..order(28) };
        let expect = ["MARKET_TO_LIMIT", "25000.00000000", "", ""];
        assert_eq!(told(&result_of(&[accepted(once)])), expect);
        let terms = Terms { fixed_peg: true, ..Terms::default() };
        let once = Order { terms: Some(OrderTerms { terms, ..OrderTerms::default() }), ..once };
        let expect = ["LIMIT", "0.00000000", "MARKET_PEG", "25000.00000000"];
        assert_eq!(told(&result_of(&[accepted(once)])), expect);
    }
}
