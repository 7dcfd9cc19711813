//! `buttonwood bench core`: the matching without sockets and without a log, on made-up order flow.

use std::collections::BTreeMap;
use std::io::Write;

use clap::Args;
use cli::Failure;
use cli::HugePages;
use recorded::obwl::Workload;
use replay::Speed;
use serde::Serialize;

use super::machine::{Machine, Versions};
use super::require::{self, Requirement};
use super::workload::{self, Name};

#[derive(Args, Debug)]
pub(super) struct Core {
    /// Commands of each workload that are measured [default: 3,000,000, w2 2,000,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    orders: Option<u64>,
    /// How often each is measured; the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=100))]
    rounds: u8,
    /// Whether large arrays may lie on huge pages
    #[arg(long, value_name = "SWITCH", default_value = "on")]
    huge_pages: HugePages,
    /// What must be reached, such as workloads.w1.engine_per_s>1000000; else the exit status is 1
    #[arg(long, value_name = "FIGURE<BOUND", value_delimiter = ',')]
    require: Vec<Requirement>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Figures {
    scenario: &'static str,
    /// One command after the other, as fast as they are carried out.
    #[serde(rename = "loop")]
    loop_kind: &'static str,
    rounds: u8,
    workloads: BTreeMap<&'static str, Speeds>,
    machine: Machine,
    versions: Versions,
}

#[derive(Clone, Copy, Serialize)]
struct Speeds {
    commands: u64,
    trades: u64,
    /// Accounts, fees, all checks, every event made.
    engine_per_s: f64,
    /// Queueing and matching alone.
    book_per_s: f64,
}

impl Core {
    pub(super) fn run(&self) -> Result<(), Failure> {
        server::HugePages::from(self.huge_pages).apply()?;
        let machine = Machine::here(&std::env::temp_dir());
        let mut workloads = BTreeMap::new();
        for name in Name::ALL {
            workloads.insert(name.text(), self.measure(name)?);
        }
        let figures = Figures {
            scenario: "core",
            loop_kind: "closed",
            rounds: self.rounds,
            workloads,
            machine,
            versions: Versions::here(),
        };
        let value = serde_json::to_value(&figures)?;
        let text = if self.json { format!("{value}\n") } else { figures.table() };
        std::io::stdout().write_all(text.as_bytes())?;
        require::check(&self.require, &value)
    }

    /// Both in turn, so that neither has the machine when it is quiet.
    fn measure(&self, name: Name) -> Result<Speeds, Failure> {
        let workload = workload::make(name, None, self.orders);
        let (mut engine, mut book) = (Vec::new(), Vec::new());
        for _ in 0..self.rounds {
            engine.push(speed(&workload, false)?);
            book.push(speed(&workload, true)?);
        }
        let of_engine = engine[0];
        if (of_engine.trades, of_engine.rejected) != (book[0].trades, 0) {
            return Err(Failure::fault(format!(
                "{}: the engine and the bare book do not agree: this is a bug",
                name.text()
            )));
        }
        Ok(Speeds {
            commands: of_engine.commands,
            trades: of_engine.trades,
            engine_per_s: median(&engine),
            book_per_s: median(&book),
        })
    }
}

fn speed(workload: &Workload, book_only: bool) -> Result<Speed, Failure> {
    replay::measure(workload, book_only).map_err(|error| Failure::fault(error.to_string()))
}

fn median(rounds: &[Speed]) -> f64 {
    let mut speeds: Vec<f64> = rounds.iter().map(|round| round.commands_per_s).collect();
    speeds.sort_by(f64::total_cmp);
    speeds[speeds.len() / 2]
}

impl Figures {
    fn table(&self) -> String {
        let mut text = format!(
            "{}\n{}\n{:10}{:>12}{:>12}{:>18}{:>18}\n",
            self.machine.sentence(),
            self.versions.sentence(),
            "workload",
            "commands",
            "trades",
            "engine, M/s",
            "bare book, M/s"
        );
        for (name, speeds) in &self.workloads {
            let Speeds { commands, trades, engine_per_s, book_per_s } = speeds;
            let (engine, book) = (engine_per_s / 1e6, book_per_s / 1e6);
            text += &format!("{name:10}{commands:>12}{trades:>12}{engine:>18.2}{book:>18.2}\n");
        }
        text
    }
}
