//! `buttonwood bench history`: how fast a venue's events get into PostgreSQL.
//!
//! A venue without sockets fills its event spool with plain order flow. The read model then catches
//! up, with nothing else running; then the same rows are copied by `COPY` alone; then orders
//! come at a rate, and the lag is sampled.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use cli::Failure;
use projection::{Backend as _, HistoryRetention, Projection, Standstill};
use server::{HistoryPlace, feed, now_ns, read_history_place};
use sinks::postgres::{Address, Copied, Postgres, copy_again, drop_schema};
use venue::Opened;

use super::filled::{Flow, set_up, settings};
use super::machine;
use super::report::{Output, Report, report};
use super::usage;

/// Numbers of databases.
const COMPARED: [usize; 3] = [1, 3, 6];
const POLL: Duration = Duration::from_millis(2);

#[derive(Args, Debug)]
#[command(
    after_help = "Example: buttonwood bench history --sink postgres://bw@localhost/market --json"
)]
pub(super) struct History {
    /// Databases to fill, as `serve --history` takes them. They are used in schemas of the run's
    /// own, which are removed afterwards
    #[arg(long, value_name = "URL[,URL]")]
    sink: String,
    /// Measure the first database, the first three, and the first six, one after the other
    #[arg(long)]
    compare: bool,
    /// File with the password of the databases
    #[arg(long, value_name = "FILE")]
    password_file: Option<String>,
    /// Orders that the read model catches up with, 1 to 100,000,000
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    orders: u64,
    /// Orders a second while the lag is sampled, 1 to 1,000,000
    #[arg(long, value_name = "R", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    rate: u64,
    /// Seconds in which the lag is sampled, 1 to 3,600
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    duration: u64,
    /// Seed of the orders: the same seed gives the same orders
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the venue's folder and for the copied rows
    /// [default: the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    within: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

impl History {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let within = self.within.clone().unwrap_or_else(std::env::temp_dir);
        let machine = machine::here(&within);
        let place = read_history_place(&self.sink, self.password_file.as_deref())?;
        let HistoryPlace::Postgres { databases: addresses, .. } = place else {
            return Err(Failure::new("--sink must be such as postgres://user@host:5432/database"));
        };
        let most = COMPARED[COMPARED.len() - 1];
        if self.compare && addresses.len() < most {
            return Err(Failure::new(format!("--compare needs {most} databases in --sink")));
        }
        let folder = tempfile::Builder::new()
            .prefix("buttonwood-bench-")
            .tempdir_in(&within)
            .map_err(|error| Failure::new(format!("{}: {error}", within.display())))?;
        let mut flow = Flow::new(self.seed);
        fill(folder.path(), &mut flow, self.orders)?;
        let report = report! { scenario: "history", durability: "os" }.with(machine);
        let mut measure = |addresses: &[Address]| {
            self.measure(folder.path(), &mut flow, &Schemas::make(addresses)?)
        };
        let figures = if self.compare {
            let runs = COMPARED.iter().map(|count| measure(&addresses[..*count]));
            report! { runs: runs.collect::<Result<Vec<_>, _>>()? }
        } else {
            measure(&addresses)?
        };
        report.with(figures).print(&self.output)
    }

    fn measure(
        &self,
        folder: &Path,
        flow: &mut Flow,
        schemas: &Schemas,
    ) -> Result<Report, Failure> {
        let opened = Opened::open(settings(folder))?;
        let last = opened.engine().sequence();
        let place = HistoryPlace::Postgres { databases: schemas.fed.clone(), replicas: Vec::new() };
        let (begun, cpu_before) = (Instant::now(), own_cpu_s()?);
        let projection = feed::start_at(&place, folder, &opened, HistoryRetention::ALL);
        catch_up(&projection, last)?;
        let (took, cpu_s) = (begun.elapsed(), own_cpu_s()? - cpu_before);
        let rss_mb = usage::rss_mb(std::process::id()).unwrap_or_default();
        let copied = schemas.copy_again(folder)?;
        let orders = flow.sent() as f64;
        let lag_ms_max = self.lag_ms_max(opened, projection, flow)?;
        let (orders_per_s, copy_per_s) =
            (orders / took.as_secs_f64(), orders / copied.time.as_secs_f64());
        Ok(report! {
            sinks: schemas.fed.len(),
            orders: orders as u64,
            orders_per_s: orders_per_s,
            // The same rows, each table by one COPY from a file, all databases at the same time.
            copy_per_s: copy_per_s,
            copy_ratio: orders_per_s / copy_per_s,
            // Of this process; the server's is its own.
            cpu_us_per_order: cpu_s * 1e6 / orders,
            // While orders came at the rate of --rate.
            lag_ms_max: lag_ms_max,
            rate: self.rate,
            rows: copied.rows,
            rss_mb: rss_mb,
        })
    }

    /// The age of the oldest event that the read model lacked, at most.
    fn lag_ms_max(
        &self,
        opened: Opened,
        projection: Projection,
        flow: &mut Flow,
    ) -> Result<f64, Failure> {
        let running = opened.start(vec![feed::listener(&projection)]);
        let history = projection.history();
        let mut lag_ns = 0;
        let pace = (self.rate as f64, Duration::from_secs(self.duration));
        let sent = flow.send_at(&running.handle(), pace, || {
            let lacking = history.behind().lacking_ns;
            lag_ns = lag_ns.max(lacking.map_or(0, |ns| now_ns().saturating_sub(ns)));
        });
        running.stop().map_err(ended)?;
        let standstill = history.reached().standstill;
        projection.stop();
        sent?;
        standstill.map_or(Ok(()), |standstill| Err(stopped(standstill)))?;
        Ok(lag_ns as f64 / 1e6)
    }
}

/// Where a run's tables are: those that are fed, and those that the rows are copied to. They are
/// removed when the run ends.
struct Schemas {
    fed: Vec<Address>,
    copied: Vec<Address>,
}

impl Schemas {
    /// Fails with a sentence, which the feed would write to a log.
    fn make(addresses: &[Address]) -> Result<Self, Failure> {
        let name = format!("bench_{}", std::process::id());
        let within = |schema: &str| addresses.iter().map(|it| it.in_schema(schema)).collect();
        let schemas = Self { fed: within(&name), copied: within(&format!("{name}_copied")) };
        match Postgres::at(schemas.fed.clone(), &HistoryRetention::ALL).open() {
            Ok(_) => Ok(schemas),
            Err(error) if addresses.len() == 1 => {
                std::mem::forget(schemas); // There is nothing to remove.
                Err(error.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns all rows, and the time of the slowest database.
    fn copy_again(&self, folder: &Path) -> Result<Copied, Failure> {
        let copy = |(at, (fed, copied)): (usize, (&Address, &Address))| {
            let folder = folder.join(format!("copied-{at}"));
            std::fs::create_dir_all(&folder)
                .map_err(|error| Failure::fault(format!("{}: {error}", folder.display())))?;
            Ok::<_, Failure>(copy_again(fed, copied, &folder)?)
        };
        let all = std::thread::scope(|scope| {
            let pairs = self.fed.iter().zip(&self.copied).enumerate();
            let threads: Vec<_> = pairs.map(|pair| scope.spawn(move || copy(pair))).collect();
            let joined = threads.into_iter().map(|thread| thread.join().expect("it ends"));
            joined.collect::<Result<Vec<_>, _>>()
        })?;
        let rows = all.iter().map(|copied| copied.rows).sum();
        Ok(Copied { rows, time: all.iter().map(|it| it.time).max().unwrap_or_default() })
    }
}

impl Drop for Schemas {
    fn drop(&mut self) {
        for address in self.fed.iter().chain(&self.copied) {
            if let Err(error) = drop_schema(address) {
                let schema = address.schema();
                cli::print_error(format_args!("the schema {schema} was not removed: {error}"));
            }
        }
    }
}

fn fill(folder: &Path, flow: &mut Flow, orders: u64) -> Result<(), Failure> {
    let running = Opened::open(settings(folder))?.start(Vec::new());
    let handle = running.handle();
    let filled = set_up(&handle).and_then(|()| flow.send(&handle, orders));
    running.stop().map_err(ended)?;
    filled
}

fn catch_up(projection: &Projection, last: u64) -> Result<(), Failure> {
    let history = projection.history();
    loop {
        let reached = history.reached();
        match reached.standstill {
            None if reached.sequence >= last => return Ok(()),
            None | Some(Standstill::Opening) => std::thread::sleep(POLL),
            Some(standstill) => return Err(stopped(standstill)),
        }
    }
}

fn stopped(standstill: Standstill) -> Failure {
    Failure::fault(format!("the read model stands still: {standstill}"))
}

fn ended(stopped: venue::Stopped) -> Failure {
    Failure::fault(format!("the venue of the benchmark: {stopped}"))
}

fn own_cpu_s() -> Result<f64, Failure> {
    usage::cpu_s("self").ok_or_else(|| Failure::fault("this system does not count CPU time"))
}
