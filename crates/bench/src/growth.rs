//! `buttonwood bench growth`: the engine's time for a command, and the venue's orders a second, as
//! one quantity grows and all others stay.

use clap::Args;
use cli::Failure;
use recorded::obwl::Workload;
use replay::ACCOUNTS_A_SIDE;

use super::flags::Flags;
use super::load::{Scenario, measure, open};
use super::machine;
use super::report::{Figure, Output, Report, report};
use super::spec::Load;
use super::stream;
use super::tally::median;
use super::workload::{Name, Shape, make_like};

#[derive(Args, Debug)]
pub(super) struct Growth {
    /// Commands of each measurement after those that build the book, 1 to 10,000,000
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    orders: u64,
    /// The largest size of each quantity, 1 to 100,000,000
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    most: u64,
    /// Measured seconds of the venue with each number of cores and readers, 1 to 3,600
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    duration: u64,
    /// Rounds of measurement, 1 to 100; the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=100))]
    rounds: u8,
    #[command(flatten)]
    output: Output,
}

/// A quantity that grows, and the sizes at which the engine is measured.
struct Quantity {
    name: &'static str,
    title: &'static str,
    sizes: &'static [u64],
    /// The workload, and the number of accounts on each side.
    make: fn(size: u64, commands: u64) -> (Workload, u32),
}

const ENGINE_UNIT: &str = "ns a command";
const VENUE_UNIT: &str = "orders/s";
const READERS: [u64; 5] = [0, 1, 10, 100, 1_000];
/// Enough clients that the venue limits the rate.
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

/// Sizes, and the median of the rounds at each.
type Points = Vec<(u64, f64)>;

impl Growth {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let machine = machine::here(&std::env::temp_dir());
        let curves = QUANTITIES.iter().map(|quantity| self.measure(quantity));
        let mut curves = curves.collect::<Result<Vec<_>, _>>()?;
        curves.extend([self.by_cores()?, self.by_readers()?]);
        report! {
            scenario: "growth",
            loop: "closed",
            rounds: self.rounds,
        }
        .with(machine)
        .with(report! { curves: curves })
        .print(&self.output)
    }

    fn measure(&self, quantity: &Quantity) -> Result<Report, Failure> {
        let points = self.points(quantity.sizes.iter().copied(), |size| {
            let (workload, accounts) = (quantity.make)(size, self.orders);
            move || {
                let speed = replay::measure_with(&workload, accounts);
                let speed = speed.map_err(|error| Failure::fault(error.to_string()))?;
                Ok(1e9 / speed.commands_per_s)
            }
        })?;
        Ok(curve(quantity.name, quantity.title, ENGINE_UNIT, &points))
    }

    /// Only the venue is kept to these cores. Its clients use all cores, these too.
    fn by_cores(&self) -> Result<Report, Failure> {
        let there = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        let points = self.points(1..=there, |size| {
            let flags = Flags { cores: u16::try_from(size).ok(), ..self.flags(CLIENTS) };
            move || {
                let venue = open(&flags, flags.clients.into())?;
                let scenario = Scenario { name: "rest-mix", load: Load::RestMix };
                measure(scenario, &flags, &venue, |_| Ok(()))?.flawless_per_s(&flags)
            }
        })?;
        let title = "Cores that the venue may use, 64 clients over REST, nothing stored";
        Ok(curve("cores", title, VENUE_UNIT, &points))
    }

    fn by_readers(&self) -> Result<Report, Failure> {
        let flags = &self.flags(4);
        let points = self.points(READERS.into_iter(), |readers| {
            move || {
                let mut venue = open(flags, usize::from(flags.clients) + 1)?;
                let probe_key = venue.keys.pop().expect("it has one more than there are clients");
                stream::orders_beside(flags, &venue, &probe_key, readers as usize)
            }
        })?;
        let title = "Readers of @depth@100ms, 4 clients over REST, nothing stored";
        Ok(curve("readers", title, VENUE_UNIT, &points))
    }

    fn flags(&self, clients: u16) -> Flags {
        let duration = Some(self.duration);
        let durability = "memory".to_owned();
        Flags { clients, duration, warm_up: 1, durability, ..Flags::default() }
    }

    fn points<T: FnMut() -> Result<f64, Failure>>(
        &self,
        sizes: impl Iterator<Item = u64>,
        at: impl Fn(u64) -> T,
    ) -> Result<Points, Failure> {
        let point = |size| {
            let mut once = at(size);
            let values = (0..self.rounds).map(|_| once());
            Ok((size, median(values.collect::<Result<Vec<_>, _>>()?)))
        };
        sizes.filter(|size| *size <= self.most).map(point).collect()
    }
}

fn curve(quantity: &str, title: &str, unit: &str, points: &Points) -> Report {
    let json = points.iter().map(|(size, value)| report! { size: *size, value: *value }.value());
    let text: Vec<_> = points.iter().map(|(size, value)| format!("{size}: {value:.0}")).collect();
    report! {
        quantity: quantity,
        title: title,
        unit: unit,
        points: Figure::Short(json.collect(), text.join(", ")),
    }
}
