//! Identity of an open order: account, instrument, id and side.

use types::{AccountId, InstrumentId, Order, OrderId, Side};

/// Identity of an open order: account, instrument, id and side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenId {
    pub(crate) account: AccountId,
    pub(crate) instrument: InstrumentId,
    pub(crate) order_id: OrderId,
    pub(crate) side: Side,
}

impl From<&Order> for OpenId {
    #[inline]
    fn from(order: &Order) -> Self {
        let Order { account, instrument, order_id, side, .. } = *order;
        Self { account, instrument, order_id, side }
    }
}
