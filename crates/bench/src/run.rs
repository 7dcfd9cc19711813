//! A scenario that is one load: references first, then the venue, then the figures.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use cli::Failure;
use server::now_ns;

use super::bare::Bare;
use super::figures::{BareFigures, BareOpen, Beside, ByType, Figures, Highest, Second, csv};
use super::flags::Flags;
use super::fleet::Drive;
use super::highest::at_half;
use super::latency::{Latency, per};
use super::load::{Between, Measured, drive, measure, open, other};
use super::looks;
use super::machine::{Machine, Versions};
use super::reference::{self, Disk};
use super::resting::Resting;
use super::scenario::Scenario;
use super::spec::Report;
use super::standing::fill;
use super::usage::Usage;
use super::venue::Venue;
use super::{page, require, table};

/// How long the bare handler is driven, of which the first part is not measured.
const BARE_WARM_UP: Duration = Duration::from_millis(500);
const BARE_MEASURED_MAX: Duration = Duration::from_secs(2);
/// And how long in an open loop, of whose percentiles stalls of the machine are a part.
const BARE_OPEN_MAX: Duration = Duration::from_secs(5);

/// What the machine could do in that minute.
pub(super) struct Reference {
    disk: Option<Disk>,
    loopback_us: f64,
    bare: Report,
    bare_usage: Option<Usage>,
    handler: Bare,
    drive: Drive,
}

impl Reference {
    fn bare_per_s(&self) -> f64 {
        self.bare.total().orders as f64 / self.drive.measured.as_secs_f64()
    }

    /// The bare handler in an open loop, at a rate that is no more than half of what it does.
    fn bare_at(&self, scenario: &Scenario, flags: &Flags) -> Result<Option<BareOpen>, Failure> {
        let highest = self.bare_per_s() / scenario.bare.orders_per_request() as f64;
        let Some(rate) = flags.rate.filter(|rate| *rate <= highest / 2.0) else { return Ok(None) };
        let measured = flags.measured().min(BARE_OPEN_MAX);
        let address = self.handler.address.clone();
        let drive = Drive { address, rate: Some(rate), measured, ..self.drive.clone() };
        let report = drive.run("bare handler at that rate", |_| Ok(()))?;
        Ok(Some(BareOpen { rate, latency: Latency::of(&report.total()) }))
    }
}

/// Of the book that users find.
const RAMP_ORDERS: u64 = 15_000;
const RAMP_USERS: u16 = 200;
const RAMP_S: u64 = 300;

/// Looks at that book over the whole time, as far as they are not crowded: each is some hundred kilobytes.
const RAMP_LOOKS: u32 = 60;
const RAMP_LOOK_EVERY_MIN: Duration = Duration::from_millis(200);

pub(super) fn ramp_200(mut flags: Flags) -> Result<(), Failure> {
    flags.clients = RAMP_USERS;
    flags.warm_up = 0;
    flags.duration.get_or_insert(RAMP_S);
    flags.ramp.get_or_insert(flags.measured().as_secs());
    let orders = *flags.orders.get_or_insert(RAMP_ORDERS);
    let (scenario, flags) = (&Scenario::RAMP_200, &flags);
    let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
    let machine = Machine::here(&within);
    let venue = open(flags, &within)?;
    let reference = refer(scenario, flags, &venue)?;
    fill(flags, &venue, orders)?;
    let (open_flags, highest) = with_rate(scenario, flags, &venue)?;
    let look = || looks::resting_orders(&venue);
    // What users of the closed loop took last, nobody has put back.
    fill(flags, &venue, orders.saturating_sub(look()?))?;
    let begin = look()?;
    let every = (flags.measured() / RAMP_LOOKS).max(RAMP_LOOK_EVERY_MIN);
    let (measured, seen) = looks::watched(scenario, &open_flags, &venue, every, |_| look())?;
    let resting = Resting::of(orders, begin, &seen, look()?);
    let beside = beside(scenario, flags)?;
    let mut figures = figures(scenario, &open_flags, machine, reference, &measured, beside)?;
    figures.highest = highest;
    figures.resting = Some(resting);
    tell(flags, &figures, &measured.report)
}

pub(super) fn run(scenario: &Scenario, flags: &Flags) -> Result<(), Failure> {
    let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
    let machine = Machine::here(&within);
    let venue = open(flags, &within)?;
    let reference = refer(scenario, flags, &venue)?;
    fill(flags, &venue, flags.orders.unwrap_or(0))?;
    let (rated, highest) = with_rate(scenario, flags, &venue)?;
    let measured = measure(scenario, &rated, &venue, |_| Ok(()))?;
    let beside = beside(scenario, flags)?;
    let mut figures = figures(scenario, &rated, machine, reference, &measured, beside)?;
    figures.highest = highest;
    tell(flags, &figures, &measured.report)
}

/// An open loop has the rate that is asked for, or half of the highest.
pub(super) fn with_rate(
    scenario: &Scenario,
    flags: &Flags,
    venue: &Venue,
) -> Result<(Flags, Option<Highest>), Failure> {
    if scenario.is_closed || flags.rate.is_some() {
        return Ok((flags.clone(), None));
    }
    let highest = Highest::find(scenario, flags, venue)?;
    Ok((at_half(flags, scenario, highest.orders_per_s), Some(highest)))
}

pub(super) fn refer(
    scenario: &Scenario,
    flags: &Flags,
    venue: &Venue,
) -> Result<Reference, Failure> {
    let disk = venue.folder().map(reference::fdatasync_ms).transpose()?;
    let loopback_us = reference::loopback_us()?;
    let key = &venue.keys[0];
    let bare = Bare::start(key)?;
    let drive = Drive {
        address: bare.address.clone(),
        load: scenario.bare,
        keys: vec![key.clone(); venue.keys.len()],
        rate: None,
        window: 1,
        warm_up: BARE_WARM_UP,
        measured: flags.measured().min(BARE_MEASURED_MAX),
        ramp: Duration::ZERO,
        ..drive(scenario, flags, venue)
    };
    let mut usage = Between::default();
    let report = drive.run("bare handler", |moment| {
        usage.look(moment, Some(bare.process()));
        Ok(())
    })?;
    let bare_usage = usage.spent();
    Ok(Reference { disk, loopback_us, bare: report, bare_usage, handler: bare, drive })
}

/// The same load on something else, in the same run. An open loop without a rate has half of what that
/// does at most.
pub(super) fn beside(scenario: &Scenario, flags: &Flags) -> Result<Option<Beside>, Failure> {
    let Some((url, other)) = other(flags)? else { return Ok(None) };
    let (rated, highest) = with_rate(scenario, flags, &other)?;
    let Measured { report, .. } = measure(scenario, &rated, &other, |_| Ok(()))?;
    Ok(Some(Beside::of(url, &report, flags.measured(), highest)))
}

pub(super) fn figures(
    scenario: &Scenario,
    flags: &Flags,
    machine: Machine,
    reference: Reference,
    measured: &Measured,
    beside: Option<Beside>,
) -> Result<Figures, Failure> {
    let Measured { report, usage, .. } = measured;
    let total = report.total();
    let failed: u64 = report.errors.values().sum();
    let duration_s = flags.measured().as_secs_f64();
    let cpu_s = usage.as_ref().map(|usage| usage.cpu_s);
    let cpu_s_per_million_orders = cpu_s.map(|cpu_s| per(cpu_s * 1e6, total.orders));
    let spent = |pick: fn(&Usage) -> u64| usage.as_ref().map(pick);
    let each = |pick: fn(&Usage) -> u64| spent(pick).map(|all| per(all as f64, total.orders));
    let bytes = report.bytes_sent + report.bytes_received;
    let stages = measured.after.since(&measured.before);
    let as_json = serde_json::to_value(&total)?;
    Ok(Figures {
        scenario: scenario.name,
        loop_kind: if flags.rate.is_some() { "open" } else { "closed" },
        clients: usize::from(flags.clients),
        agents: usize::from(flags.agents.min(flags.clients)),
        durability: match flags.url {
            Some(_) => "as the venue was started".to_owned(),
            None => flags.durability.name().to_owned(),
        },
        duration_s,
        rate: flags.rate.map(|rate| rate * scenario.orders_per_request() as f64),
        ramp_s: flags.ramp.unwrap_or(0),
        highest: None,
        orders: total.orders,
        orders_per_s: total.orders as f64 / duration_s,
        orders_per_s_peak: report.seconds.iter().map(|s| s.orders).max().unwrap_or(0) as f64,
        latency: Latency::of(&total),
        by_type: ByType::of(report),
        stages: stages.into_iter().map(|stage| (stage.name, stage)).collect(),
        success_rate: per(total.orders as f64, total.orders + failed),
        errors: report.errors.clone(),
        fills: 2 * report.trades,
        trades_per_order: per(report.trades as f64, total.orders),
        matched_per_s: report.trades as f64 / duration_s,
        book: measured.book,
        resting: None,
        disk_fdatasync_ms: reference.disk,
        loopback_us: reference.loopback_us,
        bare_handler_per_s: reference.bare_per_s(),
        beside,
        bare_handler: BareFigures::of(
            &reference.bare,
            reference.bare_usage.as_ref(),
            reference.bare_at(scenario, flags)?,
        ),
        rss_mb: usage.as_ref().map(|usage| usage.rss_mb),
        cpu_s,
        cpu_s_per_million_orders,
        cost_per_million_orders: cost(flags, per(duration_s * 1e6, total.orders)),
        page_faults: spent(|usage| usage.page_faults),
        context_switches: spent(|usage| usage.context_switches),
        disk_bytes_per_order: each(|usage| usage.disk_written_bytes),
        packets_per_order: each(|usage| usage.loopback_packets),
        bytes_per_order: per(bytes as f64, total.orders),
        client_cpu_s: report.cpu_s,
        threads: usage.as_ref().map_or_else(Vec::new, |usage| usage.threads.clone()),
        by_readers: None,
        memory: None,
        seconds: Second::of(report),
        machine,
        versions: Versions::here(),
        time: now_ns() / 1_000_000_000,
        histogram: as_json["histogram"].clone(),
    })
}

/// Of a million orders, at the rate of this run: the machine is paid for by the hour, busy or not.
fn cost(flags: &Flags, seconds_per_million: f64) -> Option<f64> {
    flags.cost_per_hour.map(|per_hour| per_hour * seconds_per_million / 3_600.0)
}

pub(super) fn tell(flags: &Flags, figures: &Figures, report: &Report) -> Result<(), Failure> {
    let value = serde_json::to_value(figures)?;
    let mut text = match (flags.json, flags.csv) {
        (true, _) => value.to_string(),
        (_, true) => csv(&value).map_err(|error| Failure::fault(error.to_string()))?,
        _ => table::table(figures),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    std::io::stdout().write_all(text.as_bytes())?;
    if let Some(file) = &flags.html {
        write_page(file, &page::page(figures, &report.total(), &command()))?;
    }
    require::check(&flags.require, &value)
}

fn write_page(file: &PathBuf, page: &str) -> Result<(), Failure> {
    std::fs::write(file, page).map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}

/// As it was typed, but for what must not be shown.
fn command() -> String {
    let mut words = vec!["buttonwood".to_owned()];
    let mut is_hidden = false;
    for word in std::env::args().skip(1) {
        words.push(if is_hidden { "...".to_owned() } else { word.clone() });
        is_hidden = word == "--secret";
        if word.starts_with("--secret=") {
            words.pop();
            words.push("--secret=...".into());
        }
    }
    words.join(" ")
}
