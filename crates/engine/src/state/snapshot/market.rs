//! The bytes of an instrument and of the orders on its book.

use types::{InstrumentId, Order, Reader, Side, Wire};

use crate::state::Engine;
use crate::state::codec::{read_queue, write_list};
use crate::state::market::Market;

impl Engine {
    pub(super) fn write_market(&self, market: &Market, out: &mut Vec<u8>) {
        market.instrument.write(out);
        market.last_order_id.write(out);
        market.last_trade_id.write(out);
        market.instrument_seq.write(out);
        for side in [Side::Buy, Side::Sell] {
            let orders = market.book.orders(&self.orders.nodes, side);
            write_list(orders, out, |node, out| self.orders.order(node).write(out));
        }
    }
}

pub(super) fn read_market(
    r: &mut Reader<'_>,
    id: InstrumentId,
    resting: &mut Vec<Vec<Order>>,
) -> Option<Market> {
    let mut market = Market::new(r.read()?);
    market.last_order_id = r.read()?;
    market.last_trade_id = r.read()?;
    market.instrument_seq = r.read()?;
    for side in [Side::Buy, Side::Sell] {
        resting.push(read_queue(r, id, side)?);
    }
    Some(market)
}
