//! Orders, as they are sent.

use protocol::binance::words::{order_type, side, stp_mode, time_in_force};
use types::{OrderType, Side, StpMode, TimeInForce};

use crate::http::Query;

/// A new order. Start from [`limit`](Self::limit), [`post_only`](Self::post_only),
/// [`market`](Self::market) or [`stop`](Self::stop), and add what else it needs; what goes with
/// what is the venue's to check.
#[derive(Clone, Debug)]
pub struct NewOrder {
    pub symbol: String,
    pub side: Side,
    pub order_type: OrderType,
    pub time_in_force: Option<TimeInForce>,
    pub quantity: Option<String>,
    pub quote_order_qty: Option<String>,
    pub price: Option<String>,
    pub stop_price: Option<String>,
    /// In basis points.
    pub trailing_delta: Option<u32>,
    pub iceberg_qty: Option<String>,
    pub hidden: bool,
    pub min_qty: Option<String>,
    /// In milliseconds since 1970.
    pub good_till_date: Option<u64>,
    pub within_balance: bool,
    pub new_client_order_id: Option<String>,
    pub strategy_id: Option<u64>,
    pub strategy_type: Option<u32>,
    pub stp_mode: Option<StpMode>,
    pub idempotency_key: Option<String>,
}

impl NewOrder {
    /// Good till canceled.
    pub fn limit(
        symbol: impl Into<String>,
        side: Side,
        quantity: impl Into<String>,
        price: impl Into<String>,
    ) -> Self {
        Self {
            time_in_force: Some(TimeInForce::Gtc),
            quantity: Some(quantity.into()),
            price: Some(price.into()),
            ..Self::new(symbol.into(), side, OrderType::Limit)
        }
    }

    /// A limit order that is refused rather than trading at once.
    pub fn post_only(
        symbol: impl Into<String>,
        side: Side,
        quantity: impl Into<String>,
        price: impl Into<String>,
    ) -> Self {
        Self {
            order_type: OrderType::LimitMaker,
            time_in_force: None,
            ..Self::limit(symbol, side, quantity, price)
        }
    }

    pub fn market(symbol: impl Into<String>, side: Side, quantity: impl Into<String>) -> Self {
        Self {
            quantity: Some(quantity.into()),
            ..Self::new(symbol.into(), side, OrderType::Market)
        }
    }

    /// A market order that spends or earns a sum of the quote asset.
    pub fn market_by_quote(
        symbol: impl Into<String>,
        side: Side,
        quote_order_qty: impl Into<String>,
    ) -> Self {
        Self {
            quote_order_qty: Some(quote_order_qty.into()),
            ..Self::new(symbol.into(), side, OrderType::Market)
        }
    }

    /// Waits for a trigger: a stop-loss or take-profit order, by market unless it gets a
    /// [`price`](Self::price). It needs a [`stop_price`](Self::stop_price), a
    /// [`trailing_delta`](Self::trailing_delta), or both.
    pub fn stop(
        symbol: impl Into<String>,
        side: Side,
        order_type: OrderType,
        quantity: impl Into<String>,
    ) -> Self {
        Self { quantity: Some(quantity.into()), ..Self::new(symbol.into(), side, order_type) }
    }

    fn new(symbol: String, side: Side, order_type: OrderType) -> Self {
        Self {
            symbol,
            side,
            order_type,
            time_in_force: None,
            quantity: None,
            quote_order_qty: None,
            price: None,
            stop_price: None,
            trailing_delta: None,
            iceberg_qty: None,
            hidden: false,
            min_qty: None,
            good_till_date: None,
            within_balance: false,
            new_client_order_id: None,
            strategy_id: None,
            strategy_type: None,
            stp_mode: None,
            idempotency_key: None,
        }
    }

    #[must_use]
    pub fn time_in_force(self, time_in_force: TimeInForce) -> Self {
        Self { time_in_force: Some(time_in_force), ..self }
    }

    #[must_use]
    pub fn price(self, price: impl Into<String>) -> Self {
        Self { price: Some(price.into()), ..self }
    }

    #[must_use]
    pub fn stop_price(self, stop_price: impl Into<String>) -> Self {
        Self { stop_price: Some(stop_price.into()), ..self }
    }

    /// How far behind the best price the trigger trails, in basis points.
    #[must_use]
    pub fn trailing_delta(self, bps: u32) -> Self {
        Self { trailing_delta: Some(bps), ..self }
    }

    /// How much of the order is shown at a time.
    #[must_use]
    pub fn iceberg_qty(self, qty: impl Into<String>) -> Self {
        Self { iceberg_qty: Some(qty.into()), ..self }
    }

    /// Market data shows nothing of the order.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    /// At least this quantity trades at once, or the order expires.
    #[must_use]
    pub fn min_qty(self, qty: impl Into<String>) -> Self {
        Self { min_qty: Some(qty.into()), ..self }
    }

    /// The order expires at this time, in milliseconds since 1970.
    #[must_use]
    pub fn good_till_date(self, time_ms: u64) -> Self {
        let time_in_force = Some(TimeInForce::Gtd);
        Self { time_in_force, good_till_date: Some(time_ms), ..self }
    }

    /// A market order trades as far as the balance pays for it, where it would be refused.
    #[must_use]
    pub fn within_balance(self) -> Self {
        Self { within_balance: true, ..self }
    }

    /// Your own name for the order; without one the venue makes one up.
    #[must_use]
    pub fn client_order_id(self, id: impl Into<String>) -> Self {
        Self { new_client_order_id: Some(id.into()), ..self }
    }

    #[must_use]
    pub fn strategy(self, strategy_id: u64, strategy_type: Option<u32>) -> Self {
        Self { strategy_id: Some(strategy_id), strategy_type, ..self }
    }

    #[must_use]
    pub fn stp_mode(self, stp_mode: StpMode) -> Self {
        Self { stp_mode: Some(stp_mode), ..self }
    }

    /// Sent beside the order; when the order is sent again with the same key, it is not entered a
    /// second time, and the first result is given again.
    #[must_use]
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        Self { idempotency_key: Some(key.into()), ..self }
    }

    pub(crate) fn query(&self) -> Query {
        Query::default()
            .with("symbol", &self.symbol)
            .with("side", side(self.side))
            .with("type", order_type(self.order_type))
            .with_some("timeInForce", self.time_in_force.map(time_in_force))
            .with_some("quantity", self.quantity.as_deref())
            .with_some("quoteOrderQty", self.quote_order_qty.as_deref())
            .with_some("price", self.price.as_deref())
            .with_some("stopPrice", self.stop_price.as_deref())
            .with_some("trailingDelta", self.trailing_delta)
            .with_some("icebergQty", self.iceberg_qty.as_deref())
            .with_some("hidden", self.hidden.then_some(true))
            .with_some("minQty", self.min_qty.as_deref())
            .with_some("goodTillDate", self.good_till_date)
            .with_some("withinBalance", self.within_balance.then_some(true))
            .with_some("newClientOrderId", self.new_client_order_id.as_deref())
            .with_some("strategyId", self.strategy_id)
            .with_some("strategyType", self.strategy_type)
            .with_some("selfTradePreventionMode", self.stp_mode.map(stp_mode))
            .with("newOrderRespType", "FULL")
    }
}

/// Which order is meant: by the venue's id or by your own.
#[derive(Clone, Copy, Debug)]
pub enum OrderKey<'a> {
    OrderId(u64),
    ClOrdId(&'a str),
}

impl OrderKey<'_> {
    pub(crate) fn query(self, query: Query, id_name: &str, cl_ord_id_name: &str) -> Query {
        match self {
            Self::OrderId(order_id) => query.with(id_name, order_id),
            Self::ClOrdId(cl_ord_id) => query.with(cl_ord_id_name, cl_ord_id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(order: &NewOrder, expect: &str) {
        assert_eq!(order.query().finish(), format!("{expect}&newOrderRespType=FULL"));
    }

    #[test]
    fn each_kind_of_order_sends_what_it_needs() {
        check(
            &NewOrder::limit("BTCUSDT", Side::Buy, "0.1", "25000")
                .time_in_force(TimeInForce::Ioc)
                .client_order_id("a/b"),
            "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=IOC&quantity=0.1&price=25000\
             &newClientOrderId=a%2Fb",
        );
        check(
            &NewOrder::post_only("ETHBTC", Side::Sell, "1", "0.05").idempotency_key("not here"),
            "symbol=ETHBTC&side=SELL&type=LIMIT_MAKER&quantity=1&price=0.05",
        );
        check(
            &NewOrder::market("ETHBTC", Side::Sell, "1").strategy(7, Some(1_000_000)),
            "symbol=ETHBTC&side=SELL&type=MARKET&quantity=1&strategyId=7&strategyType=1000000",
        );
        check(
            &NewOrder::market_by_quote("ETHBTC", Side::Buy, "1").stp_mode(StpMode::ExpireTaker),
            "symbol=ETHBTC&side=BUY&type=MARKET&quoteOrderQty=1\
             &selfTradePreventionMode=EXPIRE_TAKER",
        );
        check(
            &NewOrder {
                order_type: OrderType::MarketToLimit,
                ..NewOrder::market("ETHBTC", Side::Buy, "1")
            },
            "symbol=ETHBTC&side=BUY&type=MARKET_TO_LIMIT&quantity=1",
        );
        check(
            &NewOrder::limit("ETHBTC", Side::Buy, "2", "1").hidden().min_qty("1").good_till_date(5),
            "symbol=ETHBTC&side=BUY&type=LIMIT&timeInForce=GTD&quantity=2&price=1\
             &hidden=true&minQty=1&goodTillDate=5",
        );
        check(
            &NewOrder::market("ETHBTC", Side::Buy, "1").within_balance(),
            "symbol=ETHBTC&side=BUY&type=MARKET&quantity=1&withinBalance=true",
        );
        check(
            &NewOrder::stop("ETHBTC", Side::Sell, OrderType::StopLossLimit, "1")
                .time_in_force(TimeInForce::Gtc)
                .price("0.04")
                .stop_price("0.045")
                .trailing_delta(100)
                .iceberg_qty("0.1"),
            "symbol=ETHBTC&side=SELL&type=STOP_LOSS_LIMIT&timeInForce=GTC&quantity=1&price=0.04\
             &stopPrice=0.045&trailingDelta=100&icebergQty=0.1",
        );
    }
}
