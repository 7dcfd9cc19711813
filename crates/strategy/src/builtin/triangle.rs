//! Triangular arbitrage between three instruments: the first is A in C, the second A in B, the
//! third B in C.
//!
//! One way round buys A for C, sells it for B, and sells that for C; the other way does the
//! opposite. All three orders are sent at once when the product of the best prices pays more than
//! `edge-bps`; what one of them does not fill stays as a position.

use types::{Price, Qty, Side};

use crate::context::Context;
use crate::order::NewOrder;
use crate::param::{Param, Values};
use crate::strategy::Strategy;

pub(super) const PARAMS: &[Param] = &[
    Param::int("lots", 1, (1, 1_000_000_000), "Lots of the first two instruments"),
    Param::float("edge-bps", 5.0, (0.0, 1e4), "Gain of a round, in basis points, that is taken"),
];

/// Positions of the three instruments in the run.
const A_IN_C: u16 = 0;
const A_IN_B: u16 = 1;
const B_IN_C: u16 = 2;

#[derive(Clone, Debug)]
pub struct Triangle {
    qty: Qty,
    edge: f64,
    fault: Option<String>,
}

impl Triangle {
    pub fn new(values: &Values) -> Self {
        Self {
            qty: Qty::from_lots(values.int("lots").unsigned_abs()),
            edge: values.float("edge-bps") / 1e4,
            fault: None,
        }
    }

    /// Sends a round that begins with `side` of A in C, if it pays.
    fn try_round(&self, context: &mut Context, side: Side) -> Option<()> {
        let first = context.book(A_IN_C).best(side.opposite())?;
        let second = context.book(A_IN_B).best(side)?;
        let third = context.book(B_IN_C).best(side)?;
        let value =
            |at: u16, price: Price| price.ticks() as f64 * context.instrument(at).tick_size();
        let gained = value(A_IN_B, second) * value(B_IN_C, third) / value(A_IN_C, first);
        let gain = match side {
            Side::Buy => gained - 1.0,
            Side::Sell => 1.0 / gained - 1.0,
        };
        if gain <= self.edge {
            return None;
        }
        let amount = self.qty.lots() as f64 * context.instrument(A_IN_B).lot_size();
        let lots = amount * value(A_IN_B, second) / context.instrument(B_IN_C).lot_size();
        let third_qty = Qty::from_lots(lots.floor() as u64);
        if third_qty.is_zero() {
            return None;
        }
        let back = side.opposite();
        for order in [
            NewOrder::ioc(A_IN_C, side, first, self.qty),
            NewOrder::ioc(A_IN_B, back, second, self.qty),
            NewOrder::ioc(B_IN_C, back, third, third_qty),
        ] {
            // A refusal is counted by the context.
            let _ = context.send(order);
        }
        Some(())
    }
}

impl Strategy for Triangle {
    fn on_start(&mut self, context: &mut Context) {
        let found = context.instruments().len();
        if found != 3 {
            self.fault = Some(format!("it trades three instruments, but the data have {found}"));
        }
    }

    fn on_book(&mut self, context: &mut Context, _instrument: u16) {
        if self.fault.is_some() || !context.open_orders().is_empty() {
            return;
        }
        if self.try_round(context, Side::Buy).is_none() {
            self.try_round(context, Side::Sell);
        }
    }

    fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}
