//! OBWL workloads as plans.
//!
//! The file numbers the orders of all instruments together; the engine numbers those of each by
//! themselves. Every new order is accepted, so that its id is known in the plan.

use recorded::Format;
use recorded::obwl::{Op, Record, Workload};
use thiserror::Error;
use types::PRICE_MAX;

use super::plan::{Plan, Step, Terms};

/// The engine's limit. The header states the number of instruments without proof.
const INSTRUMENTS_MAX: u32 = 100_000;

/// The reason for which a readable workload cannot be replayed.
#[derive(Debug, Eq, Error, PartialEq)]
pub enum PlanError {
    #[error("{stated} instruments are above the limit of {INSTRUMENTS_MAX}")]
    TooManyInstruments { stated: u32 },
    #[error("record {index}: a price of {found} ticks is not in 1..=2^53")]
    PriceOutOfRange { index: usize, found: u64 },
    #[error("record {index}: an order of no lots")]
    QtyIsZero { index: usize },
    #[error("record {index}: cancels in instrument {found} an order of instrument {entered}")]
    CancelElsewhere { index: usize, found: u32, entered: u32 },
}

/// The id of the file's order in the engine.
#[derive(Clone, Copy)]
struct Entered {
    instrument: u32,
    order_id: u32,
}

pub(crate) fn plan(workload: &Workload) -> Result<Plan, PlanError> {
    let stated = workload.header.symbol_count;
    if stated > INSTRUMENTS_MAX {
        return Err(PlanError::TooManyInstruments { stated });
    }
    let mut plan = Plan::new(Format::Obwl, stated);
    plan.steps.reserve(workload.records.len());
    let mut last_ids = vec![0; stated as usize];
    let mut entered = Vec::new();
    let prefill = workload.prefill().len();
    for (index, record) in workload.records.iter().enumerate() {
        let step = match record.op {
            Op::Limit => new_order(index, record, Terms::Limit, &mut last_ids, &mut entered)?,
            Op::Ioc => new_order(index, record, Terms::Ioc, &mut last_ids, &mut entered)?,
            Op::Market => new_order(index, record, Terms::Market, &mut last_ids, &mut entered)?,
            Op::Cancel => cancel(index, record, &entered)?,
        };
        plan.push(step, index >= prefill);
    }
    Ok(plan)
}

fn new_order(
    index: usize,
    record: &Record,
    terms: Terms,
    last_ids: &mut [u32],
    entered: &mut Vec<Entered>,
) -> Result<Step, PlanError> {
    let price = match (terms, i64::try_from(record.price)) {
        (Terms::Market, _) => 0,
        (_, Ok(price)) if (1..=PRICE_MAX.ticks()).contains(&price) => price,
        _ => return Err(PlanError::PriceOutOfRange { index, found: record.price }),
    };
    if record.qty == 0 {
        return Err(PlanError::QtyIsZero { index });
    }
    let instrument = record.symbol;
    let last_id = &mut last_ids[instrument as usize];
    *last_id += 1; // a file has fewer than 2^32 records
    entered.push(Entered { instrument, order_id: *last_id });
    Ok(Step::New {
        order_id: u64::from(*last_id),
        price,
        qty: u64::from(record.qty),
        instrument,
        side: record.side,
        terms,
    })
}

/// The reader has checked that the file's order ids count up from 1, and that the target exists.
fn cancel(index: usize, record: &Record, entered: &[Entered]) -> Result<Step, PlanError> {
    let Entered { instrument, order_id } = entered[record.order_id as usize - 1];
    if instrument != record.symbol {
        let found = record.symbol;
        return Err(PlanError::CancelElsewhere { index, found, entered: instrument });
    }
    Ok(Step::Cancel { order_id: u64::from(order_id), instrument, side: record.side })
}

#[cfg(test)]
mod tests {
    use recorded::obwl::Header;
    use types::Side;

    use super::*;

    fn record(op: Op, order_id: u64, price: u64, qty: u32, symbol: u32) -> Record {
        Record { order_id, price, qty, symbol, op, side: Side::Sell }
    }

    fn plan_of(symbol_count: u32, records: &[Record]) -> Result<Plan, PlanError> {
        let header = Header {
            symbol_count,
            record_count: records.len() as u64,
            prefill_count: 2,
            order_id_max: 0,
            price_min: 0,
            price_max: 0,
        };
        plan(&Workload { header, records: records.to_vec() })
    }

    #[test]
    fn ids_count_up_in_each_instrument() {
        let records = [
            record(Op::Limit, 1, 90, 5, 0),
            record(Op::Limit, 2, 91, 6, 1),
            record(Op::Ioc, 3, 92, 7, 1),
            record(Op::Cancel, 2, 91, 0, 1),
            record(Op::Market, 4, u64::MAX, 8, 0),
        ];
        let plan = plan_of(2, &records).unwrap();
        let new = |instrument, order_id, price, qty, terms| Step::New {
            order_id,
            price,
            qty,
            instrument,
            side: Side::Sell,
            terms,
        };
        let expected = [
            new(0, 1, 90, 5, Terms::Limit),
            new(1, 1, 91, 6, Terms::Limit),
            new(1, 2, 92, 7, Terms::Ioc),
            Step::Cancel { order_id: 1, instrument: 1, side: Side::Sell },
            new(0, 2, 0, 8, Terms::Market),
        ];
        assert_eq!(plan.steps, expected);
        let stretches: Vec<_> = plan.stretches.iter().map(|at| (at.end, at.timed)).collect();
        assert_eq!(stretches, [(2, false), (5, true)]);
    }

    #[test]
    fn records_that_no_engine_accepts_are_refused_by_index() {
        let check = |symbol_count, last: Record, expected: &str| {
            let records = [record(Op::Limit, 1, 90, 5, 0), last];
            let error = plan_of(symbol_count, &records).unwrap_err();
            assert_eq!(error.to_string(), expected);
        };
        let range = "record 1: a price of 0 ticks is not in 1..=2^53";
        check(1, record(Op::Limit, 2, 0, 1, 0), range);
        let range = "record 1: a price of 9007199254740993 ticks is not in 1..=2^53";
        check(1, record(Op::Ioc, 2, (1 << 53) + 1, 1, 0), range);
        check(1, record(Op::Market, 2, 0, 0, 0), "record 1: an order of no lots");
        let elsewhere = "record 1: cancels in instrument 1 an order of instrument 0";
        check(2, record(Op::Cancel, 1, 90, 0, 1), elsewhere);
        let many = "100001 instruments are above the limit of 100000";
        check(100_001, record(Op::Limit, 2, 1, 1, 0), many);
    }
}
