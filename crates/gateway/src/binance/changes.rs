//! What an account asks about changes of its orders, and about trades that self-trade prevention
//! kept it from, answered from the read model.

use projection::{History, PreventedFilter, ProjectionError};
use protocol::binance::request::{
    AmendmentsRequest, PreventedMatchesRequest, PreventedMatchesWanted,
};
use protocol::binance::response::{Amendment, PreventedMatch, PreventedQtys, encode};
use protocol::signed::Params;
use types::{
    AccountId, Order, OrderAmended, OrderId, OrderRef, OrderStatus, Qty, StpMode, TradePrevented,
};

use crate::binance::call::{Answer, SignedCall};
use crate::socket::http::json;

/// `GET /api/v3/order/amendments`
pub(crate) async fn amendments(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let request = AmendmentsRequest::parse(params, &markets)?;
    let AmendmentsRequest { market, order_id, from_execution_id, limit } = request;
    let (account, id) = (call.signer.account, market.instrument.id);
    let found = call.shared.door.ask_history(move |history| {
        let from_seq = from_execution_id.unwrap_or_default();
        let amendments = history.amendments(account, id, order_id, from_seq, limit)?;
        Ok((history.order(account, id, &OrderRef::by_id(order_id))?, amendments))
    });
    let (Some(order), amendments) = found.await? else { return Ok(json("[]".to_owned())) };
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
    Ok(json(encode(&amendments.iter().map(info).collect::<Vec<_>>())))
}

/// `GET /api/v3/myPreventedMatches`
pub(crate) async fn prevented_matches(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let PreventedMatchesRequest { market, wanted } =
        PreventedMatchesRequest::parse(params, &markets)?;
    let (account, id) = (call.signer.account, market.instrument.id);
    let filter = match wanted {
        PreventedMatchesWanted::One(id) => PreventedFilter::One(id),
        PreventedMatchesWanted::OfOrder { order_id, from_id, limit } => {
            PreventedFilter::OfOrder { order_id, from_id: from_id.unwrap_or_default(), limit }
        }
    };
    let found = call.shared.door.ask_history(move |history| {
        let matches = history.prevented_matches(account, id, filter)?;
        let with_qtys = |prevented| Ok((prevented, prevented_qtys(history, &prevented)?));
        matches.into_iter().map(with_qtys).collect::<Result<Vec<_>, ProjectionError>>()
    });
    let found = found.await?;
    let risk = call.shared.door.account_risk(account).await?;
    let stp_group = risk.map_or(0, |risk| risk.stp_group);
    let info = |(prevented, qtys): &(TradePrevented, PreventedQtys)| {
        PreventedMatch::new(&market, prevented, *qtys, stp_group, call.unit)
    };
    Ok(json(encode(&found.iter().map(info).collect::<Vec<_>>())))
}

pub(crate) fn prevented_matches_weight(params: &Params) -> u32 {
    if params.contains("orderId") { 20 } else { 2 }
}

/// What it took off each side: of an order that ended by it, all that was left.
fn prevented_qtys(
    history: &History,
    prevented: &TradePrevented,
) -> Result<PreventedQtys, ProjectionError> {
    let rest = |account: AccountId, order_id: OrderId| -> Result<Option<Qty>, ProjectionError> {
        let order = history.order(account, prevented.instrument, &OrderRef::by_id(order_id))?;
        let ended = order.filter(|order| order.status == OrderStatus::Expired);
        Ok(ended.map(|order| order.order_qty - order.cum_qty))
    };
    let taker = || rest(prevented.taker_account, prevented.taker_order_id);
    let maker = || rest(prevented.maker_account, prevented.maker_order_id);
    Ok(match prevented.stp_mode {
        StpMode::None => PreventedQtys::default(),
        StpMode::ExpireTaker => PreventedQtys { taker: taker()?, maker: None },
        StpMode::ExpireMaker => PreventedQtys { taker: None, maker: maker()? },
        StpMode::ExpireBoth => PreventedQtys { taker: taker()?, maker: maker()? },
        StpMode::Decrement => {
            PreventedQtys { taker: Some(prevented.qty), maker: Some(prevented.qty) }
        }
    })
}
