//! The bytes of orders that the book does not show whole.

use std::collections::BTreeMap;

use types::{InstrumentId, Order, OrderId, Qty, Reader, Side, Wire};

use crate::state::Engine;
use crate::state::codec::{read_map, read_queue, write_list};

/// Where orders stand that the book does not show whole, as it is read.
#[derive(Debug, Default)]
pub(super) struct Unshown {
    pub(super) hidden: Vec<Vec<Order>>,
    pub(super) reserves: Reserves,
}

/// The quantity of icebergs beyond what they show.
pub(super) type Reserves = BTreeMap<(InstrumentId, OrderId), Qty>;

impl Engine {
    /// What there is of it, market by market.
    pub(super) fn write_special(&self, out: &mut Vec<u8>) {
        let numbered = (0..).map(InstrumentId).zip(&self.markets);
        write_list(numbered, out, |(id, market), out| {
            let special = &market.special;
            (special.last_prevented_id, special.pegs.cursor).write(out);
            for side in [Side::Buy, Side::Sell] {
                let hidden = special.dark.orders(&self.orders.nodes, side);
                write_list(hidden, out, |node, out| self.orders.order(node).write(out));
            }
            let mut reserves: Vec<(OrderId, Qty)> = [Side::Buy, Side::Sell]
                .into_iter()
                .flat_map(|side| market.book.orders(&self.orders.nodes, side))
                .filter_map(|node| {
                    let reserve = self.orders.extra(node)?.reserve;
                    let order_id = self.orders.order_id(node);
                    (!reserve.is_zero()).then_some((order_id, reserve))
                })
                .collect();
            reserves.sort_unstable();
            debug_assert_eq!(market.instrument.id, id);
            reserves.write(out);
        });
    }

    pub(super) fn read_special(&mut self, r: &mut Reader<'_>) -> Option<Unshown> {
        let mut unshown = Unshown::default();
        if r.read::<u32>()? as usize != self.markets.len() {
            return None;
        }
        for (id, market) in (0..).map(InstrumentId).zip(&mut self.markets) {
            let special = &mut market.special;
            (special.last_prevented_id, special.pegs.cursor) = r.read()?;
            for side in [Side::Buy, Side::Sell] {
                unshown.hidden.push(read_queue(r, id, side)?);
            }
            let reserves: BTreeMap<OrderId, Qty> = read_map(r)?;
            let of_market = reserves.into_iter().map(|(order_id, qty)| ((id, order_id), qty));
            unshown.reserves.extend(of_market);
        }
        Some(unshown)
    }
}

impl Unshown {
    /// What the book shows of a resting order that was read; `None` if no order could be like
    /// that.
    pub(super) fn shown_of(&self, order: &Order) -> Option<Qty> {
        let terms = order.terms.unwrap_or_default().terms;
        let reserve = self.reserves.get(&(order.instrument, order.order_id)).copied();
        let shown = order.leaves_qty().lots().checked_sub(reserve.unwrap_or(Qty::ZERO).lots())?;
        let shown = Qty::from_lots(shown);
        let is_sound = match (terms.display_qty, reserve) {
            (Qty::ZERO, reserve) => reserve.is_none(),
            (display_qty, None) => shown <= display_qty,
            (display_qty, Some(reserve)) => {
                !reserve.is_zero() && !shown.is_zero() && shown <= display_qty
            }
        };
        (is_sound && !terms.hidden).then_some(shown)
    }
}
