//! `buttonwood bench growth`: what a command costs the whole engine, and what the whole venue does, as one
//! thing grows and all else stays.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use cli::Failure;
use recorded::obwl::Workload;
use replay::ACCOUNTS_A_SIDE;
use serde::Serialize;

use super::chart::{self, Point};
use super::flags::{Durability, Flags};
use super::load::{measure, open, open_for};
use super::machine::{Machine, Versions};
use super::scenario::Scenario;
use super::stream;
use super::workload::{Name, Shape, make_like};

#[derive(Args, Debug)]
pub(super) struct Growth {
    /// Commands of each measurement, behind those that build the book
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    orders: u64,
    /// How far each thing grows at most
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    most: u64,
    /// Seconds that the venue is measured for with each number of cores and readers
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    duration: u64,
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

const ENGINE_UNIT: &str = "ns a command";
const VENUE_UNIT: &str = "orders/s";
const READERS: [usize; 5] = [0, 1, 10, 100, 1_000];
/// Enough of them that the venue is what limits the rate.
const CLIENTS: u16 = 64;

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
    unit: &'static str,
    points: Vec<Measured>,
}

#[derive(Serialize)]
struct Measured {
    size: u64,
    /// On average over the run, and the median of the rounds.
    value: f64,
}

impl Growth {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let machine = Machine::here(&std::env::temp_dir());
        let curves = QUANTITIES.iter().map(|quantity| self.measure(quantity));
        let mut curves = curves.collect::<Result<Vec<_>, _>>()?;
        curves.extend([self.by_cores()?, self.by_readers()?]);
        let figures = Figures {
            scenario: "growth",
            loop_kind: "closed",
            rounds: self.rounds,
            curves,
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
            let time = || {
                let speed = replay::measure_with(&workload, accounts);
                let speed = speed.map_err(|error| Failure::fault(error.to_string()))?;
                Ok(1e9 / speed.commands_per_s)
            };
            points.push(Measured { size, value: self.median(time)? });
        }
        let Quantity { name, title, .. } = *quantity;
        Ok(Curve { quantity: name, title, unit: ENGINE_UNIT, points })
    }

    /// The venue alone is kept to them. Those who drive it take their part of the same cores.
    fn by_cores(&self) -> Result<Curve, Failure> {
        let there = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        let mut points = Vec::new();
        for size in (1..=there).filter(|size| *size <= self.most) {
            let flags = Flags { cores: u16::try_from(size).ok(), ..self.flags(CLIENTS) };
            let value = self.median(|| {
                let venue = open(&flags, &std::env::temp_dir())?;
                measure(&Scenario::REST_MIX, &flags, &venue, |_| Ok(()))?.flawless_per_s(&flags)
            })?;
            points.push(Measured { size, value });
        }
        let title = "Cores that the venue may use, 64 clients over REST, nothing stored";
        Ok(Curve { quantity: "cores", title, unit: VENUE_UNIT, points })
    }

    fn by_readers(&self) -> Result<Curve, Failure> {
        let flags = self.flags(4);
        let mut points = Vec::new();
        for readers in READERS.into_iter().filter(|readers| *readers as u64 <= self.most) {
            let value = self.median(|| {
                let accounts = usize::from(flags.clients) + 1;
                let mut venue = open_for(&flags, &std::env::temp_dir(), accounts)?;
                let probe_key = venue.keys.pop().expect("it has one more than there are clients");
                stream::orders_beside(&flags, &venue, &probe_key, readers)
            })?;
            points.push(Measured { size: readers as u64, value });
        }
        let title = "Readers of @depth@100ms, 4 clients over REST, nothing stored";
        Ok(Curve { quantity: "readers", title, unit: VENUE_UNIT, points })
    }

    fn flags(&self, clients: u16) -> Flags {
        let duration = Some(self.duration);
        let durability = Durability::Memory;
        Flags { clients, duration, warm_up: 1, durability, ..Flags::default() }
    }

    fn median(&self, mut once: impl FnMut() -> Result<f64, Failure>) -> Result<f64, Failure> {
        let values = (0..self.rounds).map(|_| once());
        let mut values = values.collect::<Result<Vec<_>, _>>()?;
        values.sort_by(f64::total_cmp);
        Ok(values[values.len() / 2])
    }
}

impl Figures {
    fn table(&self) -> String {
        let mut text = format!("{}\n{}\n", self.machine.sentence(), self.versions.sentence());
        for Curve { title, unit, points, .. } in &self.curves {
            text += &format!("\n{title}: {unit}\n");
            for Measured { size, value } in points {
                text += &format!("{size:>12}{value:>10.0}\n");
            }
        }
        text
    }

    /// Each curve on an axis of powers of ten; that of cores on one of cores.
    fn drawn(&self) -> String {
        let drawn = |curve: &Curve| {
            let is_linear = curve.quantity == "cores";
            let place = |size: u64| match is_linear {
                true => size as f64,
                // None at all lies where a tenth would.
                false => (size as f64).max(0.1).log10(),
            };
            let point = |it: &Measured| Point { x: place(it.size), y: it.value };
            let line = curve.points.iter().map(point).collect();
            chart::lines(&[line], |x| match is_linear {
                true => chart::short(x),
                false if x < 0.0 => "0".to_owned(),
                false => chart::short(10_f64.powf(x)),
            })
        };
        let titles = self.curves.iter().map(|it| format!("{}: {}", it.title, it.unit));
        let titles: Vec<String> = titles.collect();
        let drawings = titles.iter().map(String::as_str).zip(self.curves.iter().map(drawn));
        chart::file(&drawings.collect::<Vec<_>>())
    }
}
