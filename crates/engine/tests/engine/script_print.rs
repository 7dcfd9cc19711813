//! Events as the texts that scripts expect.

use types::{AssetId, ClOrdId, Event, Fill, Order, OrderListChange, OrderType, TradeExecuted};

use crate::house::ASSETS;
use crate::{script_account, script_trading};

/// `cum_qty/order_qty`.
pub(crate) fn of(order: &Order) -> String {
    format!("{}/{}", order.cum_qty.lots(), order.order_qty.lots())
}

pub(crate) fn print_event(event: &Event) -> String {
    match event {
        Event::OrderAccepted(accepted) => print_accepted(&accepted.order),
        Event::OrderRested(rested) => {
            let (qty, price) = (rested.leaves_qty.lots(), rested.price.ticks());
            format!("rested {} {qty}@{price}", rested.order_id)
        }
        Event::TradeExecuted(trade) => print_trade(trade),
        Event::OrderCanceled(canceled) => {
            let order = &canceled.order;
            format!("canceled {} {} {:?}", order.order_id, of(order), canceled.cause)
        }
        Event::OrderExpired(expired) => {
            let order = &expired.order;
            format!("expired {} {} {:?}", order.order_id, of(order), expired.cause)
        }
        Event::OrderAmended(amended) => {
            let order = &amended.order;
            let renamed = print_renamed(amended.orig_cl_ord_id, order);
            let (from, to) = (amended.orig_order_qty.lots(), order.order_qty.lots());
            format!("amended {} {from}->{to}{renamed}", order.order_id)
        }
        Event::BookReduced(reduced) => {
            let (qty, price) = (reduced.qty.lots(), reduced.price.ticks());
            let left = match reduced.leaves_qty.lots() {
                0 => String::new(),
                left => format!(" left {left}"),
            };
            format!("reduced {} {qty}@{price}{left}", reduced.order_id)
        }
        Event::TradePrevented(prevented) => {
            let (qty, price) = (prevented.qty.lots(), prevented.price.ticks());
            let (maker, taker) = (prevented.maker_order_id, prevented.taker_order_id);
            format!("prevented {maker}<{taker} {qty}@{price} {:?}", prevented.stp_mode)
        }
        Event::OrderDecremented(decremented) => {
            let (order, off) = (&decremented.order, decremented.prevented.prevented_qty.lots());
            format!("decremented {} -{off} {}", order.order_id, of(order))
        }
        Event::OrderModified(modified) => {
            let order = &modified.order;
            let renamed = print_renamed(modified.orig_cl_ord_id, order);
            let (from, at) = (modified.orig_order_qty.lots(), modified.orig_price.ticks());
            let (to, price) = (order.order_qty.lots(), order.price.ticks());
            format!("modified {} {from}@{at}->{to}@{price}{renamed}", order.order_id)
        }
        Event::OrderListUpdated(updated) => {
            let change = match updated.change {
                OrderListChange::Renamed => " Renamed",
                OrderListChange::Entered | OrderListChange::Done => "",
            };
            format!("list {} {:?}{change}", updated.list.order_list, updated.list.status)
        }
        Event::OrderTriggered(triggered) => format!("triggered {}", triggered.order.order_id),
        Event::OrderRepriced(repriced) => {
            format!("repriced {} {}", repriced.order.order_id, repriced.order.price.ticks())
        }
        Event::Deposited(deposited) => {
            let (amount, free) = (deposited.amount.minor(), deposited.free.minor());
            format!("deposited {amount} free {free}{}", asset_name(deposited.asset))
        }
        Event::Withdrawn(withdrawn) => {
            let (amount, free) = (withdrawn.amount.minor(), withdrawn.free.minor());
            format!("withdrawn {amount} free {free}{}", asset_name(withdrawn.asset))
        }
        Event::CommandRejected(rejected) => {
            let half = if rejected.in_cancel { " cancel" } else { "" };
            let name = rejected.numbered.map(|numbered| {
                let code =
                    if numbered.code > 0 { format!(" {}", numbered.code) } else { String::new() };
                format!("{code} as {}", numbered.cl_ord_id)
            });
            format!("rejected{half} {:?}{}", rejected.reason, name.unwrap_or_default())
        }
        Event::CommandRepeated(repeated) => format!("repeated {}", repeated.first_sequence),
        other => script_account::print(other)
            .or_else(|| script_trading::print(other))
            .unwrap_or_else(|| format!("{other:?}")),
    }
}

fn print_accepted(order: &Order) -> String {
    let found_price = order.order_type == OrderType::MarketToLimit
        || order.terms.is_some_and(|terms| terms.terms.peg.is_some());
    let price = if found_price { format!("@{}", order.price.ticks()) } else { String::new() };
    match order.quote_order_qty.minor() {
        0 => format!("accepted {} {}{price}", order.order_id, order.order_qty.lots()),
        amount => format!("accepted {} quote {amount}", order.order_id),
    }
}

/// ` old->new`, if the order has another client id.
fn print_renamed(orig_cl_ord_id: ClOrdId, order: &Order) -> String {
    if order.cl_ord_id == orig_cl_ord_id {
        return String::new();
    }
    format!(" {orig_cl_ord_id}->{}", order.cl_ord_id)
}

fn print_trade(trade: &TradeExecuted) -> String {
    let fee = |fill: &Fill| match fill.fee.minor() {
        0 => "0".to_owned(),
        fee => format!("{fee}{}", asset_name(fill.fee_asset)),
    };
    let (maker, taker) = (&trade.maker, &trade.taker);
    let fees = match (maker.fee.is_zero(), taker.fee.is_zero()) {
        (true, true) => String::new(),
        _ => format!(" fees {} {}", fee(maker), fee(taker)),
    };
    let done = |fill: &Fill| if fill.order.status.is_open() { "" } else { "!" };
    format!(
        "trade {}{}<{}{} {}@{}{fees}",
        maker.order.order_id,
        done(maker),
        taker.order.order_id,
        done(taker),
        trade.qty.lots(),
        trade.price.ticks(),
    )
}

fn asset_name(asset: AssetId) -> &'static str {
    ASSETS[usize::from(asset.0)]
}
