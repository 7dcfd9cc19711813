//! Answers that differ from the venue's structs. The client requests the full answer to a new
//! order, so its fields are always there; and a cancel gives a list of orders, one or several.

use protocol::binance::response::{CancelAnswer, CanceledOrder, FillInfo, ListStatus, OrderReport};
use serde::{Deserialize, Deserializer};

/// A new order, as it stood when it had been matched.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedOrder {
    pub symbol: String,
    pub order_id: u64,
    pub client_order_id: String,
    pub transact_time: u64,
    #[serde(flatten)]
    pub report: OrderReport,
    #[serde(default)]
    pub fills: Vec<FillInfo>,
}

/// A list as it was entered, with its orders as they stood when they had been matched.
#[derive(Clone, Debug, Deserialize)]
pub struct PlacedList {
    #[serde(flatten)]
    pub status: ListStatus,
    #[serde(rename = "orderReports")]
    pub orders: Vec<PlacedOrder>,
}

/// An order canceled, and the one that took its place.
#[derive(Clone, Debug, Deserialize)]
pub struct ReplacedOrder {
    /// Several where it was one of a list.
    #[serde(rename = "cancelResponse", deserialize_with = "canceled")]
    pub canceled: Vec<CanceledOrder>,
    #[serde(rename = "newOrderResponse")]
    pub placed: PlacedOrder,
}

fn canceled<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<CanceledOrder>, D::Error> {
    CancelAnswer::deserialize(deserializer).map(CancelAnswer::into_orders)
}

#[cfg(test)]
mod tests {
    use protocol::binance::response::{ExchangeInfo, Filter};
    use protocol::signed::TimeUnit;
    use serde_json::json;
    use types::Market;

    #[test]
    fn filters_that_are_not_known_are_passed_over() {
        let unit = TimeUnit::Millisecond;
        let sent = ExchangeInfo::new(1_000_000, unit, Vec::new(), [&Market::example()], true);
        let mut sent = serde_json::to_value(sent).unwrap();
        let symbol = sent["symbols"][0]["symbol"].as_str().unwrap().to_owned();
        let later = json!({ "filterType": "OF_A_LATER_VENUE", "multiplierUp": "5" });
        sent["symbols"][0]["filters"].as_array_mut().unwrap().insert(0, later);
        sent["symbols"][0]["ofALaterVenue"] = json!(true);

        let info: ExchangeInfo = serde_json::from_value(sent.clone()).unwrap();
        let filters = &sent["symbols"][0]["filters"];
        let listed = info.symbol(&symbol).unwrap();
        assert_eq!(listed.tick_size(), filters[1]["tickSize"].as_str());
        assert_eq!(listed.lot_size(), filters[2]["stepSize"].as_str());
        assert!(matches!(listed.filters[0], Filter::Other));
        assert!(info.symbol("NONE").is_none());
    }
}
