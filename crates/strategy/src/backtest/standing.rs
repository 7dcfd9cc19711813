//! What stands in the record at some time, so that a part of it can begin there.

use std::collections::{BTreeMap, HashMap};

use recorded::{Event, Kind};
use types::{Price, Qty, Side};

/// Levels and orders after the events so far.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    levels: BTreeMap<(u16, bool, Price), Qty>,
    /// By instrument and the exchange's id.
    orders: HashMap<(u16, u64), Order>,
    /// Of the next order that takes a place in a queue.
    stamp: u64,
}

#[derive(Clone, Copy, Debug)]
struct Order {
    side: Side,
    price: Price,
    lots: u64,
    stamp: u64,
}

impl Standing {
    pub fn add(&mut self, event: &Event) {
        let Event { instrument, order: id, price, quantity, side, .. } = *event;
        let key = (instrument, id);
        match (event.kind, side) {
            (Kind::Level | Kind::SnapshotLevel, Some(side)) => {
                let key = (instrument, side == Side::Buy, price);
                if quantity.is_zero() {
                    self.levels.remove(&key);
                } else {
                    self.levels.insert(key, quantity);
                }
            }
            (Kind::Clear, _) => self.clear(event),
            (Kind::Add, Some(side)) => self.place(key, side, price, quantity.lots()),
            (Kind::Cancel | Kind::Execute, _) => {
                if let Some(order) = self.orders.get_mut(&key) {
                    order.lots = order.lots.saturating_sub(quantity.lots());
                    if order.lots == 0 {
                        self.orders.remove(&key);
                    }
                }
            }
            (Kind::Delete, _) => {
                self.orders.remove(&key);
            }
            (Kind::Modify, _) => self.modify(key, event),
            _ => {}
        }
    }

    /// Events that lead from nothing to what stands, at a time.
    pub fn events(&self, at_ns: i64) -> Vec<Event> {
        let at = |instrument| Event::cleared(instrument, at_ns, at_ns);
        let side = |is_buy: bool| if is_buy { Side::Buy } else { Side::Sell };
        let levels = self.levels.iter().map(|((instrument, is_buy, price), qty)| {
            at(*instrument).then(Kind::SnapshotLevel, side(*is_buy), *price, *qty)
        });
        let mut orders: Vec<_> = self.orders.iter().collect();
        orders.sort_by_key(|(_, order)| order.stamp);
        let orders = orders.into_iter().map(|((instrument, id), of)| Event {
            order: *id,
            ..at(*instrument).then(Kind::Add, of.side, of.price, Qty::from_lots(of.lots))
        });
        levels.chain(orders).collect()
    }

    /// With a price, the levels from the best one up to it are gone.
    fn clear(&mut self, event: &Event) {
        let Event { instrument, price, side, .. } = *event;
        let is_side = |of: Side| side.is_none_or(|side| side == of);
        self.levels.retain(|(at, is_buy, level), _| {
            let of = if *is_buy { Side::Buy } else { Side::Sell };
            let is_reached =
                price.ticks() == 0 || if *is_buy { *level >= price } else { *level <= price };
            *at != instrument || !is_side(of) || !is_reached
        });
        self.orders.retain(|(at, _), order| *at != instrument || !is_side(order.side));
    }

    fn place(&mut self, key: (u16, u64), side: Side, price: Price, lots: u64) {
        self.stamp += 1;
        self.orders.insert(key, Order { side, price, lots, stamp: self.stamp });
    }

    fn modify(&mut self, key: (u16, u64), event: &Event) {
        let lots = event.quantity.lots();
        match self.orders.get_mut(&key) {
            Some(_) if lots == 0 => {
                self.orders.remove(&key);
            }
            Some(order) if order.price == event.price && lots <= order.lots => order.lots = lots,
            Some(order) => {
                let side = order.side;
                self.place(key, side, event.price, lots);
            }
            None => {
                if let (Some(side), true) = (event.side, lots > 0) {
                    self.place(key, side, event.price, lots);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line is `KIND SIDE PRICE QTY [ID]`; what stands is printed in the same form.
    #[track_caller]
    fn check(script: &str, expected: &[&str]) {
        let mut standing = Standing::default();
        for line in script.lines().map(str::trim) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |at: usize| words.get(at).map_or(0, |word| word.parse::<i64>().unwrap());
            let kind = match words[0] {
                "level" => Kind::Level,
                "clear" => Kind::Clear,
                "add" => Kind::Add,
                "cancel" => Kind::Cancel,
                "execute" => Kind::Execute,
                "delete" => Kind::Delete,
                "modify" => Kind::Modify,
                _ => Kind::Trade,
            };
            let side = match words[1] {
                "buy" => Some(Side::Buy),
                "sell" => Some(Side::Sell),
                _ => None,
            };
            standing.add(&Event {
                kind,
                side,
                price: Price::from_ticks(number(2)),
                quantity: Qty::from_lots(number(3) as u64),
                order: number(4) as u64,
                ..Event::cleared(0, 1, 1)
            });
        }
        let text = |event: &Event| {
            let kind = if event.kind == Kind::Add { "add" } else { "level" };
            let side = if event.side == Some(Side::Buy) { "buy" } else { "sell" };
            let (price, lots) = (event.price.ticks(), event.quantity.lots());
            assert_eq!((event.exchange_ns, event.local_ns), (7, 7));
            match event.order {
                0 => format!("{kind} {side} {price} {lots}"),
                id => format!("{kind} {side} {price} {lots} {id}"),
            }
        };
        assert_eq!(standing.events(7).iter().map(text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn levels_stand_as_they_last_were() {
        check(
            "level buy 99 5
             level buy 98 4
             level sell 101 3
             level sell 102 2
             trade buy 101 1
             level buy 99 6
             level sell 101 0",
            &["level sell 102 2", "level buy 98 4", "level buy 99 6"],
        );
        check(
            "level buy 99 5
             level buy 98 4
             level sell 101 3
             clear buy 99 0",
            &["level sell 101 3", "level buy 98 4"],
        );
        check("level buy 99 5\nlevel sell 101 3\nclear - 0 0", &[]);
    }

    #[test]
    fn orders_stand_in_the_order_of_their_queues() {
        check(
            "add buy 99 5 1
             add buy 99 4 2
             add sell 101 3 3
             modify buy 99 6 1
             cancel - 99 1 2
             execute - 101 3 3
             add buy 99 1 4
             modify buy 98 1 4
             add sell 102 2 5
             delete - 0 0 5",
            &["add buy 99 3 2", "add buy 99 6 1", "add buy 98 1 4"],
        );
    }
}
