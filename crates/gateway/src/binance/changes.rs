//! Amendments of an account's orders, and trades that self-trade prevention stopped, from the read
//! model.

use std::collections::BTreeMap;

use projection::{Amendments, OneOrder, OrdersById, PreventedFilter, PreventedMatches};
use protocol::binance::request::{
    AmendmentsRequest, PreventedMatchesRequest, PreventedMatchesWanted,
};
use protocol::binance::response::{Amendment, PreventedMatch, PreventedQtys};
use protocol::signed::Params;
use types::{
    AccountId, Order, OrderAmended, OrderId, OrderRef, OrderStatus, Qty, StpMode, TradePrevented,
};

use crate::binance::call::{Answer, KeyedCall};
use crate::door::history::CaughtUpHistory;
use crate::door::query::QueryError;

/// `GET /api/v3/order/amendments`
pub(crate) async fn amendments(
    call: KeyedCall,
    AmendmentsRequest { market, order_id, from_execution_id, limit }: AmendmentsRequest,
) -> Answer<Vec<Amendment>> {
    let (account, instrument) = (call.signer.account, market.instrument.id);
    let history = call.shared.door.caught_up_history().await?;
    let from_seq = from_execution_id.unwrap_or_default();
    let query = Amendments { account, instrument, order_id, from_seq, limit };
    let amendments = history.ask(query).await?;
    let query = OneOrder { account, instrument, order: OrderRef::by_id(order_id) };
    let Some(order) = history.ask(query).await? else { return Ok(Vec::new()) };
    let info = |kept: &projection::Amendment| {
        let order = Order {
            cl_ord_id: kept.cl_ord_id,
            order_qty: kept.order_qty,
            updated_ns: kept.amended_ns,
            ..order
        };
        let amended = OrderAmended {
            account_seq: kept.account_seq,
            instrument_seq: 0,
            order,
            orig_cl_ord_id: kept.orig_cl_ord_id,
            orig_order_qty: kept.orig_order_qty,
        };
        Amendment::new(&market, &amended, call.unit)
    };
    Ok(amendments.iter().map(info).collect())
}

/// `GET /api/v3/myPreventedMatches`
pub(crate) async fn prevented_matches(
    call: KeyedCall,
    PreventedMatchesRequest { market, wanted }: PreventedMatchesRequest,
) -> Answer<Vec<PreventedMatch>> {
    let (account, instrument) = (call.signer.account, market.instrument.id);
    let filter = match wanted {
        PreventedMatchesWanted::One(id) => PreventedFilter::One(id),
        PreventedMatchesWanted::OfOrder { order_id, from_id, limit } => {
            PreventedFilter::OfOrder { order_id, from_id: from_id.unwrap_or_default(), limit }
        }
    };
    let history = call.shared.door.caught_up_history().await?;
    let found = history.ask(PreventedMatches { account, instrument, filter }).await?;
    let orders = found.iter().flat_map(may_have_ended).collect();
    let rests = rests(&history, OrdersById { instrument, orders }).await?;
    let risk = call.shared.door.account_risk(account).await?;
    let stp_group = risk.map_or(0, |risk| risk.stp_group);
    let info = |prevented| {
        let qtys = prevented_qtys(prevented, &rests);
        PreventedMatch::new(&market, prevented, qtys, stp_group, call.unit)
    };
    Ok(found.iter().map(info).collect())
}

pub(crate) fn prevented_matches_weight(params: &Params) -> u32 {
    if params.contains("orderId") { 20 } else { 2 }
}

/// The leaves quantity of each of these orders that has expired.
async fn rests(
    history: &CaughtUpHistory,
    query: OrdersById,
) -> Result<BTreeMap<OrderId, Qty>, QueryError> {
    let orders = history.ask(query).await?.into_iter().flatten();
    let ended = orders.filter(|order| order.status == OrderStatus::Expired);
    Ok(ended.map(|order| (order.order_id, order.order_qty - order.cum_qty)).collect())
}

/// Whether self-trade prevention of this mode may end the taker's order, and the maker's.
fn may_end(stp_mode: StpMode) -> (bool, bool) {
    match stp_mode {
        StpMode::None | StpMode::Decrement => (false, false),
        StpMode::ExpireTaker => (true, false),
        StpMode::ExpireMaker => (false, true),
        StpMode::ExpireBoth => (true, true),
    }
}

fn may_have_ended(
    prevented: &TradePrevented,
) -> impl Iterator<Item = (AccountId, OrderId)> + use<> {
    let (taker, maker) = may_end(prevented.stp_mode);
    let taker = taker.then_some((prevented.taker_account, prevented.taker_order_id));
    let maker = maker.then_some((prevented.maker_account, prevented.maker_order_id));
    taker.into_iter().chain(maker)
}

/// The quantity prevented on each side. An order that ended by it lost all that was left.
fn prevented_qtys(prevented: &TradePrevented, rests: &BTreeMap<OrderId, Qty>) -> PreventedQtys {
    if prevented.stp_mode == StpMode::Decrement {
        return PreventedQtys { taker: Some(prevented.qty), maker: Some(prevented.qty) };
    }
    let (taker, maker) = may_end(prevented.stp_mode);
    let rest = |order_id: OrderId| rests.get(&order_id).copied();
    PreventedQtys {
        taker: taker.then(|| rest(prevented.taker_order_id)).flatten(),
        maker: maker.then(|| rest(prevented.maker_order_id)).flatten(),
    }
}
