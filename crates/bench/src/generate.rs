//! `buttonwood bench gen`: writes a workload for other tools.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cli::Failure;
use recorded::obwl::{Op, Record, Workload};
use serde::Serialize;
use types::Side;

use super::workload::{self, Name};

#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood bench gen --workload w2 --out w2.obwl")]
pub(super) struct Generate {
    /// Kind of market
    #[arg(long, value_enum, default_value_t = Name::W1)]
    workload: Name,
    /// Seed of the workload [default: the workload's own, which gives the same file everywhere]
    #[arg(long)]
    seed: Option<u64>,
    /// Commands after those that build the book, up to 200,000,000
    /// [default: 3,000,000, w2: 2,000,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=ORDERS_MAX))]
    orders: Option<u64>,
    /// Form of the file; `buttonwood replay` reads `obwl`
    #[arg(long, value_enum, default_value_t = Format::Obwl)]
    format: Format,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Together with the commands that build the book, this number fits into an OBWL file.
const ORDERS_MAX: u64 = 200_000_000;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Obwl,
    /// One JSON object a line
    Ndjson,
    Csv,
}

/// A command in words. A market order has no price, a cancel no quantity.
#[derive(Serialize)]
struct Line {
    op: &'static str,
    order_id: u64,
    symbol: u32,
    side: &'static str,
    price: Option<u64>,
    qty: Option<u32>,
}

impl Generate {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let workload = workload::make(self.workload, self.seed, self.orders);
        match &self.out {
            None => {
                let mut out = BufWriter::new(std::io::stdout().lock());
                cli::is_read(self.write(&workload, &mut out)).map(drop)
            }
            Some(file) => File::create(file)
                .and_then(|created| self.write(&workload, &mut BufWriter::new(created)))
                .map_err(|error| Failure::new(format!("{}: {error}", file.display()))),
        }
    }

    fn write(&self, workload: &Workload, out: &mut impl Write) -> std::io::Result<()> {
        match self.format {
            Format::Obwl => workload.write(out)?,
            Format::Ndjson => {
                for record in &workload.records {
                    writeln!(out, "{}", serde_json::to_string(&Line::of(record))?)?;
                }
            }
            Format::Csv => {
                let mut rows = csv::Writer::from_writer(&mut *out);
                for record in &workload.records {
                    rows.serialize(Line::of(record))?;
                }
                rows.flush()?;
            }
        }
        out.flush()
    }
}

impl Line {
    fn of(record: &Record) -> Self {
        let Record { order_id, price, qty, symbol, op, side } = *record;
        Self {
            op: match op {
                Op::Limit => "limit",
                Op::Cancel => "cancel",
                Op::Ioc => "ioc",
                Op::Market => "market",
            },
            order_id,
            symbol,
            side: match side {
                Side::Buy => "buy",
                Side::Sell => "sell",
            },
            price: (op != Op::Market).then_some(price),
            qty: (op != Op::Cancel).then_some(qty),
        }
    }
}
