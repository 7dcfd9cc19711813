//! Requests as commands. What goes with what is the engine's to check.

use types::{
    CancelOrder, CancelRestriction, ClOrdId, Command, Market, MassCancel, NewOrder, OrderId,
    OrderRef, OrderSize, OrderType, Price, Qty, StpMode, Terms, TimeInForce,
};

use super::fault::{Fault, FaultCode};
use super::request::{Action, Decimal, Request, Sent, name};
use super::word::{ORDER_TYPES, SIDES, STP_MODES, TIMES_IN_FORCE, choose};

const STRATEGY_TYPE_MIN: i32 = 1_000_000;
const NS_PER_MS: u64 = 1_000_000;

impl Request<'_> {
    /// The command for this market; only a cancel of all orders needs none. `generate` makes names
    /// for orders without an id.
    pub fn command(
        &self,
        market: Option<&Market>,
        generate: impl FnOnce() -> ClOrdId,
    ) -> Result<Command, Fault> {
        self.check_fields()?;
        match (self.action, market) {
            (Action::CancelAll, market) => Ok(Command::MassCancel(MassCancel {
                instrument: market.map(|market| market.instrument.id),
                side: None,
                cl_ord_id: self.id.unwrap_or_else(generate),
            })),
            (_, None) => Err(match self.symbol() {
                None => Fault::missing("symbol"),
                Some(_) => Fault::new(FaultCode::UnknownSymbol, "there is no such symbol"),
            }),
            (Action::New, Some(market)) => self.new_order(market, generate).map(Command::NewOrder),
            (Action::Cancel, Some(market)) => {
                self.cancel(market, generate).map(Command::CancelOrder)
            }
        }
    }

    /// Refuses fields of another action.
    fn check_fields(&self) -> Result<(), Fault> {
        let sent = &self.sent;
        if self.action != Action::New
            && let Some(field) = sent.field_of_new_order()
        {
            return Err(Fault::not_allowed(field, "the action NEW"));
        }
        if self.action != Action::Cancel {
            let fields = [
                ("orderId", sent.order_id.is_some()),
                ("origClientOrderId", sent.orig_client_order_id.is_some()),
            ];
            if let Some((field, _)) = fields.iter().find(|(_, is_sent)| *is_sent) {
                return Err(Fault::not_allowed(field, "the action CANCEL"));
            }
        }
        Ok(())
    }

    fn new_order(
        &self,
        market: &Market,
        generate: impl FnOnce() -> ClOrdId,
    ) -> Result<NewOrder, Fault> {
        let sent = &self.sent;
        let r#type = sent.r#type.as_ref().ok_or_else(|| Fault::missing("type"))?;
        let side = sent.side.as_ref().ok_or_else(|| Fault::missing("side"))?;
        let order_type = choose("type", ORDER_TYPES, r#type.get())?;
        let stp_mode = sent.self_trade_prevention_mode.as_ref();
        let stp_mode = stp_mode
            .map(|text| choose("selfTradePreventionMode", STP_MODES, text.get()))
            .transpose()?;
        if sent.strategy_type.is_some_and(|strategy_type| strategy_type < STRATEGY_TYPE_MIN) {
            return Err(Fault::invalid("strategyType", "at least 1000000"));
        }
        let terms = sent.terms(market, order_type)?;
        Ok(NewOrder {
            instrument: market.instrument.id,
            cl_ord_id: self.id.unwrap_or_else(generate),
            side: choose("side", SIDES, side.get())?,
            order_type,
            time_in_force: sent.time_in_force(order_type)?,
            stp_mode: stp_mode.unwrap_or(StpMode::None),
            price: sent.price(market, order_type)?,
            size: sent.size(market)?,
            strategy_id: sent.strategy_id,
            strategy_type: sent.strategy_type,
            terms: (terms != Terms::default()).then_some(terms),
        })
    }

    fn cancel(
        &self,
        market: &Market,
        generate: impl FnOnce() -> ClOrdId,
    ) -> Result<CancelOrder, Fault> {
        let order_id = self.sent.order_id.map(OrderId);
        let cl_ord_id = name("origClientOrderId", self.sent.orig_client_order_id.as_ref())?;
        if order_id.is_none() && cl_ord_id.is_none() {
            return Err(Fault::missing("orderId or origClientOrderId"));
        }
        Ok(CancelOrder {
            instrument: market.instrument.id,
            order: OrderRef { order_id, cl_ord_id },
            cl_ord_id: self.id.unwrap_or_else(generate),
            restriction: CancelRestriction::None,
        })
    }
}

impl Sent<'_> {
    /// The first field that only a new order has.
    fn field_of_new_order(&self) -> Option<&'static str> {
        let fields = [
            ("side", self.side.is_some()),
            ("type", self.r#type.is_some()),
            ("timeInForce", self.time_in_force.is_some()),
            ("quantity", self.quantity.is_some()),
            ("quoteOrderQty", self.quote_order_qty.is_some()),
            ("price", self.price.is_some()),
            ("stopPrice", self.stop_price.is_some()),
            ("trailingDelta", self.trailing_delta.is_some()),
            ("icebergQty", self.iceberg_qty.is_some()),
            ("hidden", self.hidden.is_some()),
            ("minQty", self.min_qty.is_some()),
            ("goodTillDate", self.good_till_date.is_some()),
            ("withinBalance", self.within_balance.is_some()),
            ("selfTradePreventionMode", self.self_trade_prevention_mode.is_some()),
            ("strategyId", self.strategy_id.is_some()),
            ("strategyType", self.strategy_type.is_some()),
        ];
        fields.into_iter().find(|(_, is_sent)| *is_sent).map(|(field, _)| field)
    }

    /// A trigger belongs to orders that wait for one.
    fn terms(&self, market: &Market, order_type: OrderType) -> Result<Terms, Fault> {
        let trailing_delta_bps = self.trailing_delta.unwrap_or_default();
        let has_trigger = self.stop_price.is_some() || trailing_delta_bps > 0;
        match (order_type.is_stop(), has_trigger) {
            (true, false) => return Err(Fault::missing("stopPrice or trailingDelta")),
            (false, true) => {
                let field = if self.stop_price.is_some() { "stopPrice" } else { "trailingDelta" };
                return Err(Fault::not_allowed(field, "orders that wait for a trigger"));
            }
            _ => {}
        }
        let expire_ms = self.good_till_date.unwrap_or_default();
        let expire_ns = expire_ms.checked_mul(NS_PER_MS);
        Ok(Terms {
            stop_price: self
                .stop_price
                .as_ref()
                .map(|sent| price("stopPrice", market, sent))
                .transpose()?,
            trailing_delta_bps,
            display_qty: optional_qty("icebergQty", market, self.iceberg_qty.as_ref())?,
            hidden: self.hidden.unwrap_or_default(),
            min_qty: optional_qty("minQty", market, self.min_qty.as_ref())?,
            expire_ns: expire_ns
                .ok_or_else(|| Fault::invalid("goodTillDate", "milliseconds since 1970"))?,
            within_balance: self.within_balance.unwrap_or_default(),
            ..Terms::default()
        })
    }

    fn time_in_force(&self, order_type: OrderType) -> Result<TimeInForce, Fault> {
        match &self.time_in_force {
            None => Ok(TimeInForce::Gtc),
            Some(_) if order_type == OrderType::Market => {
                Err(Fault::not_allowed("timeInForce", "orders with a price or a trigger"))
            }
            Some(text) => choose("timeInForce", TIMES_IN_FORCE, text.get()),
        }
    }

    fn price(&self, market: &Market, order_type: OrderType) -> Result<Price, Fault> {
        let has_none = order_type.is_market() || order_type == OrderType::MarketToLimit;
        match (has_none, &self.price) {
            (true, None) => Ok(Price::default()),
            (true, Some(_)) => Err(Fault::not_allowed("price", "orders with a limit")),
            (false, None) => Err(Fault::missing("price")),
            (false, Some(sent)) => price("price", market, sent),
        }
    }

    fn size(&self, market: &Market) -> Result<OrderSize, Fault> {
        match (&self.quantity, &self.quote_order_qty) {
            (None, None) => Err(Fault::missing("quantity")),
            (Some(sent), None) => qty("quantity", market, sent).map(OrderSize::Base),
            (None, Some(sent)) => {
                let amount = market.quote.parse_amount(sent.get());
                amount.map(OrderSize::Quote).ok_or_else(|| {
                    Fault::invalid("quoteOrderQty", "a decimal with the digits of the quote asset")
                })
            }
            (Some(_), Some(_)) => {
                Err(Fault::not_allowed("quoteOrderQty", "orders without a quantity"))
            }
        }
    }
}

fn price(field: &str, market: &Market, sent: &Decimal<'_>) -> Result<Price, Fault> {
    let price = market.instrument.parse_price(sent.get());
    price.ok_or_else(|| Fault::invalid(field, "a decimal of whole ticks"))
}

fn qty(field: &str, market: &Market, sent: &Decimal<'_>) -> Result<Qty, Fault> {
    let qty = market.instrument.parse_qty(sent.get());
    qty.ok_or_else(|| Fault::invalid(field, "a decimal of whole lots"))
}

fn optional_qty(field: &str, market: &Market, sent: Option<&Decimal<'_>>) -> Result<Qty, Fault> {
    Ok(sent.map(|sent| qty(field, market, sent)).transpose()?.unwrap_or(Qty::ZERO))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use types::{Amount, Side};

    use super::*;

    fn read(message: &Value) -> Result<Command, Fault> {
        let text = message.to_string();
        let request = Request::parse(text.as_bytes())?;
        let market = (request.symbol() == Some("BTCUSDT")).then(Market::example);
        request.command(market.as_ref(), || ClOrdId::parse("generated").unwrap())
    }

    /// A limit order with these fields changed; null takes one away.
    fn with(changes: Value) -> Value {
        let mut message = json!({
            "account": 1, "id": "mine", "symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT",
            "quantity": "0.001", "price": 60000.50,
        });
        for (field, value) in changes.as_object().unwrap() {
            message[field] = value.clone();
            if value.is_null() {
                message.as_object_mut().unwrap().remove(field);
            }
        }
        message
    }

    #[track_caller]
    fn check(changes: Value, code: FaultCode, sentence: &str) {
        let fault = read(&with(changes)).unwrap_err();
        assert_eq!((fault.code, &*fault.sentence), (code, sentence));
    }

    fn order(changes: Value) -> NewOrder {
        match read(&with(changes)).unwrap() {
            Command::NewOrder(order) => order,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_limit_order_is_whole_ticks_and_lots() {
        let placed = order(json!({}));
        assert_eq!((placed.cl_ord_id.as_str(), placed.side), ("mine", Side::Buy));
        assert_eq!(placed.price, Price::from_ticks(6_000_050));
        assert_eq!(placed.size, OrderSize::Base(Qty::from_lots(100)));
        assert_eq!((placed.time_in_force, placed.terms), (TimeInForce::Gtc, None));
        assert_eq!(order(json!({ "id": null })).cl_ord_id.as_str(), "generated");
        // A number is taken as it was written, and a text with zeros after it is the same.
        assert_eq!(order(json!({ "price": "60000.5000000000" })), placed);
    }

    #[test]
    fn each_term_has_its_field() {
        let stop = order(json!({
            "type": "STOP_LOSS_LIMIT", "stopPrice": "61000", "timeInForce": "GTD",
            "goodTillDate": 1_900_000_000_000_u64, "icebergQty": "0.0001", "minQty": 0.0002,
            "hidden": false, "selfTradePreventionMode": "EXPIRE_BOTH", "strategyId": 7,
            "strategyType": 1_000_000,
        }));
        let terms = stop.terms.unwrap();
        assert_eq!(terms.stop_price, Some(Price::from_ticks(6_100_000)));
        assert_eq!(terms.expire_ns, 1_900_000_000_000_000_000);
        assert_eq!((terms.display_qty, terms.min_qty), (Qty::from_lots(10), Qty::from_lots(20)));
        assert_eq!((stop.stp_mode, stop.strategy_id), (StpMode::ExpireBoth, Some(7)));
        let market = order(json!({
            "type": "MARKET", "price": null, "quantity": null, "quoteOrderQty": "12.34",
            "withinBalance": true,
        }));
        assert_eq!(market.size, OrderSize::Quote(Amount::from_minor(1_234_000_000)));
        assert!(market.terms.unwrap().within_balance);
    }

    #[test]
    fn a_cancel_names_one_order_and_a_mass_cancel_none() {
        let cancel = json!({ "action": "CANCEL", "symbol": "BTCUSDT", "orderId": 5 });
        let Command::CancelOrder(cancel) = read(&cancel).unwrap() else { panic!() };
        assert_eq!(cancel.order, OrderRef::by_id(OrderId(5)));
        let all = |message| match read(&message).unwrap() {
            Command::MassCancel(cancel) => cancel.instrument.is_some(),
            other => panic!("{other:?}"),
        };
        assert!(all(json!({ "action": "CANCEL_ALL", "symbol": "BTCUSDT" })));
        assert!(!all(json!({ "action": "CANCEL_ALL" })));
        let wrong = |message: Value, sentence: &str| {
            assert_eq!(read(&message).unwrap_err().sentence, sentence);
        };
        wrong(
            json!({ "action": "CANCEL", "symbol": "BTCUSDT" }),
            "the field orderId or origClientOrderId is missing",
        );
        wrong(
            json!({ "action": "CANCEL", "symbol": "BTCUSDT", "orderId": 1, "price": "1" }),
            "the field price is for the action NEW",
        );
        wrong(
            json!({ "action": "CANCEL_ALL", "orderId": 1 }),
            "the field orderId is for the action CANCEL",
        );
    }

    #[test]
    fn only_whitespace_of_json_is_around_a_message() {
        let parse = |text: &str| Request::parse(text.as_bytes()).map(|_| ()).map_err(|f| f.code);
        assert_eq!(parse("\r\n\t {\"account\":1} \t\r\n"), Ok(()));
        assert_eq!(parse("\x0c{\"account\":1}"), Err(FaultCode::MessageMalformed));
        assert_eq!(parse("{\"account\":1}\x0c"), Err(FaultCode::MessageMalformed));
    }

    #[test]
    fn each_fault_has_its_code_and_sentence() {
        use FaultCode::{FieldInvalid, FieldMissing, FieldNotAllowed, UnknownSymbol};
        check(json!({ "symbol": null }), FieldMissing, "the field symbol is missing");
        check(json!({ "symbol": "NONE" }), UnknownSymbol, "there is no such symbol");
        check(json!({ "side": null }), FieldMissing, "the field side is missing");
        check(json!({ "side": "HOLD" }), FieldInvalid, "the field side must be one of BUY, SELL");
        check(json!({ "price": null }), FieldMissing, "the field price is missing");
        let ticks = "the field price must be a decimal of whole ticks";
        for price in [json!("1.001"), json!("1e3"), json!(1e30), json!(""), json!("-1")] {
            check(json!({ "price": price }), FieldInvalid, ticks);
        }
        let lots = "the field quantity must be a decimal of whole lots";
        check(json!({ "quantity": "0.000001" }), FieldInvalid, lots);
        check(
            json!({ "stopPrice": "1" }),
            FieldNotAllowed,
            "the field stopPrice is for orders that wait for a trigger",
        );
        check(
            json!({ "type": "STOP_LOSS" }),
            FieldMissing,
            "the field stopPrice or trailingDelta is missing",
        );
        check(
            json!({ "type": "MARKET" }),
            FieldNotAllowed,
            "the field price is for orders with a limit",
        );
        check(
            json!({ "quoteOrderQty": "1" }),
            FieldNotAllowed,
            "the field quoteOrderQty is for orders without a quantity",
        );
        check(
            json!({ "goodTillDate": u64::MAX }),
            FieldInvalid,
            "the field goodTillDate must be milliseconds since 1970",
        );
        check(
            json!({ "strategyType": 9 }),
            FieldInvalid,
            "the field strategyType must be at least 1000000",
        );
        check(
            json!({ "id": "~venue" }),
            FieldInvalid,
            "the field id must be 1 to 36 characters of A-Z, a-z, 0-9, `.`, `:`, `/`, `_` and `-`",
        );
        check(
            json!({ "account": -1 }),
            FieldInvalid,
            "the field account must be the number or the name of an account",
        );
    }

    #[test]
    fn what_is_no_message_is_named() {
        let fault = |text: &[u8]| Request::parse(text).unwrap_err();
        for text in [
            &b""[..],
            b"[]",
            b"null",
            b"\xff",
            b"{",
            b"{}x",
            b"{\"prize\":1}",
            b"{\"price\":[]}",
            b"{\"side\":\"BUY\",\"side\":\"BUY\"}",
        ] {
            assert_eq!(fault(text).code, FaultCode::MessageMalformed, "{text:?}");
        }
        assert!(fault(b"{\"prize\":1}").sentence.contains("unknown field `prize`"));
        let long = format!("{{\"id\":\"{}\"}}", "a".repeat(5_000));
        assert_eq!(fault(long.as_bytes()).code, FaultCode::MessageTooLong);
    }

    proptest! {
        /// Whatever a message has, it is a command or a fault, and the price is as it was sent.
        #[test]
        fn any_message_is_a_command_or_a_fault(
            price in "[0-9.e+-]{0,24}|\\PC{0,8}",
            quantity in "[0-9.e+-]{0,24}|\\PC{0,8}",
            field in "[a-zA-Z]{1,12}",
            value in prop_oneof![Just(json!(1)), Just(json!("X")), Just(json!(null)), Just(json!([1]))],
        ) {
            let _read = read(&with(json!({ field: value })));
            let sent = with(json!({ "price": price.clone(), "quantity": quantity }));
            if let Ok(Command::NewOrder(order)) = read(&sent) {
                let market = Market::example();
                let decimals = market.quote.decimals;
                let as_read = types::parse_decimal(&market.price(order.price), decimals);
                prop_assert_eq!(types::parse_decimal(&price, decimals), as_read);
            }
        }

        #[test]
        fn any_bytes_are_a_request_or_a_fault(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _read = Request::parse(&bytes);
        }
    }
}
