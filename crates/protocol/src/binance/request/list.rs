//! Order lists: OCO, OTO, OTOCO, OPO and OPOCO, and the OCO of the past.

use types::{
    CancelOrderList, ClOrdId, Market, Markets, NewOrder, NewOrderList, OrderListKind, OrderType,
    Side, StpMode,
};

use super::names::Names;
use super::order::{ResponseType, take_response_type};
use super::sent::{Basics, SentOrder, SentQuantity, take_order_type, take_side, take_stp_mode};
use super::take_list_ref;
use crate::signed::{ApiError, Generate, Params};

/// `POST /api/v3/orderList/oco`, `…/oto`, `…/otoco`, `…/opo`, `…/opoco` and
/// `POST /api/v3/order/oco`
#[derive(Clone, Debug)]
pub struct NewOrderListRequest {
    pub market: Market,
    pub list: NewOrderList,
    pub response_type: ResponseType,
}

/// What every list has beside its orders.
struct Frame {
    market: Market,
    list_cl_ord_id: Option<ClOrdId>,
    response_type: ResponseType,
    stp_mode: StpMode,
}

impl NewOrderListRequest {
    pub fn parse_oco(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let frame = Frame::take(&mut params, markets)?;
        let (kind, names) = (OrderListKind::Oco, Names::Alone);
        let pair = Pair::take(&mut params, &frame, kind, names, ["above", "below"])?;
        params.finish()?;
        let orders = pair.check(&frame.market, generate)?;
        Ok(frame.with(kind, orders, generate))
    }

    pub fn parse_oto(
        params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        Self::parse_with_order(params, markets, generate, OrderListKind::Oto)
    }

    pub fn parse_opo(
        params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        Self::parse_with_order(params, markets, generate, OrderListKind::Opo)
    }

    pub fn parse_otoco(
        params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        Self::parse_with_pair(params, markets, generate, OrderListKind::Otoco)
    }

    pub fn parse_opoco(
        params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        Self::parse_with_pair(params, markets, generate, OrderListKind::Opoco)
    }

    /// A working order, and one that waits for it.
    fn parse_with_order(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
        kind: OrderListKind,
    ) -> Result<Self, ApiError> {
        let frame = Frame::take(&mut params, markets)?;
        let working = frame.take_order(&mut params, Names::Leg("working"), false)?;
        let pays = kind.pays_later_orders();
        let pending = frame.take_order(&mut params, Names::Leg("pending"), pays)?;
        params.finish()?;
        check_working(&working, kind, pending.side())?;
        let first = working.check(&frame.market, generate)?;
        let second = pending.check(&frame.market, generate)?;
        Ok(frame.with(kind, vec![first, second], generate))
    }

    /// A working order, and an OCO that waits for it.
    fn parse_with_pair(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
        kind: OrderListKind,
    ) -> Result<Self, ApiError> {
        let frame = Frame::take(&mut params, markets)?;
        let working = frame.take_order(&mut params, Names::Leg("working"), false)?;
        let prefixes = ["pendingAbove", "pendingBelow"];
        let pair = Pair::take(&mut params, &frame, kind, Names::Leg("pending"), prefixes)?;
        params.finish()?;
        check_working(&working, kind, pair.side)?;
        let mut orders = vec![working.check(&frame.market, generate)?];
        orders.extend(pair.check(&frame.market, generate)?);
        Ok(frame.with(kind, orders, generate))
    }

    /// Of a limit-maker order, and a stop-loss order that has a limit if one was sent for it.
    pub fn parse_legacy_oco(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let frame = Frame::take(&mut params, markets)?;
        let side = take_side(&mut params, Names::Alone)?;
        let quantity = SentQuantity::take(&mut params, &frame.market, Names::Alone)?;
        let stp_mode = frame.stp_mode;
        let basics = |order_type| Basics { order_type, side, quantity: quantity.clone(), stp_mode };
        let stop = basics(OrderType::StopLoss);
        let stop = SentOrder::take(&mut params, &frame.market, Names::LegacyStop, stop)?;
        let limit = basics(OrderType::LimitMaker);
        let limit = SentOrder::take(&mut params, &frame.market, Names::LegacyLimit, limit)?;
        params.finish()?;
        let stop =
            if stop.has_price() { stop.with_order_type(OrderType::StopLossLimit) } else { stop };
        let orders = vec![
            stop.check(&frame.market, &mut *generate)?,
            limit.check(&frame.market, &mut *generate)?,
        ];
        Ok(frame.with(OrderListKind::Oco, orders, generate))
    }
}

impl Frame {
    fn take(params: &mut Params, markets: Markets<'_>) -> Result<Self, ApiError> {
        Ok(Self {
            market: params.market(markets)?,
            list_cl_ord_id: params.cl_ord_id("listClientOrderId")?,
            response_type: take_response_type(params)?.unwrap_or(ResponseType::Result),
            stp_mode: take_stp_mode(params)?,
        })
    }

    fn take_order(
        &self,
        params: &mut Params,
        names: Names,
        is_paid: bool,
    ) -> Result<SentOrder, ApiError> {
        let basics = if is_paid {
            Basics::take_without_quantity(params, names, self.stp_mode)?
        } else {
            Basics::take(params, &self.market, names, self.stp_mode)?
        };
        SentOrder::take(params, &self.market, names, basics)
    }

    fn with(
        self,
        kind: OrderListKind,
        orders: Vec<NewOrder>,
        generate: Generate<'_>,
    ) -> NewOrderListRequest {
        let list = NewOrderList {
            instrument: self.market.instrument.id,
            cl_ord_id: self.list_cl_ord_id.unwrap_or_else(generate),
            kind,
            orders,
        };
        NewOrderListRequest { market: self.market, list, response_type: self.response_type }
    }
}

/// The first order of a list whose others wait for it, all on one side.
fn check_working(working: &SentOrder, kind: OrderListKind, pending: Side) -> Result<(), ApiError> {
    if !matches!(working.order_type(), OrderType::Limit | OrderType::LimitMaker) {
        return Err(ApiError::unsupported_order_combination());
    }
    if kind.pays_later_orders() && working.side() != Side::Buy {
        return Err(ApiError::opo_working_sells());
    }
    if kind.pays_later_orders() && pending != Side::Sell {
        return Err(ApiError::opo_pending_buys());
    }
    Ok(())
}

/// Both legs of an OCO, which have side and quantity in common.
struct Pair {
    side: Side,
    above: SentOrder,
    below: SentOrder,
}

impl Pair {
    fn take(
        params: &mut Params,
        frame: &Frame,
        kind: OrderListKind,
        shared: Names,
        prefixes: [&'static str; 2],
    ) -> Result<Self, ApiError> {
        let side = take_side(params, shared)?;
        let quantity = if kind.pays_later_orders() {
            SentQuantity::Later
        } else {
            SentQuantity::take(params, &frame.market, shared)?
        };
        let mut leg = |prefix| {
            let names = Names::Leg(prefix);
            let basics = Basics {
                order_type: take_order_type(params, names)?,
                side,
                quantity: quantity.clone(),
                stp_mode: frame.stp_mode,
            };
            SentOrder::take(params, &frame.market, names, basics)
        };
        let [above, below] = prefixes;
        Ok(Self { side, above: leg(above)?, below: leg(below)? })
    }

    /// The stop comes first, whichever side of the market it is on.
    fn check(self, market: &Market, generate: Generate<'_>) -> Result<Vec<NewOrder>, ApiError> {
        let types = [self.above.order_type(), self.below.order_type()];
        check_types(self.side, types)?;
        let (stop, other) = if is_stop_loss(types[0]) {
            (self.above, self.below)
        } else {
            (self.below, self.above)
        };
        let stop = stop.check(market, &mut *generate)?;
        Ok(vec![stop, other.check(market, generate)?])
    }
}

const fn is_stop_loss(order_type: OrderType) -> bool {
    matches!(order_type, OrderType::StopLoss | OrderType::StopLossLimit)
}

/// Which types may be above the market and which below: one line for each of Binance's errors.
fn check_types(side: Side, [above, below]: [OrderType; 2]) -> Result<(), ApiError> {
    use OrderType::{LimitMaker, TakeProfit, TakeProfitLimit};
    let takes_profit = |leg: OrderType| matches!(leg, TakeProfit | TakeProfitLimit);
    let known = |leg: OrderType| leg == LimitMaker || takes_profit(leg) || is_stop_loss(leg);
    let is_buy = side == Side::Buy;
    if !known(above) || !known(below) {
        return Err(ApiError::not_in_oco());
    }
    if above == LimitMaker && below == LimitMaker {
        return Err(ApiError::oco_of_limits());
    }
    if is_buy && above == LimitMaker {
        return Err(ApiError::oco_misplaced(-1165, "limit", "buy", "below"));
    }
    if !is_buy && below == LimitMaker {
        return Err(ApiError::oco_misplaced(-1166, "limit", "sell", "above"));
    }
    if is_buy && is_stop_loss(below) {
        return Err(ApiError::oco_misplaced(-1196, "stop loss", "buy", "above"));
    }
    if !is_buy && is_stop_loss(above) {
        return Err(ApiError::oco_misplaced(-1197, "stop loss", "sell", "below"));
    }
    if is_buy && takes_profit(above) {
        return Err(ApiError::oco_misplaced(-1198, "take profit", "buy", "below"));
    }
    if !is_buy && takes_profit(below) {
        return Err(ApiError::oco_misplaced(-1199, "take profit", "sell", "above"));
    }
    Ok(())
}

/// `DELETE /api/v3/orderList`
#[derive(Clone, Copy, Debug)]
pub struct CancelOrderListRequest {
    pub market: Market,
    pub cancel: CancelOrderList,
}

impl CancelOrderListRequest {
    pub fn parse(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let list = take_list_ref(&mut params, "listClientOrderId")?;
        let cl_ord_id = params.cl_ord_id("newClientOrderId")?;
        params.finish()?;
        let list = list?;
        let instrument = market.instrument.id;
        if list.id.is_some_and(|(of_list, _)| of_list != instrument) {
            return Err(ApiError::unknown_order_list());
        }
        let cancel = CancelOrderList {
            instrument,
            order_list: list.id.map(|(_, order_list)| order_list),
            list_cl_ord_id: list.cl_ord_id,
            cl_ord_id: cl_ord_id.unwrap_or_else(generate),
        };
        Ok(Self { market, cancel })
    }
}

#[cfg(test)]
mod tests;
