//! Orders as messages, and messages as orders and reports.

use proto::v1;
use types::Origin;

use crate::venue::grpc::words::Word;
use crate::venue::report::{Commission, Report, ReportKind};
use crate::venue::{Open, Reply, fresh_name, json};
use crate::{Error, NewOrder};

pub(super) fn place(order: &NewOrder) -> v1::PlaceOrderRequest {
    let text = |sent: &Option<String>| sent.clone().unwrap_or_default();
    v1::PlaceOrderRequest {
        symbol: order.symbol.clone(),
        side: order.side.in_message().into(),
        r#type: order.order_type.in_message().into(),
        time_in_force: order.time_in_force.map_or(0, |sent| sent.in_message().into()),
        quantity: text(&order.quantity),
        quote_quantity: text(&order.quote_order_qty),
        price: text(&order.price),
        client_order_id: text(&order.new_client_order_id),
        retry_key: order.idempotency_key.clone().unwrap_or_else(fresh_name),
        stp_mode: order.stp_mode.map_or(0, |sent| sent.in_message().into()),
        stop_price: text(&order.stop_price),
        trailing_delta_bps: order.trailing_delta.unwrap_or_default(),
        display_quantity: text(&order.iceberg_qty),
        hidden: order.hidden,
        min_quantity: text(&order.min_qty),
        expire_ms: order.good_till_date.unwrap_or_default(),
        within_balance: order.within_balance,
        strategy_id: order.strategy_id.and_then(|id| i64::try_from(id).ok()),
        strategy_type: order.strategy_type.and_then(|of| i32::try_from(of).ok()),
    }
}

pub(super) fn replace(name: &str, order: &NewOrder) -> Result<v1::ReplaceOrderRequest, Error> {
    let quantity = order.quantity.clone();
    let quantity =
        quantity.ok_or_else(|| Error::Usage("a replacement has a quantity".to_owned()))?;
    Ok(v1::ReplaceOrderRequest {
        symbol: order.symbol.clone(),
        order_id: 0,
        client_order_id: name.to_owned(),
        quantity,
        price: order.price.clone().unwrap_or_default(),
        new_client_order_id: order.new_client_order_id.clone().unwrap_or_default(),
        retry_key: order.idempotency_key.clone().unwrap_or_else(fresh_name),
    })
}

pub(super) fn reply(way: Origin, order: v1::Order) -> Reply {
    let status = status(order.status());
    Reply {
        way,
        symbol: order.symbol,
        client_order_id: order.client_order_id,
        order_id: order.order_id,
        status: status.to_owned(),
        executed_qty: order.executed_quantity,
    }
}

pub(super) fn open(order: v1::Order) -> Open {
    let left = json::difference(&order.quantity, &order.executed_quantity);
    Open {
        leaves_qty: left.unwrap_or_default(),
        symbol: order.symbol,
        client_order_id: order.client_order_id,
        order_id: order.order_id,
        price: order.price,
    }
}

/// An event of the account as a report; `None` for other events.
pub(super) fn report(event: v1::AccountEvent) -> Option<Report> {
    let v1::AccountEvent { number, time_ns, kind, order, fill, previous_client_order_id, cause } =
        event;
    let kind = match &*kind {
        "OrderAccepted" => ReportKind::Accepted,
        "TradeExecuted" => {
            let fill = fill?;
            ReportKind::Executed {
                qty: fill.quantity,
                price: fill.price,
                trade_id: fill.trade_id,
                is_maker: fill.is_maker,
                commission: Some(Commission { amount: fill.fee, asset: fill.fee_asset }),
            }
        }
        "OrderAmended" | "OrderModified" => {
            ReportKind::Replaced { orig_client_order_id: previous_client_order_id }
        }
        "OrderCanceled" | "OrderExpired" => ReportKind::Canceled { reason: cause },
        _ => return None,
    };
    Some(Report {
        sequence: number,
        client_order_id: order?.client_order_id,
        time_ns: i64::try_from(time_ns).ok(),
        kind,
    })
}

/// As the Binance API has it.
fn status(status: v1::OrderStatus) -> &'static str {
    match status {
        v1::OrderStatus::Unspecified => "",
        v1::OrderStatus::New => "NEW",
        v1::OrderStatus::PartiallyFilled => "PARTIALLY_FILLED",
        v1::OrderStatus::Filled => "FILLED",
        v1::OrderStatus::Canceled => "CANCELED",
        v1::OrderStatus::Expired => "EXPIRED",
        v1::OrderStatus::Prevented => "EXPIRED_IN_MATCH",
    }
}
