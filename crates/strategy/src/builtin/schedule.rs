//! Replay of a schedule: orders that were decided elsewhere, sent at their times.
//!
//! The file is CSV with the header `at_ns,instrument,side,terms,price,qty`: instruments by name,
//! prices and quantities as decimals, `terms` one of limit, post-only, ioc, fok, market. A limit
//! order stays until it fills.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Arc;

use thiserror::Error;
use types::{Price, Qty, Side};

use crate::context::Context;
use crate::order::{NewOrder, Terms};
use crate::param::{Param, ParamError, Values};
use crate::strategy::Strategy;

pub(super) const PARAMS: &[Param] = &[Param::text("file", "The CSV file of the orders")];

const HEADER: &str = "at_ns,instrument,side,terms,price,qty";

/// One order of a schedule, with decimals as text until the instruments are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    pub at_ns: i64,
    pub instrument: String,
    pub side: Side,
    pub terms: Terms,
    pub price: String,
    pub qty: String,
}

/// A line of a schedule is no order.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {reason}")]
pub struct ScheduleError {
    pub line: usize,
    pub reason: String,
}

#[derive(Clone, Debug)]
pub struct Schedule {
    orders: Arc<[Scheduled]>,
    next: usize,
    fault: Option<String>,
}

impl Schedule {
    pub fn new(orders: Vec<Scheduled>) -> Self {
        Self { orders: orders.into(), next: 0, fault: None }
    }

    pub(super) fn from_values(values: &Values) -> Result<Self, ParamError> {
        let path = values.text("file");
        let failed = |reason: String| ParamError::Together(format!("{path}: {reason}"));
        if path.is_empty() {
            return Err(ParamError::Together("the parameter file names no file".to_owned()));
        }
        let file = File::open(path).map_err(|error| failed(error.to_string()))?;
        Self::read(BufReader::new(file)).map_err(|error| failed(error.to_string()))
    }

    pub fn read(input: impl BufRead) -> Result<Self, ScheduleError> {
        let mut orders: Vec<Scheduled> = Vec::new();
        for (at, line) in input.lines().enumerate() {
            let fail = |reason: String| ScheduleError { line: at + 1, reason };
            let line = line.map_err(|error| fail(error.to_string()))?;
            if at == 0 {
                if line.trim_end() != HEADER {
                    return Err(fail(format!("the header is not {HEADER}")));
                }
                continue;
            }
            let order = parse(line.trim_end()).map_err(fail)?;
            if orders.last().is_some_and(|last| last.at_ns > order.at_ns) {
                return Err(fail("the time is before that of the line above".to_owned()));
            }
            orders.push(order);
        }
        Ok(Self::new(orders))
    }

    fn order(context: &Context, scheduled: &Scheduled) -> Result<NewOrder, String> {
        let Scheduled { instrument: name, side, terms, price, qty, .. } = scheduled;
        let at = context.instruments().position(|instrument| instrument.name == *name);
        let at = at.ok_or_else(|| format!("no instrument of the data is called {name:?}"))?;
        let instrument = context.instrument(at as u16);
        let ticks = match terms {
            Terms::Market => Some(0),
            _ => instrument.tick.count(price).and_then(|ticks| i64::try_from(ticks).ok()),
        };
        let ticks = ticks.ok_or_else(|| format!("the price {price:?} is off tick"))?;
        let lots = instrument.lot.count(qty).and_then(|lots| u64::try_from(lots).ok());
        let lots = lots.ok_or_else(|| format!("the quantity {qty:?} is no number of lots"))?;
        Ok(NewOrder {
            instrument: at as u16,
            side: *side,
            price: Price::from_ticks(ticks),
            qty: Qty::from_lots(lots),
            terms: *terms,
        })
    }

    fn set_timer(&self, context: &mut Context) {
        if let Some(next) = self.orders.get(self.next) {
            context.set_timer(next.at_ns.max(context.now_ns()), 0);
        }
    }
}

fn parse(line: &str) -> Result<Scheduled, String> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[at_ns, instrument, side, terms, price, qty] = fields.as_slice() else {
        return Err(format!("{} fields in place of 6", fields.len()));
    };
    Ok(Scheduled {
        at_ns: at_ns.parse().map_err(|_| format!("{at_ns:?} is no time in nanoseconds"))?,
        instrument: instrument.to_owned(),
        side: match side {
            "buy" => Side::Buy,
            "sell" => Side::Sell,
            _ => return Err(format!("{side:?} is no side")),
        },
        terms: match terms {
            "limit" => Terms::Limit,
            "post-only" => Terms::PostOnly,
            "ioc" => Terms::Ioc,
            "fok" => Terms::Fok,
            "market" => Terms::Market,
            _ => return Err(format!("{terms:?} are no terms")),
        },
        price: price.to_owned(),
        qty: qty.to_owned(),
    })
}

impl Strategy for Schedule {
    fn on_start(&mut self, context: &mut Context) {
        self.set_timer(context);
    }

    fn on_timer(&mut self, context: &mut Context, _timer: u32) {
        while let Some(scheduled) = self.orders.get(self.next) {
            if scheduled.at_ns > context.now_ns() {
                break;
            }
            match Self::order(context, scheduled) {
                Ok(order) => {
                    // A refusal is counted by the context.
                    let _ = context.send(order);
                }
                Err(reason) => {
                    self.fault = Some(format!("order {} of the schedule: {reason}", self.next + 1));
                    return;
                }
            }
            self.next += 1;
        }
        self.set_timer(context);
    }

    fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &str, expected: Result<usize, &str>) {
        let text = format!("{HEADER}\n{lines}");
        let read = Schedule::read(text.as_bytes());
        let found = read.map(|schedule| schedule.orders.len()).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn lines_are_orders_or_refused() {
        check("1,X,buy,limit,1.5,2\n1,X,sell,market,,2", Ok(2));
        check("1,X,buy,limit,1.5", Err("line 2: 5 fields in place of 6"));
        check("1,X,buy,gtc,1,2", Err("line 2: \"gtc\" are no terms"));
        check("x,X,buy,limit,1,2", Err("line 2: \"x\" is no time in nanoseconds"));
        let late = "line 3: the time is before that of the line above";
        check("2,X,buy,limit,1,2\n1,X,buy,limit,1,2", Err(late));
        let error = Schedule::read(&b"a,b"[..]).expect_err("no header").to_string();
        assert_eq!(error, format!("line 1: the header is not {HEADER}"));
    }
}
