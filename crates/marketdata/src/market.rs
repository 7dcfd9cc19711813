//! A test source of events: orders without rules but those of arithmetic, and their events.

use std::collections::BTreeMap;

use proptest::prelude::*;
use types::*;

use crate::depth::{DepthAccumulator, DepthDelta};
use crate::l2::{BookUpdate, L2Book, Level};

pub(crate) struct EventSource {
    instrument: InstrumentId,
    pub(crate) instrument_seq: u64,
    orders: BTreeMap<u64, Order>,
    trade_id: u64,
}

/// Plays a script, one event a line, and returns the book and the deltas of its `take` lines.
pub(crate) fn play(script: &str) -> (L2Book, Vec<Option<DepthDelta>>) {
    let mut source = EventSource::new(InstrumentId(0));
    let mut book = L2Book::default();
    book.apply(&BookUpdate::of(&source.list()).expect("the event of an instrument"));
    let mut accumulator = DepthAccumulator::new(&book);
    let mut deltas = Vec::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<_> = line.split_whitespace().collect();
        let number = |i: usize| words[i].parse::<u64>().expect("a number");
        let event = match words[0] {
            "buy" => source.rest(Side::Buy, number(1), number(2), number(4)),
            "sell" => source.rest(Side::Sell, number(1), number(2), number(4)),
            "trade" => source.trade(number(1), number(2)),
            "cancel" => source.cancel(number(1)),
            "amend" => source.amend(number(1), number(2)),
            "accept" => source.accept(),
            "expire" => source.expire(),
            "take" => {
                deltas.push(accumulator.take(&book));
                continue;
            }
            _ => panic!("no such line: {line}"),
        };
        let update = BookUpdate::of(&event).expect("the event of an instrument");
        book.apply(&update);
        accumulator.apply(&update);
    }
    (book, deltas)
}

/// A random step: a kind of event, and numbers that select the order and the quantity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    kind: u8,
    pick: usize,
    qty: u64,
    price: u64,
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    (0_u8..12, any::<usize>(), 1_u64..20, 1_u64..10).prop_map(|(kind, pick, qty, price)| Op {
        kind,
        pick,
        qty,
        price,
    })
}

pub(crate) fn ops(count_max: usize) -> impl Strategy<Value = Vec<Op>> {
    prop::collection::vec(op(), 0..count_max)
}

impl EventSource {
    pub(crate) fn new(instrument: InstrumentId) -> Self {
        Self { instrument, instrument_seq: 0, orders: BTreeMap::new(), trade_id: 0 }
    }

    /// The levels as the sums of the live orders, best first.
    pub(crate) fn levels(&self, side: Side) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        let mut orders: Vec<_> = self.orders.values().filter(|order| order.side == side).collect();
        orders.sort_by_key(|order| match side {
            Side::Buy => -order.price.ticks(),
            Side::Sell => order.price.ticks(),
        });
        for order in orders {
            match levels.last_mut().filter(|level| level.price == order.price) {
                Some(level) => {
                    level.qty += order.leaves_qty();
                    level.order_count += 1;
                }
                None => levels.push(Level {
                    price: order.price,
                    qty: order.leaves_qty(),
                    order_count: 1,
                }),
            }
        }
        levels
    }

    /// Applies an op to a live order, if there is one.
    pub(crate) fn random(&mut self, op: Op) -> Event {
        let new_id = self.instrument_seq + 1;
        let picked = self.orders.values().nth(op.pick % self.orders.len().max(1)).copied();
        let leaves = picked.map_or(0, |order| order.leaves_qty().lots());
        match (op.kind, picked.map(|order| order.order_id.0)) {
            (0..2, Some(id)) => self.trade(id, op.qty.min(leaves)),
            (2, Some(id)) => self.trade(id, leaves),
            (3..5, Some(id)) => self.cancel(id),
            (5..7, Some(id)) if leaves > 1 => {
                let order_qty = self.orders[&id].order_qty.lots();
                self.amend(id, order_qty - op.qty.min(leaves - 1))
            }
            (7, _) => self.accept(),
            (8, _) => self.expire(),
            (kind, _) if kind % 2 == 0 => self.rest(Side::Buy, new_id, op.qty, op.price),
            _ => self.rest(Side::Sell, new_id, op.qty, op.price + 10),
        }
    }

    pub(crate) fn list(&mut self) -> Event {
        let step = Increment { units: 1, decimals: 0 };
        let spec = InstrumentSpec {
            symbol: Symbol::parse("BTCUSDT").expect("a symbol"),
            base: AssetId(0),
            quote: AssetId(1),
            tick_size: step,
            lot_size: step,
            min_price: Price::from_ticks(1),
            max_price: Price::from_ticks(1_000),
            min_qty: Qty::from_lots(1),
            max_qty: Qty::from_lots(1_000),
            market_max_qty: Qty::from_lots(1_000),
            min_notional: Amount::ZERO,
            max_notional: AMOUNT_MAX,
            max_open_orders: 1_000,
            fees: FeeRates::ZERO,
        };
        let instrument = Instrument { id: self.instrument, spec, tick_lot_minor: 1, lot_minor: 1 };
        Event::InstrumentListed(InstrumentListed { instrument_seq: self.next_seq(), instrument })
    }

    pub(crate) fn rest(&mut self, side: Side, id: u64, order_qty: u64, price: u64) -> Event {
        let order = self.order(side, id, order_qty, price);
        self.orders.insert(id, order);
        Event::OrderRested(OrderRested {
            instrument_seq: self.next_seq(),
            instrument: self.instrument,
            order_id: order.order_id,
            side,
            price: order.price,
            leaves_qty: order.leaves_qty(),
        })
    }

    /// An aggressor trades with a resting order.
    pub(crate) fn trade(&mut self, maker_id: u64, qty: u64) -> Event {
        let instrument_seq = self.next_seq();
        self.trade_id += 1;
        let qty = Qty::from_lots(qty);
        let maker = self.orders.get_mut(&maker_id).expect("a live order");
        maker.cum_qty += qty;
        maker.status = OrderStatus::PartiallyFilled;
        if maker.leaves_qty().is_zero() {
            maker.status = OrderStatus::Filled;
        }
        let maker = *maker;
        if !maker.status.is_open() {
            self.orders.remove(&maker_id);
        }
        let side = maker.side.opposite();
        let mut taker = self.order(side, 999, qty.lots(), maker.price.ticks().unsigned_abs());
        taker.cum_qty = qty;
        taker.status = OrderStatus::Filled;
        let fill = |order| Fill { account_seq: 1, order, fee: Amount::ZERO, fee_asset: AssetId(0) };
        Event::TradeExecuted(TradeExecuted {
            instrument_seq,
            instrument: self.instrument,
            trade_id: TradeId(self.trade_id),
            price: maker.price,
            qty,
            quote: Amount::from_minor(i128::from(maker.price.ticks()) * i128::from(qty.lots())),
            side,
            maker: fill(maker),
            taker: fill(taker),
        })
    }

    pub(crate) fn cancel(&mut self, id: u64) -> Event {
        let mut order = self.orders.remove(&id).expect("a live order");
        let canceled_qty = order.leaves_qty();
        order.status = OrderStatus::Canceled;
        Event::OrderCanceled(OrderCanceled {
            account_seq: 1,
            instrument_seq: self.next_seq(),
            order,
            canceled_qty,
            cl_ord_id: order.cl_ord_id,
            cause: CancelCause::Requested,
        })
    }

    pub(crate) fn amend(&mut self, id: u64, order_qty: u64) -> Event {
        let instrument_seq = self.next_seq();
        let order = self.orders.get_mut(&id).expect("a live order");
        let orig_order_qty = order.order_qty;
        order.order_qty = Qty::from_lots(order_qty);
        Event::OrderAmended(OrderAmended {
            account_seq: 1,
            instrument_seq,
            order: *order,
            orig_cl_ord_id: order.cl_ord_id,
            orig_order_qty,
            request: LoweringRequest::Amend,
        })
    }

    pub(crate) fn accept(&mut self) -> Event {
        let instrument_seq = self.next_seq();
        let order = self.order(Side::Buy, 999, 5, 10);
        Event::OrderAccepted(OrderAccepted { account_seq: 1, instrument_seq, order })
    }

    pub(crate) fn expire(&mut self) -> Event {
        let instrument_seq = self.next_seq();
        let mut order = self.order(Side::Buy, 999, 5, 10);
        order.status = OrderStatus::Expired;
        let cause = ExpireCause::ImmediateOrCancel;
        Event::OrderExpired(OrderExpired {
            account_seq: 1,
            instrument_seq,
            order,
            cause,
            prevented: None,
        })
    }

    fn next_seq(&mut self) -> u64 {
        self.instrument_seq += 1;
        self.instrument_seq
    }

    fn order(&self, side: Side, id: u64, order_qty: u64, price: u64) -> Order {
        Order {
            instrument: self.instrument,
            account: AccountId(1),
            order_id: OrderId(id),
            cl_ord_id: ClOrdId::parse("a").expect("a name"),
            side,
            order_type: OrderType::Limit,
            time_in_force: TimeInForce::Gtc,
            stp_mode: StpMode::None,
            status: OrderStatus::New,
            strategy_id: None,
            strategy_type: None,
            price: Price::from_ticks(price.try_into().expect("a small price")),
            order_qty: Qty::from_lots(order_qty),
            quote_order_qty: Amount::ZERO,
            cum_qty: Qty::ZERO,
            cum_quote: Amount::ZERO,
            created_ns: self.instrument_seq * 1_000,
            updated_ns: self.instrument_seq * 1_000,
            terms: None,
        }
    }
}
