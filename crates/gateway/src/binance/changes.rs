//! Amendments of an account's orders, and trades that self-trade prevention stopped, from the read
//! model.

use projection::{Amendments, OneOrder, PreventedFilter, PreventedMatches};
use protocol::binance::request::{
    AmendmentsRequest, PreventedMatchesRequest, PreventedMatchesWanted,
};
use protocol::binance::response::{Amendment, PreventedMatch};
use protocol::signed::Params;
use types::{Order, OrderAmended, OrderRef, OrderTerms};

use crate::binance::call::{Answer, KeyedCall};

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
        let terms = order.terms.unwrap_or_default();
        let order = Order {
            terms: Some(OrderTerms { prevented_qty: kept.prevented_qty, ..terms }),
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
            request: types::LoweringRequest::Amend,
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
    let query = PreventedMatches { account, instrument, filter };
    let found = call.shared.door.ask_history(query).await?;
    Ok(found.iter().map(|prevented| PreventedMatch::new(&market, prevented, call.unit)).collect())
}

pub(crate) fn prevented_matches_weight(params: &Params) -> u32 {
    if params.contains("orderId") { 20 } else { 2 }
}
