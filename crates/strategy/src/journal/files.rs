//! The tables of a run, as CSV or as Parquet. Times are nanoseconds since 1970 UTC. Prices and
//! quantities are exact decimals in CSV, and the nearest doubles in Parquet.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use recorded::{Cell, ColumnKind, TableWriter};
use types::{DecimalText, Price};

use super::{Sample, side_name};
use crate::account::FEE_UNITS;
use crate::context::Context;
use crate::instrument::Instrument;
use crate::order::{Fill, Order, Terms, number_in_account};

use ColumnKind::{Flag, Number, Text, Time, Whole};

/// How tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableFormat {
    #[default]
    Csv,
    Parquet,
}

type Columns = &'static [(&'static str, ColumnKind)];

const ORDERS: Columns = &[
    ("order_id", Whole),
    ("instrument", Text),
    ("side", Text),
    ("terms", Text),
    ("price", Number),
    ("cum_qty", Number),
    ("leaves_qty", Number),
    ("state", Text),
    ("sent_ns", Time),
    ("ended_ns", Time),
];
const FILLS: Columns = &[
    ("order_id", Whole),
    ("instrument", Text),
    ("side", Text),
    ("price", Number),
    ("qty", Number),
    ("leaves_qty", Number),
    ("maker", Flag),
    ("cause", Text),
    ("fee", Number),
    ("waited_ns", Whole),
    ("exchange_ns", Time),
    ("local_ns", Time),
    ("position", Number),
];
const POSITIONS: Columns = &[
    ("at_ns", Time),
    ("instrument", Text),
    ("position", Number),
    ("cash", Number),
    ("fees", Number),
    ("pnl", Number),
];
const EQUITY: Columns = &[("at_ns", Time), ("pnl", Number), ("mark", Number), ("position", Number)];

#[derive(Debug)]
pub(super) struct Files {
    orders: Table,
    fills: Table,
    positions: Table,
    equity: Table,
    instruments: Vec<Instrument>,
}

#[derive(Debug)]
enum Table {
    Csv(BufWriter<File>),
    Parquet(Box<TableWriter>),
}

/// A value of a row.
#[derive(Clone, Copy)]
enum Value<'a> {
    Plain(Cell<'a>),
    Decimal(DecimalText),
}

impl Files {
    pub(super) fn create(
        folder: &Path,
        instruments: &[Instrument],
        format: TableFormat,
    ) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let create = |name: &str, columns| Table::create(folder, name, columns, format);
        Ok(Self {
            orders: create("orders", ORDERS)?,
            fills: create("fills", FILLS)?,
            positions: create("positions", POSITIONS)?,
            equity: create("equity", EQUITY)?,
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
        self.orders.row([
            whole(number_in_account(order.id).cast_signed()),
            text(&instrument.name),
            text(side_name(order.side)),
            text(terms),
            price(instrument, order.price),
            lots(instrument, order.cum_qty.lots().into()),
            lots(instrument, order.leaves_qty.lots().into()),
            text(state),
            time(order.sent_ns),
            time(context.now_ns),
        ])
    }

    pub(super) fn fill(&mut self, fill: &Fill, context: &Context) -> io::Result<()> {
        let instrument = &self.instruments[usize::from(fill.instrument)];
        self.fills.row([
            whole(number_in_account(fill.order_id).cast_signed()),
            text(&instrument.name),
            text(side_name(fill.side)),
            price(instrument, fill.price),
            lots(instrument, fill.qty.lots().into()),
            lots(instrument, fill.leaves_qty.lots().into()),
            Value::Plain(Cell::Flag(fill.is_maker)),
            text(fill.cause.name()),
            number(fill.fee as f64 / FEE_UNITS as f64 * instrument.unit_value()),
            whole(fill.waited_ns),
            time(fill.exchange_ns),
            time(fill.local_ns),
            lots(instrument, context.position(fill.instrument).into()),
        ])
    }

    pub(super) fn sample(&mut self, sample: &Sample, context: &Context) -> io::Result<()> {
        let Sample { at_ns, pnl, position, mark } = *sample;
        let position = lots(&self.instruments[0], position.into());
        self.equity.row([time(at_ns), number(pnl), number(mark), position])?;
        for (at, instrument) in self.instruments.iter().enumerate() {
            let account = context.account(at as u16);
            self.positions.row([
                time(at_ns),
                text(&instrument.name),
                lots(instrument, account.position.into()),
                number(instrument.money(account.cash)),
                number(account.fees as f64 / FEE_UNITS as f64 * instrument.unit_value()),
                number(context.pnl(at as u16)),
            ])?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let Self { orders, fills, positions, equity, .. } = self;
        [orders, fills, positions, equity].into_iter().try_for_each(Table::finish)
    }
}

impl Table {
    fn create(
        folder: &Path,
        name: &str,
        columns: Columns,
        format: TableFormat,
    ) -> io::Result<Self> {
        match format {
            TableFormat::Csv => {
                let mut file = BufWriter::new(File::create(folder.join(format!("{name}.csv")))?);
                let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
                writeln!(file, "{}", names.join(","))?;
                Ok(Self::Csv(file))
            }
            TableFormat::Parquet => {
                let path = folder.join(format!("{name}.parquet"));
                Ok(Self::Parquet(Box::new(TableWriter::create(&path, name, columns)?)))
            }
        }
    }

    fn row<const N: usize>(&mut self, values: [Value<'_>; N]) -> io::Result<()> {
        match self {
            Self::Csv(file) => {
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        file.write_all(b",")?;
                    }
                    value.print(file)?;
                }
                file.write_all(b"\n")
            }
            Self::Parquet(table) => table.row(&values.map(Value::cell)),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Csv(mut file) => file.flush(),
            Self::Parquet(table) => table.finish(),
        }
    }
}

impl<'a> Value<'a> {
    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Decimal(decimal) => write!(out, "{decimal}"),
            Self::Plain(Cell::Text(text)) => write!(out, "{text}"),
            Self::Plain(Cell::Whole(number) | Cell::Time(number)) => write!(out, "{number}"),
            Self::Plain(Cell::Number(number)) => write!(out, "{number}"),
            Self::Plain(Cell::Flag(flag)) => write!(out, "{flag}"),
        }
    }

    fn cell(self) -> Cell<'a> {
        match self {
            Self::Plain(cell) => cell,
            Self::Decimal(decimal) => {
                Cell::Number(decimal.parse().expect("a plain decimal is a number"))
            }
        }
    }
}

fn text(text: &str) -> Value<'_> {
    Value::Plain(Cell::Text(text))
}

fn whole(number: i64) -> Value<'static> {
    Value::Plain(Cell::Whole(number))
}

fn number(number: f64) -> Value<'static> {
    Value::Plain(Cell::Number(number))
}

fn time(ns: i64) -> Value<'static> {
    Value::Plain(Cell::Time(ns))
}

fn price(instrument: &Instrument, price: Price) -> Value<'static> {
    Value::Decimal(instrument.tick.text(price.ticks().into(), 0))
}

fn lots(instrument: &Instrument, lots: i128) -> Value<'static> {
    Value::Decimal(instrument.lot.text(lots, 0))
}
