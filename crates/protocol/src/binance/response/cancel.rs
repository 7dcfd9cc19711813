//! The answers to cancels. Canceling an order of a list cancels the list, and the answer is that of
//! the list.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{CancelCause, Event, Market, OrderCanceled, OrderListId};

use crate::binance::list_id::list_id_of;
use crate::binance::reject::{self, Request};
use crate::binance::response::entered::is_in;
use crate::binance::response::facts::OrderFacts;
use crate::binance::response::list::{ListStatus, OrderNames};
use crate::binance::response::order::{find_refusal, refusal};
use crate::binance::response::report::OrderReport;
use crate::signed::{ApiError, TimeUnit};

/// `DELETE /api/v3/order` and `DELETE /api/v3/orderList`, and one of `DELETE /api/v3/openOrders`
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum CancelAnswer {
    Order(Box<CanceledOrder>),
    List(Box<CanceledList>),
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CanceledOrder {
    pub symbol: String,
    pub orig_client_order_id: String,
    pub order_id: u64,
    pub order_list_id: i64,
    pub client_order_id: String,
    pub transact_time: u64,
    #[serde(flatten)]
    pub report: OrderReport,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CanceledList {
    #[serde(flatten)]
    pub status: ListStatus,
    pub order_reports: Vec<CanceledOrder>,
}

/// Where the answers to a cancel come from.
#[derive(Clone, Copy)]
pub struct Canceling<'a> {
    pub market: &'a Market,
    pub events: &'a [Event],
    /// The names of orders that belong to a list and ended before.
    pub names: OrderNames<'a>,
    pub unit: TimeUnit,
}

impl fmt::Debug for Canceling<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Canceling").field(&self.events).finish()
    }
}

impl CancelAnswer {
    /// The one order, or those of the list.
    pub fn into_orders(self) -> Vec<CanceledOrder> {
        match self {
            Self::Order(order) => vec![*order],
            Self::List(list) => list.order_reports,
        }
    }

    pub fn new(canceling: Canceling<'_>) -> Result<Self, ApiError> {
        let events = canceling.events;
        let asked = [CancelCause::Requested, CancelCause::Replaced];
        let first = canceled(events).find(|canceled| asked.contains(&canceled.cause));
        // A cancel by itself has no halves, so it does not matter how its refusal is marked.
        match first {
            Some(first) => Ok(canceling.answer(first)),
            None => Err(match find_refusal(events, true) {
                Some(reason) => reject::api_error(reason, Request::Cancel),
                None => refusal(events, false, Request::Cancel),
            }),
        }
    }

    /// From the events of a cancel of all orders; that there was none is an error. Where the
    /// cancel took several commands, other work may stand among its events.
    pub fn all(canceling: Canceling<'_>) -> Result<Vec<Self>, ApiError> {
        let events = canceling.events;
        let Some(first) = canceled(events).next() else {
            return Err(match find_refusal(events, false) {
                Some(reason) => reject::api_error(reason, Request::Cancel),
                None => ApiError::unknown_order(),
            });
        };
        let same = |other: &&OrderCanceled| {
            other.order.account == first.order.account
                && other.order.instrument == first.order.instrument
                && other.cl_ord_id == first.cl_ord_id
        };
        let mut lists = Vec::new();
        let mut is_news = |canceled: &&OrderCanceled| {
            let Some(list) = list_of(canceled) else { return true };
            let is_news = !lists.contains(&list);
            lists.push(list);
            is_news
        };
        let told = canceled(events).filter(same).filter(|canceled| is_news(canceled));
        Ok(told.map(|canceled| canceling.answer(canceled)).collect())
    }
}

impl Canceling<'_> {
    pub(super) fn answer(&self, canceled: &OrderCanceled) -> CancelAnswer {
        match self.list(canceled) {
            Some(list) => CancelAnswer::List(Box::new(list)),
            None => CancelAnswer::Order(Box::new(self.order(canceled))),
        }
    }

    /// The list that ended with the order, if it is in one.
    fn list(&self, first: &OrderCanceled) -> Option<CanceledList> {
        let order_list = list_of(first)?;
        let instrument = first.order.instrument;
        let list = self.events.iter().rev().find_map(|event| match event {
            Event::OrderListUpdated(updated)
                if updated.list.order_list == order_list
                    && updated.list.instrument == instrument =>
            {
                Some(updated.list)
            }
            _ => None,
        })?;
        let of_list = || {
            canceled(self.events).filter(|canceled| is_in(&canceled.order, instrument, order_list))
        };
        let name = |order_id| {
            let told = of_list().find(|canceled| canceled.order.order_id == order_id);
            told.map(|canceled| canceled.order.cl_ord_id).or_else(|| (self.names)(order_id))
        };
        Some(CanceledList {
            status: ListStatus::new(self.market, &list, &name, self.unit),
            order_reports: of_list().map(|canceled| self.order(canceled)).collect(),
        })
    }

    fn order(&self, canceled: &OrderCanceled) -> CanceledOrder {
        let (order, market, unit) = (&canceled.order, self.market, self.unit);
        let facts = OrderFacts::of(order);
        CanceledOrder {
            symbol: market.symbol().to_owned(),
            orig_client_order_id: order.cl_ord_id.to_string(),
            order_id: order.order_id.0,
            order_list_id: list_id_of(order),
            client_order_id: canceled.cl_ord_id.to_string(),
            transact_time: unit.time(order.updated_ns),
            report: OrderReport::of_canceled(market, order, &facts, unit),
        }
    }
}

fn list_of(canceled: &OrderCanceled) -> Option<OrderListId> {
    let order_list = canceled.order.terms?.order_list;
    (order_list != OrderListId(0)).then_some(order_list)
}

pub(super) fn canceled(events: &[Event]) -> impl Iterator<Item = &OrderCanceled> {
    events.iter().filter_map(|event| match event {
        Event::OrderCanceled(canceled) => Some(canceled),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::{AccountId, Order, OrderId, OrderListStatus, RejectReason};

    use super::*;
    use crate::binance::testing::{
        btcusdt, cancel_json, canceled, canceling, check, cl, list_updated, of_list, order,
        rejected,
    };

    #[test]
    fn a_cancel_answers_for_the_order_that_was_meant() {
        let events = [
            canceled(order(9), CancelCause::KillSwitch),
            canceled(order(4), CancelCause::Requested),
            canceled(order(5), CancelCause::OrderList),
        ];
        check(&CancelAnswer::new(canceling(&btcusdt(), &events)).unwrap(), cancel_json(4));
        assert!(CancelAnswer::new(canceling(&btcusdt(), &events[2..])).is_err());
    }

    #[test]
    fn a_cancel_echoes_both_names() {
        let events = [canceled(order(4), CancelCause::Requested)];
        check(&CancelAnswer::new(canceling(&btcusdt(), &events)).unwrap(), cancel_json(4));
        for in_cancel in [false, true] {
            let refused = [rejected(RejectReason::OrderNotFound, in_cancel)];
            let error = CancelAnswer::new(canceling(&btcusdt(), &refused)).unwrap_err();
            assert_eq!((error.code, &*error.msg), (-2011, "Unknown order sent."));
        }
    }

    #[test]
    fn a_cancel_of_all_is_a_list_and_never_an_empty_one() {
        let of = |order_id| canceled(order(order_id), CancelCause::CancelAll);
        let other = Order { account: AccountId(8), ..order(6) };
        let events = [of(4), canceled(other, CancelCause::Requested), of(5)];
        let answers = CancelAnswer::all(canceling(&btcusdt(), &events)).unwrap();
        check(&answers, json!([cancel_json(4), cancel_json(5)]));
        assert_eq!(CancelAnswer::all(canceling(&btcusdt(), &[])).unwrap_err().code, -2011);
    }

    #[test]
    fn the_answer_to_canceling_an_order_of_a_list_shows_the_list() {
        let events = [
            canceled(of_list(order(4)), CancelCause::Requested),
            canceled(of_list(order(5)), CancelCause::OrderList),
            list_updated(OrderListStatus::AllDone),
        ];
        let report = |order_id| {
            let mut report = cancel_json(order_id);
            report["orderListId"] = json!(300_000);
            report
        };
        let listed =
            |order_id| json!({"symbol": "BTCUSDT", "orderId": order_id, "clientOrderId": "mine"});
        let expect = json!({
            "orderListId": 300_000, "contingencyType": "OCO", "listStatusType": "ALL_DONE",
            "listOrderStatus": "ALL_DONE", "listClientOrderId": "list",
            "transactionTime": 1_507_725_176_595_u64, "symbol": "BTCUSDT",
            "orders": [listed(4), listed(5)],
            "orderReports": [report(4), report(5)],
        });
        check(&CancelAnswer::new(canceling(&btcusdt(), &events)).unwrap(), expect.clone());

        // One that had filled before is named by the engine, if it still knows it.
        let [_, _, done] = events;
        let names = |order_id| (order_id == OrderId(4)).then(|| cl("first"));
        let second = canceled(of_list(order(5)), CancelCause::Requested);
        let events = [second, done];
        let market = btcusdt();
        let mut found = canceling(&market, &events);
        assert_eq!(json_of(found)["orders"], json!([listed(5)]));
        found.names = &names;
        assert_eq!(json_of(found)["orders"][0]["clientOrderId"], "first");
    }

    #[test]
    fn a_cancel_of_all_shows_each_list_once() {
        let events = [
            canceled(order(3), CancelCause::CancelAll),
            canceled(of_list(order(4)), CancelCause::CancelAll),
            canceled(of_list(order(5)), CancelCause::OrderList),
            list_updated(OrderListStatus::AllDone),
        ];
        let answers = CancelAnswer::all(canceling(&btcusdt(), &events)).unwrap();
        let answers = serde_json::to_value(answers).unwrap();
        assert_eq!(answers.as_array().unwrap().len(), 2);
        assert_eq!(answers[0]["orderId"], 3);
        assert_eq!(answers[1]["orderReports"].as_array().unwrap().len(), 2);
    }

    fn json_of(canceling: Canceling<'_>) -> serde_json::Value {
        serde_json::to_value(CancelAnswer::new(canceling).unwrap()).unwrap()
    }
}
