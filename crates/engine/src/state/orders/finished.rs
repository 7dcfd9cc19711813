//! Short forms of finished orders and trades, as accounts keep them.

use types::{
    AccountId, AccountTrade, Amount, AssetId, ClOrdId, InstrumentId, Order, OrderId, OrderRef,
    OrderStatus, OrderType, PackedClOrdId, Price, Qty, Side, StpMode, TimeInForce, TradeId,
    TradeRevision,
};

use crate::state::orders::kept::{Brief, Kept};
use crate::state::orders::record::Name;
use crate::state::orders::record::OpenId;
use crate::state::orders::record::OpenOrder;

/// An order by quantity with a packed name, sums within 64 bits, and no strategy or special terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinishedOrder {
    cl_ord_id: PackedClOrdId,
    order_id: OrderId,
    price: Price,
    order_qty: Qty,
    cum_qty: Qty,
    cum_quote: u64,
    created_ns: u64,
    updated_ns: u64,
    instrument: InstrumentId,
    side: Side,
    order_type: OrderType,
    time_in_force: TimeInForce,
    stp_mode: StpMode,
    status: OrderStatus,
}

const _: () = assert!(size_of::<Option<FinishedOrder>>() == 88);

impl Brief for FinishedOrder {
    type Whole = Order;

    #[inline]
    fn new(order: &Order) -> Option<Self> {
        let common = order.quote_order_qty.is_zero()
            && order.strategy_id.is_none()
            && order.strategy_type.is_none()
            && order.terms.is_none();
        if !common {
            return None;
        }
        Some(Self {
            cl_ord_id: order.cl_ord_id.pack()?,
            order_id: order.order_id,
            price: order.price,
            order_qty: order.order_qty,
            cum_qty: order.cum_qty,
            cum_quote: order.cum_quote.minor().try_into().ok()?,
            created_ns: order.created_ns,
            updated_ns: order.updated_ns,
            instrument: order.instrument,
            side: order.side,
            order_type: order.order_type,
            time_in_force: order.time_in_force,
            stp_mode: order.stp_mode,
            status: order.status,
        })
    }

    fn whole(&self, account: AccountId) -> Order {
        Order {
            instrument: self.instrument,
            account,
            order_id: self.order_id,
            cl_ord_id: self.cl_ord_id.unpack(),
            side: self.side,
            order_type: self.order_type,
            time_in_force: self.time_in_force,
            stp_mode: self.stp_mode,
            status: self.status,
            strategy_id: None,
            strategy_type: None,
            price: self.price,
            order_qty: self.order_qty,
            quote_order_qty: Amount::ZERO,
            cum_qty: self.cum_qty,
            cum_quote: Amount::from_minor(i128::from(self.cum_quote)),
            created_ns: self.created_ns,
            updated_ns: self.updated_ns,
            terms: None,
        }
    }
}

impl FinishedOrder {
    /// The short form of an open order that ends, without assembling the whole order. `None` if its
    /// name is too long or a sum too large.
    #[inline(always)]
    pub(crate) fn ended(open: OpenId, record: &OpenOrder, end: &End) -> Option<Self> {
        let Name::Packed(cl_ord_id) = record.cl_ord_id else { return None };
        Some(Self {
            cl_ord_id,
            order_id: open.order_id,
            price: record.price,
            order_qty: record.order_qty,
            cum_qty: end.cum_qty,
            cum_quote: end.cum_quote.minor().try_into().ok()?,
            created_ns: record.created_ns,
            updated_ns: end.updated_ns,
            instrument: open.instrument,
            side: open.side,
            order_type: record.order_type,
            time_in_force: record.time_in_force,
            stp_mode: record.stp_mode,
            status: end.status,
        })
    }
}

/// The final state of an order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) status: OrderStatus,
    pub(crate) cum_qty: Qty,
    pub(crate) cum_quote: Amount,
    pub(crate) updated_ns: u64,
}

/// The order of our id, or else the last one of that name.
pub(in crate::state) fn find_finished(
    finished: &Kept<FinishedOrder>,
    account: AccountId,
    instrument: InstrumentId,
    wanted: &OrderRef,
) -> Option<Order> {
    let OrderRef { order_id, cl_ord_id } = wanted;
    let packed = cl_ord_id.as_ref().map(ClOrdId::pack);
    let maybe = |brief: &FinishedOrder| {
        brief.instrument == instrument
            && order_id.is_none_or(|order_id| order_id == brief.order_id)
            && packed.is_none_or(|packed| packed == Some(brief.cl_ord_id))
    };
    let is_meant = |order: &Order| {
        order.instrument == instrument
            && order_id.is_none_or(|order_id| order_id == order.order_id)
            && cl_ord_id.is_none_or(|cl_ord_id| cl_ord_id == order.cl_ord_id)
    };
    finished.find(account, maybe).rev().find(is_meant)
}

/// A trade as it was executed, whose amount and fee fit into 64 bits: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct KeptTrade {
    trade_id: TradeId,
    order_id: OrderId,
    price: Price,
    qty: Qty,
    quote: u64,
    fee: u64,
    traded_ns: u64,
    instrument: InstrumentId,
    fee_asset: AssetId,
    side: Side,
    is_maker: bool,
}

const _: () = assert!(size_of::<Option<KeptTrade>>() == 64);

impl Brief for KeptTrade {
    type Whole = AccountTrade;

    #[inline]
    fn new(trade: &AccountTrade) -> Option<Self> {
        if trade.revision != TradeRevision::default() {
            return None;
        }
        Some(Self {
            trade_id: trade.trade_id,
            order_id: trade.order_id,
            price: trade.price,
            qty: trade.qty,
            quote: trade.quote.minor().try_into().ok()?,
            fee: trade.fee.minor().try_into().ok()?,
            traded_ns: trade.traded_ns,
            instrument: trade.instrument,
            fee_asset: trade.fee_asset,
            side: trade.side,
            is_maker: trade.is_maker,
        })
    }

    fn whole(&self, _: AccountId) -> AccountTrade {
        AccountTrade {
            instrument: self.instrument,
            trade_id: self.trade_id,
            order_id: self.order_id,
            side: self.side,
            is_maker: self.is_maker,
            price: self.price,
            qty: self.qty,
            quote: Amount::from_minor(i128::from(self.quote)),
            fee: Amount::from_minor(i128::from(self.fee)),
            fee_asset: self.fee_asset,
            traded_ns: self.traded_ns,
            revision: TradeRevision::default(),
        }
    }
}
