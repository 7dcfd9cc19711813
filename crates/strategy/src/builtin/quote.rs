//! One resting quote on a side, moved to a wanted price by cancel and new order.

use types::{OrderId, Price, Qty, Side};

use crate::context::Context;
use crate::order::NewOrder;

#[derive(Clone, Debug, Default)]
pub(super) struct Quote {
    id: Option<OrderId>,
}

impl Quote {
    /// Cancels the quote if it is not at the wanted price, and sends one where there is none.
    /// `None` wants no quote.
    pub(super) fn want(
        &mut self,
        context: &mut Context,
        instrument: u16,
        side: Side,
        wanted: Option<(Price, Qty)>,
    ) {
        if let Some(id) = self.id {
            let Some(order) = context.order(id) else {
                // It filled, expired or was canceled since.
                self.id = None;
                return self.want(context, instrument, side, wanted);
            };
            let is_wanted = wanted.is_some_and(|(price, _)| price == order.price);
            if !is_wanted && order.pending.is_none() {
                // Only a pending request refuses a cancel, and there is none.
                let _ = context.cancel(id);
            }
            return;
        }
        if let Some((price, qty)) = wanted {
            // A refusal is counted by the context; the next call tries again.
            self.id = context.send(NewOrder::post_only(instrument, side, price, qty)).ok();
        }
    }
}
