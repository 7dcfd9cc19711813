//! Order lists: an OCO, of which either order ends the other.

use protocol::binance::words::{order_type, side, time_in_force};
use types::{OrderType, Side, TimeInForce};

use crate::http::Query;

/// Two orders of one side and quantity, one above the market and one below: the first that trades
/// or is triggered ends the other.
#[derive(Clone, Debug)]
pub struct NewOco {
    pub symbol: String,
    pub side: Side,
    pub quantity: String,
    pub above: Leg,
    pub below: Leg,
    pub list_client_order_id: Option<String>,
    pub idempotency_key: Option<String>,
}

/// One order of an OCO. What its type needs is the venue's to check.
#[derive(Clone, Debug)]
pub struct Leg {
    pub order_type: OrderType,
    pub price: Option<String>,
    pub stop_price: Option<String>,
    /// In basis points.
    pub trailing_delta: Option<u32>,
    pub time_in_force: Option<TimeInForce>,
    pub client_order_id: Option<String>,
}

impl Leg {
    /// Rests at a price and never takes: the leg that gains.
    pub fn limit_maker(price: impl Into<String>) -> Self {
        Self { price: Some(price.into()), ..Self::new(OrderType::LimitMaker) }
    }

    /// A market order once the price has moved against its owner.
    pub fn stop_loss(stop_price: impl Into<String>) -> Self {
        Self { stop_price: Some(stop_price.into()), ..Self::new(OrderType::StopLoss) }
    }

    /// A limit order, good till canceled, once the price has moved against its owner.
    pub fn stop_loss_limit(stop_price: impl Into<String>, price: impl Into<String>) -> Self {
        Self {
            order_type: OrderType::StopLossLimit,
            price: Some(price.into()),
            time_in_force: Some(TimeInForce::Gtc),
            ..Self::stop_loss(stop_price)
        }
    }

    const fn new(order_type: OrderType) -> Self {
        Self {
            order_type,
            price: None,
            stop_price: None,
            trailing_delta: None,
            time_in_force: None,
            client_order_id: None,
        }
    }

    fn query(&self, query: Query, prefix: &str) -> Query {
        let name = |name: &str| format!("{prefix}{name}");
        query
            .with(&name("Type"), order_type(self.order_type))
            .with_some(&name("Price"), self.price.as_deref())
            .with_some(&name("StopPrice"), self.stop_price.as_deref())
            .with_some(&name("TrailingDelta"), self.trailing_delta)
            .with_some(&name("TimeInForce"), self.time_in_force.map(time_in_force))
            .with_some(&name("ClientOrderId"), self.client_order_id.as_deref())
    }
}

impl NewOco {
    pub(crate) fn query(&self) -> Query {
        let query = Query::default()
            .with("symbol", &self.symbol)
            .with("side", side(self.side))
            .with("quantity", &self.quantity)
            .with_some("listClientOrderId", self.list_client_order_id.as_deref());
        let query = self.below.query(self.above.query(query, "above"), "below");
        query.with("newOrderRespType", "FULL")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oco_names_its_legs() {
        let oco = NewOco {
            symbol: "BTCUSDT".to_owned(),
            side: Side::Sell,
            quantity: "1".to_owned(),
            above: Leg::limit_maker("110"),
            below: Leg::stop_loss_limit("90", "89"),
            list_client_order_id: Some("exit".to_owned()),
            idempotency_key: None,
        };
        assert_eq!(
            oco.query().finish(),
            "symbol=BTCUSDT&side=SELL&quantity=1&listClientOrderId=exit&aboveType=LIMIT_MAKER\
             &abovePrice=110&belowType=STOP_LOSS_LIMIT&belowPrice=89&belowStopPrice=90\
             &belowTimeInForce=GTC&newOrderRespType=FULL"
        );
    }
}
