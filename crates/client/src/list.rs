//! Order lists: an OCO, of which either order ends the other, and lists whose first order places
//! the others once it has filled.

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

/// A list whose first order works at once. Once that has filled, the list places the others.
#[derive(Clone, Debug)]
pub struct NewOto {
    pub symbol: String,
    pub working_side: Side,
    pub working_quantity: String,
    /// A [`Leg::limit`] or a [`Leg::limit_maker`].
    pub working: Leg,
    pub pending_side: Side,
    /// `None` if the pending orders sell what the working order has bought: an OPO or an OPOCO.
    pub pending_quantity: Option<String>,
    pub pending: Pending,
    pub list_client_order_id: Option<String>,
    pub idempotency_key: Option<String>,
}

/// What a [`NewOto`] places once its first order has filled.
#[derive(Clone, Debug)]
pub enum Pending {
    One(Leg),
    /// Either ends the other.
    Oco {
        above: Leg,
        below: Leg,
    },
}

/// One order of a list. What its type needs is the venue's to check.
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
    /// Good till canceled.
    pub fn limit(price: impl Into<String>) -> Self {
        Self {
            price: Some(price.into()),
            time_in_force: Some(TimeInForce::Gtc),
            ..Self::new(OrderType::Limit)
        }
    }

    pub const fn market() -> Self {
        Self::new(OrderType::Market)
    }

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

impl NewOto {
    /// Of the request that places such a list.
    pub(crate) const fn path(&self) -> &'static str {
        match (&self.pending, &self.pending_quantity) {
            (Pending::One(_), Some(_)) => "/api/v3/orderList/oto",
            (Pending::Oco { .. }, Some(_)) => "/api/v3/orderList/otoco",
            (Pending::One(_), None) => "/api/v3/orderList/opo",
            (Pending::Oco { .. }, None) => "/api/v3/orderList/opoco",
        }
    }

    pub(crate) fn query(&self) -> Query {
        let query = Query::default()
            .with("symbol", &self.symbol)
            .with_some("listClientOrderId", self.list_client_order_id.as_deref())
            .with("workingSide", side(self.working_side))
            .with("workingQuantity", &self.working_quantity);
        let query = self
            .working
            .query(query, "working")
            .with("pendingSide", side(self.pending_side))
            .with_some("pendingQuantity", self.pending_quantity.as_deref());
        let query = match &self.pending {
            Pending::One(order) => order.query(query, "pending"),
            Pending::Oco { above, below } => {
                below.query(above.query(query, "pendingAbove"), "pendingBelow")
            }
        };
        query.with("newOrderRespType", "FULL")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_of_a_first_order_has_its_path_and_names() {
        let oto = NewOto {
            symbol: "BTCUSDT".to_owned(),
            working_side: Side::Buy,
            working_quantity: "1".to_owned(),
            working: Leg::limit("100"),
            pending_side: Side::Sell,
            pending_quantity: Some("2".to_owned()),
            pending: Pending::One(Leg::market()),
            list_client_order_id: Some("entry".to_owned()),
            idempotency_key: None,
        };
        let working = "symbol=BTCUSDT&listClientOrderId=entry&workingSide=BUY&workingQuantity=1\
                       &workingType=LIMIT&workingPrice=100&workingTimeInForce=GTC&pendingSide=SELL";
        let legs = "&pendingAboveType=LIMIT_MAKER&pendingAbovePrice=110&pendingBelowType=STOP_LOSS\
                    &pendingBelowStopPrice=90";
        let oco = Pending::Oco { above: Leg::limit_maker("110"), below: Leg::stop_loss("90") };
        let otoco = NewOto { pending: oco.clone(), ..oto.clone() };
        let opo = NewOto { pending_quantity: None, ..oto.clone() };
        let opoco = NewOto { pending: oco, ..opo.clone() };
        for (list, path, pending) in [
            (oto, "oto", "&pendingQuantity=2&pendingType=MARKET".to_owned()),
            (otoco, "otoco", format!("&pendingQuantity=2{legs}")),
            (opo, "opo", "&pendingType=MARKET".to_owned()),
            (opoco, "opoco", legs.to_owned()),
        ] {
            assert_eq!(list.path(), format!("/api/v3/orderList/{path}"));
            let query = format!("{working}{pending}&newOrderRespType=FULL");
            assert_eq!(list.query().finish(), query);
        }
    }

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
