//! `buttonwood bench core`: matching without sockets and log, on generated order flow.

use clap::{Args, ValueEnum};
use cli::{Failure, SWITCH};
use recorded::obwl::Workload;
use replay::{Part, Speed};

use super::machine;
use super::report::{Output, Report, report};
use super::tally::median;
use super::workload::{self, Name};

#[derive(Args, Debug)]
pub(super) struct Core {
    /// Commands of each workload that are measured, up to 100,000,000
    /// [default: 3,000,000, w2: 2,000,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    orders: Option<u64>,
    /// Rounds of measurement, 1 to 100; the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=100))]
    rounds: u8,
    /// Measures the parts of the engine too, each on top of those before it
    #[arg(long)]
    parts: bool,
    /// Allows huge pages for large arrays
    #[arg(long, value_name = "SWITCH", value_parser = SWITCH, default_value = "on")]
    huge_pages: String,
    #[command(flatten)]
    output: Output,
}

impl Core {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if self.huge_pages == "off" {
            server::HugePages::Off.apply()?;
        }
        let machine = machine::here(&std::env::temp_dir());
        let mut workloads = Report::default();
        for name in Name::value_variants() {
            let parts = self.parts.then(|| self.measure_parts(*name)).transpose()?;
            let workload = self.measure(*name)?.with(parts.unwrap_or_default());
            workloads.push(name.text(), workload);
        }
        report! {
            scenario: "core",
            loop: "closed",
            rounds: self.rounds,
        }
        .with(machine)
        .with(report! { workloads: workloads })
        .print(&self.output)
    }

    /// Engine and book take turns, so that both see the same load of the machine.
    fn measure(&self, name: Name) -> Result<Report, Failure> {
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
        let per_s = |rounds: &[Speed]| median(rounds.iter().map(|it| it.commands_per_s).collect());
        Ok(report! {
            commands: of_engine.commands,
            trades: of_engine.trades,
            // With accounts, fees, all checks and events.
            engine_per_s: per_s(&engine),
            // Queueing and matching only.
            book_per_s: per_s(&book),
        })
    }
}

impl Core {
    /// What each part of the engine adds to the time of a command, the median of the rounds.
    fn measure_parts(&self, name: Name) -> Result<Report, Failure> {
        let workload = workload::make(name, None, self.orders);
        let mut rounds = Vec::new();
        for _ in 0..self.rounds {
            let parts = replay::measure_parts(&workload);
            let parts = parts.map_err(|error| Failure::fault(error.to_string()))?;
            if parts.iter().any(|part| part.speed.trades != parts[0].speed.trades) {
                let name = name.text();
                let failure = format!("{name}: the parts do not trade alike: this is a bug");
                return Err(Failure::fault(failure));
            }
            rounds.push(parts);
        }
        let ns = |at: usize| {
            let of_round = |parts: &Vec<Part>| 1e9 / parts[at].speed.commands_per_s;
            median(rounds.iter().map(of_round).collect())
        };
        let mut parts = Report::default();
        let mut below = 0.0;
        for (at, part) in rounds[0].iter().enumerate() {
            let all = ns(at);
            parts.push(&format!("{}_ns", part.name), all - below);
            below = all;
        }
        parts.push("all_ns", below);
        Ok(report! { parts: parts })
    }
}

fn speed(workload: &Workload, book_only: bool) -> Result<Speed, Failure> {
    replay::measure(workload, book_only).map_err(|error| Failure::fault(error.to_string()))
}
