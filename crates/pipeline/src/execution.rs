//! Orders as bytes, and their simulated executions.

use protocol::fix::tag_value::Writer;
use protocol::ouch::inbound::EnterOrder;
use types::Side;

use crate::book::Book;
use crate::message::{Kind, PRICE_DECIMALS, Update, Wire};
use crate::risk::Risk;
use crate::strategy::Order;

/// Bytes of orders that wait until they are sent together.
const BUFFER_BYTES: usize = 16 << 10;
const ORDER_BYTES_MAX: usize = 512;

#[derive(Debug)]
pub(crate) struct Execution {
    wire: Wire,
    out: Vec<u8>,
    /// Bid and ask that rest.
    quotes: [Option<Order>; 2],
    pub(crate) orders: u64,
    /// Orders with a fill.
    pub(crate) filled: u64,
    pub(crate) bytes: u64,
}

impl Execution {
    pub(crate) fn new(wire: Wire) -> Self {
        let out = Vec::with_capacity(BUFFER_BYTES);
        Self { wire, out, quotes: [None; 2], orders: 0, filled: 0, bytes: 0 }
    }

    /// Fills a quote at which a trade took place.
    #[inline]
    pub(crate) fn on_update(&mut self, update: &Update, risk: &mut Risk) {
        if update.kind != Kind::Trade {
            return;
        }
        for quote in &mut self.quotes {
            let Some(order) = quote else { continue };
            let is_reached = match order.side {
                Side::Buy => i64::from(update.price) <= order.price,
                Side::Sell => i64::from(update.price) >= order.price,
            };
            if is_reached {
                risk.fill(order.side, order.price, order.quantity);
                self.filled += 1;
                *quote = None;
            }
        }
    }

    /// Encodes an order, and fills what can trade at the touch.
    #[inline]
    pub(crate) fn send(&mut self, order: Order, book: &Book, risk: &mut Risk) {
        self.orders += 1;
        let before = self.out.len();
        match self.wire {
            Wire::Binary => self.encode_binary(&order),
            Wire::Fix => self.encode_fix(&order),
        }
        self.bytes += (self.out.len() - before) as u64;
        // A socket would get them here.
        if self.out.len() + ORDER_BYTES_MAX > BUFFER_BYTES {
            self.out.clear();
        }
        if !order.is_ioc {
            self.quotes[order.side as usize] = Some(order);
            return;
        }
        let Some(best) = book.best(order.side.opposite()) else { return };
        let trades = match order.side {
            Side::Buy => best.price <= order.price,
            Side::Sell => best.price >= order.price,
        };
        if trades {
            let quantity = u64::from(order.quantity).min(best.quantity) as u32;
            risk.fill(order.side, best.price, quantity);
            self.filled += 1;
        }
    }

    fn encode_binary(&mut self, order: &Order) {
        let message = EnterOrder {
            user_ref_num: self.orders as u32,
            side: if order.side == Side::Buy { b'B' } else { b'S' },
            quantity: order.quantity,
            symbol: *b"BTCUSDT ",
            price: order.price.unsigned_abs(),
            time_in_force: if order.is_ioc { b'3' } else { b'0' },
            display: b'Y',
            capacity: b'P',
            intermarket_sweep: b'N',
            cross_type: b'N',
            cl_ord_id: [b' '; 14],
        };
        message.write(&mut self.out, |_| {});
    }

    fn encode_fix(&mut self, order: &Order) {
        let mut writer = Writer::begin(&mut self.out, b"FIX.4.4", b"D");
        writer.field(49, b"CLIENT");
        writer.field(56, b"VENUE");
        writer.number(34, self.orders);
        writer.field(52, b"20240808-12:00:00.000");
        writer.number(11, self.orders);
        writer.field(55, b"BTCUSDT");
        writer.field(54, if order.side == Side::Buy { b"1" } else { b"2" });
        writer.field(60, b"20240808-12:00:00.000");
        writer.number(38, order.quantity.into());
        writer.field(40, b"2");
        writer.decimal(44, order.price, PRICE_DECIMALS);
        writer.field(59, if order.is_ioc { b"3" } else { b"1" });
        writer.finish();
    }
}

#[cfg(test)]
mod tests {
    use protocol::fix::tag_value;
    use protocol::ouch::Inbound;

    use super::*;

    #[test]
    fn orders_can_be_read_again_and_fill_at_the_touch() {
        let mut book = Book::new();
        book.apply(&Update::new(Kind::Add, Side::Sell, 1, 10_000, 5));
        for wire in [Wire::Binary, Wire::Fix] {
            let (mut execution, mut risk) = (Execution::new(wire), Risk::default());
            let order = Order { price: 10_000, quantity: 7, side: Side::Buy, is_ioc: true };
            execution.send(order, &book, &mut risk);
            assert_eq!((execution.orders, execution.filled, risk.position()), (1, 1, 5));
            match wire {
                Wire::Binary => {
                    let Ok(Inbound::EnterOrder(read, _)) = Inbound::read(&execution.out) else {
                        panic!("it is an order")
                    };
                    assert_eq!((read.quantity, read.price, read.side), (7, 10_000, b'B'));
                }
                Wire::Fix => {
                    let read = tag_value::read(&execution.out).unwrap().unwrap();
                    assert_eq!(read.msg_type(), b"D");
                    assert_eq!(
                        (read.find(44), read.find(38)),
                        (Some(&b"1.0000"[..]), Some(&b"7"[..]))
                    );
                }
            }
        }
    }

    #[test]
    fn a_quote_fills_once_at_a_trade_that_reaches_it() {
        let (mut execution, mut risk) = (Execution::new(Wire::Binary), Risk::default());
        let quote = Order { price: 9_900, quantity: 3, side: Side::Buy, is_ioc: false };
        execution.send(quote, &Book::new(), &mut risk);
        for price in [9_901, 9_900, 9_800] {
            execution.on_update(&Update::new(Kind::Trade, Side::Buy, 0, price, 1), &mut risk);
        }
        assert_eq!((execution.filled, risk.position()), (1, 3));
    }

    #[test]
    fn the_buffer_never_grows() {
        for wire in [Wire::Binary, Wire::Fix] {
            let (mut execution, mut risk) = (Execution::new(wire), Risk::default());
            let order = Order { price: 10_000, quantity: 7, side: Side::Sell, is_ioc: true };
            (0..10_000).for_each(|_| execution.send(order, &Book::new(), &mut risk));
            assert_eq!(execution.out.capacity(), BUFFER_BYTES);
        }
    }
}
