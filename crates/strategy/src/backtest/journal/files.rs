//! The files of a run, in CSV: exact decimals, times in nanoseconds since 1970 UTC.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use types::Price;

use super::{Sample, side_name};
use crate::account::FEE_UNITS;
use crate::context::Context;
use crate::instrument::Instrument;
use crate::order::{Fill, Order, Terms};

#[derive(Debug)]
pub(super) struct Files {
    orders: BufWriter<File>,
    fills: BufWriter<File>,
    positions: BufWriter<File>,
    equity: BufWriter<File>,
    instruments: Vec<Instrument>,
}

impl Files {
    pub(super) fn create(folder: &Path, instruments: &[Instrument]) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let create = |name: &str, header: &str| -> io::Result<BufWriter<File>> {
            let mut file = BufWriter::new(File::create(folder.join(name))?);
            writeln!(file, "{header}")?;
            Ok(file)
        };
        Ok(Self {
            orders: create(
                "orders.csv",
                "order_id,instrument,side,terms,price,cum_qty,leaves_qty,state,sent_ns,ended_ns",
            )?,
            fills: create(
                "fills.csv",
                "order_id,instrument,side,price,qty,leaves_qty,maker,cause,fee,waited_ns,\
                 exchange_ns,local_ns,position",
            )?,
            positions: create("positions.csv", "at_ns,instrument,position,cash,fees,pnl")?,
            equity: create("equity.csv", "at_ns,pnl,mark,position")?,
            instruments: instruments.to_vec(),
        })
    }

    pub(super) fn order(
        &mut self,
        order: &Order,
        state: &str,
        context: &Context,
    ) -> io::Result<()> {
        let instrument = &self.instruments[usize::from(order.instrument)];
        let terms = match order.terms {
            Terms::Limit => "limit",
            Terms::PostOnly => "post_only",
            Terms::Ioc => "ioc",
            Terms::Fok => "fok",
            Terms::Market => "market",
            Terms::Stop => "stop",
        };
        writeln!(
            self.orders,
            "{},{},{},{terms},{},{},{},{state},{},{}",
            order.id.0,
            instrument.name,
            side_name(order.side),
            price(instrument, order.price),
            lots(instrument, order.cum_qty.lots()),
            lots(instrument, order.leaves_qty.lots()),
            order.sent_ns,
            context.now_ns,
        )
    }

    pub(super) fn fill(&mut self, fill: &Fill, context: &Context) -> io::Result<()> {
        let instrument = &self.instruments[usize::from(fill.instrument)];
        writeln!(
            self.fills,
            "{},{},{},{},{},{},{},{},{},{},{},{},{}",
            fill.order_id.0,
            instrument.name,
            side_name(fill.side),
            price(instrument, fill.price),
            lots(instrument, fill.qty.lots()),
            lots(instrument, fill.leaves_qty.lots()),
            fill.is_maker,
            fill.cause.name(),
            fill.fee as f64 / FEE_UNITS as f64 * instrument.unit_value(),
            fill.waited_ns,
            fill.exchange_ns,
            fill.local_ns,
            instrument.lot.text(i128::from(context.position(fill.instrument)), 0),
        )
    }

    pub(super) fn sample(&mut self, sample: &Sample, context: &Context) -> io::Result<()> {
        let Sample { at_ns, pnl, position, mark } = sample;
        let first = &self.instruments[0];
        let position = first.lot.text(i128::from(*position), 0);
        writeln!(self.equity, "{at_ns},{pnl},{mark},{position}")?;
        for (at, instrument) in self.instruments.iter().enumerate() {
            let account = context.account(at as u16);
            writeln!(
                self.positions,
                "{at_ns},{},{},{},{},{}",
                instrument.name,
                instrument.lot.text(i128::from(account.position), 0),
                instrument.money(account.cash),
                account.fees as f64 / FEE_UNITS as f64 * instrument.unit_value(),
                context.pnl(at as u16),
            )?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        let Self { orders, fills, positions, equity, .. } = self;
        [orders, fills, positions, equity].into_iter().try_for_each(|file| file.flush())
    }
}

fn price(instrument: &Instrument, price: Price) -> types::DecimalText {
    instrument.tick.text(i128::from(price.ticks()), 0)
}

fn lots(instrument: &Instrument, lots: u64) -> types::DecimalText {
    instrument.lot.text(i128::from(lots), 0)
}
