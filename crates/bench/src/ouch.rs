//! `buttonwood bench ouch`: orders by OUCH, beside an echo of the same frames.

mod agent;
mod echo;
mod echo_shm;
pub(crate) mod order;
mod polled;
mod schedule;
mod trader;

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use cli::Failure;

use super::flags::Flags;
use super::fleet::{Agent, read_ready};
use super::load::{Measured, Scenario, measure, spec};
use super::machine::{self, BLOCK, Syncs};
use super::read_model;
use super::report::{Figure, Report, report};
use super::run::{BARE_MEASURED, orders, resources};
use super::socket::{SHM, UNIX};
use super::spec::{Key, Load, Spec};
use super::venue::Venue;

pub(super) use self::agent::run as run_agent;
pub(super) use self::echo::run as run_echo;

#[derive(Args, Debug)]
pub(super) struct Ouch {
    /// Orders that a client writes at once, as soon as it may have as many more under way and, in
    /// an open loop, the last of them is due, 1 to 1,024
    #[arg(long, value_name = "B", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    batch: u16,
    /// Over a Unix socket instead of TCP, the echo too
    #[arg(long)]
    unix: bool,
    /// Through shared memory instead of TCP, the echo too
    #[arg(long, conflicts_with = "unix")]
    shm: bool,
    /// Another echo server to measure in the same run: a program that prints `ready http://` and
    /// its address. With --unix it is given the path of a socket to serve
    #[arg(long, value_name = "PROGRAM", conflicts_with = "shm")]
    beside_echo: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
}

/// How the frames get to the venue, and to the echo.
#[derive(Clone, Copy, Debug)]
enum Way<'a> {
    Tcp,
    /// By a socket in this folder.
    Unix(&'a Path),
    Shm(&'a Path),
}

impl Way<'_> {
    /// The venue's setting.
    fn setting(self) -> String {
        match self {
            Self::Tcp => "--ouch=127.0.0.1:0".to_owned(),
            Self::Unix(folder) => format!("--ouch-unix={}", folder.join("venue").display()),
            Self::Shm(folder) => format!("--ouch-shm={}", folder.join("venue").display()),
        }
    }

    /// Where the echo listens, if not on a port.
    fn echo(self) -> Option<String> {
        match self {
            Self::Tcp => None,
            Self::Unix(folder) => Some(format!("{UNIX}{}", folder.join("echo").display())),
            Self::Shm(folder) => Some(format!("{SHM}{}", folder.join("echo").display())),
        }
    }
}

impl Ouch {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { batch, unix, shm, beside_echo, flags } = self;
        if flags.url.is_some() || flags.beside.is_some() {
            return Err(Failure::new("ouch measures a fresh venue: leave --url and --beside out"));
        }
        check_rate(&flags, batch)?;
        let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
        let mut settings = flags.settings();
        let sockets = tempfile::tempdir_in(&within)?;
        let way = match (unix, shm) {
            (true, _) => Way::Unix(sockets.path()),
            (_, true) => Way::Shm(sockets.path()),
            _ => Way::Tcp,
        };
        settings.push(way.setting());
        settings.push("--ouch-connections-max=20000".to_owned());
        let clients = usize::from(flags.clients);
        let mut venue = Venue::start(&within, &settings, flags.cores, clients)?;
        venue.keys = venue.add_ouch_logins(clients)?;
        let loopback_us = machine::loopback_us()?;
        let mut own = Agent::spawn("ouch-echo", &way.echo())?;
        let bare = echo(&flags, &venue, batch, (own.receive_ready()?, own.process()))?;
        let other = match &beside_echo {
            Some(program) => Some(other_echo(program, way, &flags, &venue, batch)?),
            None => None,
        };
        drop(own);
        let scenario = Scenario { name: "ouch", load: Load::Ouch { batch } };
        let measured = measure(scenario, &flags, &venue, |_| Ok(()))?;
        let read_model = read_model::after_load(&venue, &measured.readings[1]);
        let total = measured.outcome.total();
        let outcome = &measured.outcome;
        let syncs = syncs(&venue, &measured)?;
        let per_order = |cpu_s: f64| cpu_s * 1e6 / total.orders.max(1) as f64;
        report! {
            scenario: "ouch",
            loop: if flags.rate.is_some() { "open" } else { "closed" },
            rate: flags.rate,
            clients: clients,
            window: u64::from(flags.window),
            batch: u64::from(batch),
            unix: unix,
            shm: shm,
            durability: flags.durability.as_str(),
            duration_s: flags.measured().as_secs_f64(),
        }
        .with(venue.machine.clone())
        .with(orders(&flags, &measured, &total))
        .with(report! {
            disk_fdatasync_ms: syncs,
            loopback_us: loopback_us,
        })
        .with(report! {
            bare_echo_per_s: bare.0,
            bare_echo: bare.1,
            other_echo_per_s: other.as_ref().map(|(per_s, _)| *per_s),
            other_echo: other.map(|(_, latency)| latency),
        })
        .with(resources(&flags, &measured, &total))
        .with(report! {
            venue_cpu_us_per_order: outcome.usage.as_ref().map(|usage| per_order(usage.cpu_s)),
            client_cpu_us_per_order: per_order(outcome.cpu_s),
            read_model: read_model,
            histogram: Figure::data(serde_json::to_value(&total)?["histogram"].clone()),
        })
        .print(&flags.output)
    }
}

/// The orders of an open loop leave in full batches.
fn check_rate(flags: &Flags, batch: u16) -> Result<(), Failure> {
    let measured_s = flags.measured().as_secs_f64();
    match flags.rate {
        Some(rate) if rate * measured_s < f64::from(batch) => Err(Failure::new(format!(
            "at --rate {rate} no --batch of {batch} is due within {measured_s} s"
        ))),
        _ => Ok(()),
    }
}

/// Syncs of as many bytes as the log's mean batch had, in the folder of the venue.
fn syncs(venue: &Venue, measured: &Measured) -> Result<Option<Report>, Failure> {
    let Some(folder) = venue.folder() else { return Ok(None) };
    let [before, after] = &measured.readings;
    let mut syncs = Syncs::default();
    syncs.measure(folder, after.batch_len(before).unwrap_or(BLOCK))?;
    Ok(Some(syncs.report()))
}

/// The same frames by the same client through a process that sends them back: how many a second,
/// and their latency.
fn echo(
    flags: &Flags,
    venue: &Venue,
    batch: u16,
    (address, process): (String, u32),
) -> Result<(f64, Report), Failure> {
    let key = Key { api_key: "echo".to_owned(), secret_key: "echo".to_owned() };
    let load = Load::OuchEcho { batch };
    let measured = flags.measured().min(2 * BARE_MEASURED);
    let keys = vec![key; usize::from(flags.clients)];
    let process = Some(process);
    let spec = Spec { address, keys, measured, process, rate: None, ..spec(load, flags, venue) };
    let outcome = spec.run("echo of the same frames", |_| Ok(()))?;
    Ok((outcome.orders_per_s(measured), outcome.total().latency()))
}

fn other_echo(
    program: &Path,
    way: Way<'_>,
    flags: &Flags,
    venue: &Venue,
    batch: u16,
) -> Result<(f64, Report), Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("{}: {error}", program.display()));
    let mut command = Command::new(program);
    if let Way::Unix(folder) = way {
        command.arg(folder.join("other"));
    }
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let stdout = child.stdout.take().expect("it is piped");
    let measured = read_ready(BufReader::new(stdout))
        .and_then(|address| echo(flags, venue, batch, (address, child.id())));
    child.kill()?;
    child.wait()?;
    measured
}
