//! Single orders of any account: look-up, list, cancel.

use clap::Args;
use cli::Failure;
use cli::moment::format_time;
use engine::Engine;
use projection::AnyOrder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{
    CancelOrder, CancelRestriction, ClOrdId, Command, Event, InstrumentId, Order, OrderId,
    OrderRef, OrderStatus, RejectReason, Side,
};

use super::backend::{Venue, execute_for};
use super::lookup::{Listing, account_name, find_account, find_instrument, listing_of};
use super::value::mirrored;

/// An order by its id, which is unique in its instrument.
#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct NamedOrder {
    /// Instrument, such as BTCUSDT
    symbol: String,
    /// Id of the order
    order_id: u64,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct OpenOrders {
    /// Account
    account: String,
}

/// The client id of an operator's cancel, in the report to the order's owner.
const OPERATOR: &str = "operator";

impl NamedOrder {
    pub(super) fn show(self, venue: &mut Venue<'_>) -> Result<OrderShown, Failure> {
        let listing = find_instrument(venue, &self.symbol)?;
        let order = self.find(venue, listing.instrument.id)?;
        OrderShown::new(venue, &listing, &order)
    }

    pub(super) fn cancel(self, venue: &mut Venue<'_>) -> Result<OrderShown, Failure> {
        let listing = find_instrument(venue, &self.symbol)?;
        let instrument = listing.instrument.id;
        let order = self.find(venue, instrument)?;
        if !order.status.is_open() {
            let status = order.status;
            return Err(Failure::refused(
                RejectReason::OrderNotFound,
                format!("order {} of {} is not open: it is {status:?}", self.order_id, self.symbol),
            ));
        }
        let cl_ord_id = ClOrdId::parse(OPERATOR).ok_or_else(|| Failure::fault("no client id"))?;
        let cancel = CancelOrder {
            instrument,
            order: OrderRef::by_id(order.order_id),
            cl_ord_id,
            restriction: CancelRestriction::None,
        };
        let events = execute_for(venue, order.account, Command::CancelOrder(cancel))?;
        let canceled = events.iter().find_map(|event| match event {
            Event::OrderCanceled(canceled) => Some(canceled.order),
            _ => None,
        });
        let canceled = canceled.ok_or_else(|| Failure::fault("the venue canceled no order"))?;
        OrderShown::new(venue, &listing, &canceled)
    }

    /// From the engine while it is open, else from the read model.
    fn find(&self, venue: &mut Venue<'_>, instrument: InstrumentId) -> Result<Order, Failure> {
        let order_id = OrderId(self.order_id);
        let open = venue.read(move |engine| engine.open_order_by_id(instrument, order_id))?;
        let found = match open {
            Some(open) => Some(open),
            None => venue.history(AnyOrder { instrument, order_id })?,
        };
        found.ok_or_else(|| {
            let Self { symbol, order_id } = self;
            Failure::unknown(format!("{symbol} has no order {order_id}, or history begins later"))
        })
    }
}

/// An account's open orders in all instruments.
pub(super) fn list(
    OpenOrders { account: name }: OpenOrders,
    venue: &mut Venue<'_>,
) -> Result<Vec<OrderShown>, Failure> {
    let account = find_account(venue, &name)?;
    venue.read(move |engine: &Engine| {
        let listings = engine.instruments().map(|instrument| listing_of(engine, *instrument));
        let shown = listings.flat_map(|listing| {
            let open: Vec<Order> = engine.open_orders(account, listing.instrument.id).collect();
            open.into_iter().map(move |order| (listing, order))
        });
        shown.map(|(listing, order)| OrderShown::named(&listing, &order, name.clone())).collect()
    })
}

#[derive(JsonSchema, Serialize)]
pub(super) struct OrderShown {
    symbol: String,
    order_id: u64,
    client_order_id: String,
    account: String,
    side: SideName,
    /// Such as `Limit` or `StopLoss`
    order_type: String,
    time_in_force: String,
    status: StatusName,
    price: String,
    qty: String,
    filled_qty: String,
    /// Amount of the quote asset that it has traded
    filled_quote: String,
    /// The list that it is in, if it is in one
    order_list: Option<u64>,
    created: String,
    updated: String,
}

#[derive(Clone, Copy, JsonSchema, Serialize)]
pub(super) enum SideName {
    Buy,
    Sell,
}

#[derive(JsonSchema, Serialize)]
enum StatusName {
    New,
    PartiallyFilled,
    Filled,
    /// By its account or an operator
    Canceled,
    /// By its own terms or the market's
    Expired,
    /// By self-trade prevention
    Prevented,
}

mirrored!(Side => SideName: Buy, Sell);
mirrored!(
    OrderStatus => StatusName: New, PartiallyFilled, Filled, Canceled, Expired, Prevented
);

impl OrderShown {
    fn new(venue: &mut Venue<'_>, listing: &Listing, order: &Order) -> Result<Self, Failure> {
        let account = order.account;
        let name = venue.read(move |engine| account_name(engine, account))?;
        Ok(Self::named(listing, order, name))
    }

    fn named(listing: &Listing, order: &Order, account: String) -> Self {
        let order_list = order.terms.map(|terms| terms.order_list.0).filter(|id| *id > 0);
        Self {
            symbol: listing.instrument.spec.symbol.to_string(),
            order_id: order.order_id.0,
            client_order_id: order.cl_ord_id.to_string(),
            account,
            side: order.side.into(),
            order_type: format!("{:?}", order.order_type),
            time_in_force: format!("{:?}", order.time_in_force),
            status: order.status.into(),
            price: listing.price(order.price),
            qty: listing.qty(order.order_qty),
            filled_qty: listing.qty(order.cum_qty),
            filled_quote: listing.quote.format_amount(order.cum_quote),
            order_list,
            created: format_time(order.created_ns),
            updated: format_time(order.updated_ns),
        }
    }
}
