//! OBWL workloads as plans.
//!
//! The file numbers the orders of all instruments together; the engine numbers those of each by
//! themselves. Every new order is accepted, so the id that it gets is known beforehand.

use std::fmt;

use recorded::Format;
use recorded::obwl::{Op, Record, Workload};
use types::PRICE_MAX;

use super::plan::{Plan, Step, Terms};

/// As many as the engine lists. The header states their number without proof.
const INSTRUMENTS_MAX: u32 = 100_000;

/// Why a workload that could be read cannot be replayed.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum PlanError {
    TooManyInstruments { stated: u32 },
    PriceOutOfRange { index: usize, found: u64 },
    QtyIsZero { index: usize },
    CancelElsewhere { index: usize, found: u32, entered: u32 },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyInstruments { stated } => {
                write!(f, "{stated} instruments are above the limit of {INSTRUMENTS_MAX}")
            }
            Self::PriceOutOfRange { index, found } => {
                write!(f, "record {index}: a price of {found} ticks is not in 1..=2^53")
            }
            Self::QtyIsZero { index } => write!(f, "record {index}: an order of no lots"),
            Self::CancelElsewhere { index, found, entered } => write!(
                f,
                "record {index}: cancels in instrument {found} an order of instrument {entered}"
            ),
        }
    }
}

/// Where an order of the file is in the engine.
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

/// The reader saw to it that the file's order ids count up from 1, and that the target is there.
fn cancel(index: usize, record: &Record, entered: &[Entered]) -> Result<Step, PlanError> {
    let Entered { instrument, order_id } = entered[record.order_id as usize - 1];
    if instrument != record.symbol {
        let found = record.symbol;
        return Err(PlanError::CancelElsewhere { index, found, entered: instrument });
    }
    Ok(Step::Cancel { order_id: u64::from(order_id), instrument, side: record.side })
}
