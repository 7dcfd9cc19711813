//! `buttonwood bench growth`: what a command costs the whole engine as one thing grows and all else stays.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use recorded::obwl::Workload;
use serde::Serialize;

use super::chart::{self, Point};
use super::machine::{Machine, Versions};
use super::workload::{Name, Shape, make_like};
use crate::failure::Failure;
use crate::replay::{self, ACCOUNTS_A_SIDE};

#[derive(Args, Debug)]
pub(super) struct Growth {
    /// Commands of each measurement, behind those that build the book
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    orders: u64,
    /// How far each thing grows at most
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    most: u64,
    /// How often each is measured; the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=100))]
    rounds: u8,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write the curves as a drawing
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// A thing that grows, and what it is measured at.
struct Quantity {
    name: &'static str,
    title: &'static str,
    sizes: &'static [u64],
    /// The workload, and how many accounts a side there are.
    make: fn(size: u64, commands: u64) -> (Workload, u32),
}

const QUANTITIES: [Quantity; 4] = [
    Quantity {
        name: "resting_orders",
        title: "Orders resting in one instrument, over 190,000 prices",
        sizes: &[1_000, 10_000, 100_000, 1_000_000, 3_000_000],
        make: |size, commands| {
            let shape = Shape { prefill: size as usize, commands, ..Name::W2.shape() };
            (make_like(Name::W2, shape), ACCOUNTS_A_SIDE)
        },
    },
    Quantity {
        name: "instruments",
        title: "Instruments that 200,000 resting orders are spread over",
        sizes: &[1, 10, 100, 1_000, 8_000],
        make: |size, commands| {
            let shape = Shape { instruments: size as u32, commands, ..Name::W3.shape() };
            (make_like(Name::W3, shape), ACCOUNTS_A_SIDE)
        },
    },
    Quantity {
        name: "accounts",
        title: "Accounts on each side of one instrument",
        sizes: &[1, 10, 100, 1_000, 10_000, 100_000, 1_000_000],
        make: |size, commands| {
            let shape = Shape { commands, ..Name::W1.shape() };
            (make_like(Name::W1, shape), size as u32)
        },
    },
    Quantity {
        name: "commands",
        title: "Commands of one run",
        sizes: &[100_000, 300_000, 1_000_000, 3_000_000, 10_000_000],
        make: |size, _| {
            let shape = Shape { commands: size, ..Name::W1.shape() };
            (make_like(Name::W1, shape), ACCOUNTS_A_SIDE)
        },
    },
];

#[derive(Serialize)]
struct Figures {
    scenario: &'static str,
    #[serde(rename = "loop")]
    loop_kind: &'static str,
    rounds: u8,
    curves: Vec<Curve>,
    machine: Machine,
    versions: Versions,
}

#[derive(Serialize)]
struct Curve {
    quantity: &'static str,
    title: &'static str,
    points: Vec<Measured>,
}

#[derive(Serialize)]
struct Measured {
    size: u64,
    /// Of one command, on average over the run.
    command_ns: f64,
}

impl Growth {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let machine = Machine::here(&std::env::temp_dir());
        let curves = QUANTITIES.iter().map(|quantity| self.measure(quantity));
        let figures = Figures {
            scenario: "growth",
            loop_kind: "closed",
            rounds: self.rounds,
            curves: curves.collect::<Result<_, _>>()?,
            machine,
            versions: Versions::here(),
        };
        if let Some(path) = &self.svg {
            std::fs::write(path, figures.drawn())
                .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        }
        let text = match self.json {
            true => format!("{}\n", serde_json::to_string(&figures)?),
            false => figures.table(),
        };
        Ok(std::io::stdout().write_all(text.as_bytes())?)
    }

    fn measure(&self, quantity: &Quantity) -> Result<Curve, Failure> {
        let mut points = Vec::new();
        for size in quantity.sizes.iter().copied().filter(|size| *size <= self.most) {
            let (workload, accounts) = (quantity.make)(size, self.orders);
            let mut times = Vec::new();
            for _ in 0..self.rounds {
                times.push(1e9 / replay::measure_with(&workload, accounts)?.commands_per_s);
            }
            times.sort_by(f64::total_cmp);
            points.push(Measured { size, command_ns: times[times.len() / 2] });
        }
        Ok(Curve { quantity: quantity.name, title: quantity.title, points })
    }
}

impl Figures {
    fn table(&self) -> String {
        let mut text = format!("{}\n{}\n", self.machine.sentence(), self.versions.sentence());
        for Curve { title, points, .. } in &self.curves {
            text += &format!("\n{title}: ns a command\n");
            for Measured { size, command_ns } in points {
                text += &format!("{size:>12}{command_ns:>10.0}\n");
            }
        }
        text
    }

    /// Each curve on an axis of powers of ten.
    fn drawn(&self) -> String {
        let drawn = |curve: &Curve| {
            let point = |it: &Measured| Point { x: (it.size as f64).log10(), y: it.command_ns };
            let line = curve.points.iter().map(point).collect();
            chart::lines(&[line], |x| chart::short(10_f64.powf(x)))
        };
        let titles = self.curves.iter().map(|it| format!("{}: ns a command", it.title));
        let titles: Vec<String> = titles.collect();
        let drawings = titles.iter().map(String::as_str).zip(self.curves.iter().map(drawn));
        chart::file(&drawings.collect::<Vec<_>>())
    }
}
