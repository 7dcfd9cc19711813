//! Units that neither the caller nor the file states.
//!
//! The first events are read in units so fine that each decimal fits; the units are then the finest
//! decimals that occur.

use std::path::Path;
use std::sync::Arc;

use types::Increment;

use super::{Batch, Known, Options, UnitFrom, open_source};
use crate::columnar;
use crate::event::{Event, Kind};
use crate::fault::{Fault, ReadError};
use crate::format::Format;
use crate::units::{DECIMALS_MAX, Units};

/// Events of a file that its units are found from.
pub const PROBED_EVENTS: usize = 262_144;

const ONE: Increment = Increment { units: 1, decimals: 0 };

/// The units of a file, and where they come from.
pub(super) fn units(
    path: &Path,
    format: Format,
    known: &Known,
    options: &Options,
) -> Result<(Units, (UnitFrom, UnitFrom)), ReadError> {
    let stated = match format {
        Format::Lobster | Format::Itch | Format::Lean => {
            Some((Units { tick: Increment { units: 1, decimals: 4 }, lot: ONE }, UnitFrom::Format))
        }
        Format::Obwl => Some((Units { tick: ONE, lot: ONE }, UnitFrom::Format)),
        Format::Columnar => {
            let reader = columnar::Reader::open(path)?;
            reader
                .header()
                .instruments
                .first()
                .map(|of| (Units { tick: of.tick, lot: of.lot }, UnitFrom::File))
        }
        _ => None,
    };
    let is_fixed = matches!(format, Format::Obwl | Format::Columnar);
    let (found, from) = match (stated, options.tick, options.lot) {
        (Some(stated), ..) => stated,
        // Both are replaced below.
        (None, Some(tick), Some(lot)) => (Units { tick, lot }, UnitFrom::Given),
        (None, ..) => (find(path, format, known, options)?, UnitFrom::Decimals),
    };
    let given = |given: Option<Increment>, found| match given {
        Some(given) if !is_fixed => (given, UnitFrom::Given),
        _ => (found, from),
    };
    let ((tick, tick_from), (lot, lot_from)) =
        (given(options.tick, found.tick), given(options.lot, found.lot));
    Ok((Units { tick, lot }, (tick_from, lot_from)))
}

fn find(path: &Path, format: Format, known: &Known, options: &Options) -> Result<Units, ReadError> {
    let finest = |decimals| Increment { units: 1, decimals };
    let (mut price, mut quantity) = (DECIMALS_MAX, DECIMALS_MAX);
    loop {
        let units = Units {
            tick: options.tick.unwrap_or(finest(price)),
            lot: options.lot.unwrap_or(finest(quantity)),
        };
        match decimals(path, format, units, known, options.lenient) {
            Ok(found) => return Ok(found),
            // A number that is too large for the finest unit is in a coarser one.
            Err(error) => match error.fault {
                Fault::PriceOutOfRange { .. } if price > 0 => price -= 1,
                Fault::QuantityOutOfRange { .. } if quantity > 0 => quantity -= 1,
                _ => return Err(error),
            },
        }
    }
}

fn decimals(
    path: &Path,
    format: Format,
    units: Units,
    known: &Known,
    is_lenient: bool,
) -> Result<Units, ReadError> {
    let mut batch = Batch::new();
    let mut source = open_source(path, format, units, known, &mut batch, &Arc::default())?;
    let (mut price, mut quantity) = (Coarsest::of(units.tick), Coarsest::of(units.lot));
    let mut read = 0;
    while read < PROBED_EVENTS {
        let has_more = match source.read(&mut batch) {
            Ok(has_more) => has_more,
            Err(error) if is_lenient && !is_out_of_range(&error.fault) => {
                if !error.fault.is_skippable() {
                    return Err(error);
                }
                true
            }
            Err(error) => return Err(error),
        };
        for event in &batch.events {
            if has_price(event) {
                price.narrow(event.price.ticks().unsigned_abs());
            }
            quantity.narrow(event.quantity.lots());
        }
        read += batch.events.len();
        batch.events.clear();
        if !has_more {
            break;
        }
    }
    Ok(Units { tick: price.increment, lot: quantity.increment })
}

fn is_out_of_range(fault: &Fault) -> bool {
    matches!(fault, Fault::PriceOutOfRange { .. } | Fault::QuantityOutOfRange { .. })
}

fn has_price(event: &Event) -> bool {
    event.kind != Kind::Clear
}

/// The coarsest decimal unit in which all numbers so far are whole.
struct Coarsest {
    increment: Increment,
    /// Its size in the unit of the numbers.
    size: u64,
    /// Whether a number needs the finest unit.
    is_settled: bool,
}

impl Coarsest {
    fn of(unit: Increment) -> Self {
        let size = 10_u64.pow(unit.decimals.into());
        Self { increment: Increment { units: 1, decimals: 0 }, size, is_settled: false }
    }

    fn narrow(&mut self, number: u64) {
        while !self.is_settled && !number.is_multiple_of(self.size) {
            self.size /= 10;
            self.increment.decimals += 1;
            self.is_settled = self.size == 1;
        }
    }
}
