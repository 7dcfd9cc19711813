//! A scenario that is one load: references first, then the venue, then the report.

use std::time::Duration;

use cli::Failure;
use server::now_ns;

use super::flags::Flags;
use super::fleet::Agent;
use super::floor::group_commit;
use super::load::{Measured, Scenario, measure, open, other, resting_orders, sampled, spec};
use super::machine::{BLOCK, Syncs};
use super::report::{Figure, Report, report};
use super::spec::{Load, Outcome, Spec};
use super::standing::fill;
use super::tally::{Tally, per};
use super::usage::Usage;
use super::venue::Venue;
use super::{bare, machine, usage};

/// The bare handler's load in a closed loop.
const BARE_WARM_UP: Duration = Duration::from_millis(500);
pub(super) const BARE_MEASURED: Duration = Duration::from_secs(1);
/// And in an open loop, whose percentiles show stalls of the machine.
const BARE_OPEN_MAX: Duration = Duration::from_secs(5);
/// Rounds of a closed loop, with references between them, and the least seconds of each.
const ROUNDS_MAX: u64 = 16;
const ROUND_S_MIN: u64 = 2;
/// Duration of the closed loop that finds the highest rate.
const HIGHEST_S_MAX: u64 = 10;
/// The default rate, as a part of the highest.
const PART: f64 = 0.5;

/// `ramp-200`: its users, its book, and the samples of the book.
const RAMP_ORDERS: u64 = 15_000;
const RAMP_USERS: u16 = 200;
const RAMP_S: u64 = 300;
const RAMP_SAMPLES: u32 = 60;
const RAMP_SAMPLE_EVERY_MIN: Duration = Duration::from_millis(200);

/// A venue that is about to be measured, and the machine's references of that minute.
pub(super) struct Run<'a> {
    scenario: Scenario,
    pub(super) flags: &'a Flags,
    pub(super) venue: Venue,
    disk: Syncs,
    loopback_us: f64,
    bare: Outcome,
    bare_measured: Duration,
    bare_spec: Spec,
    /// Serves the bare requests until the run ends.
    _bare_handler: Agent,
}

/// The rate of a closed loop.
pub(super) struct Highest {
    orders_per_s: f64,
    report: Report,
}

pub(super) fn run(name: &'static str, load: Load, flags: &Flags) -> Result<(), Failure> {
    let scenario = Scenario { name, load };
    let mut run = Run::begin(scenario, flags, open(flags, flags.clients.into())?)?;
    let (rated, highest) = with_rate(scenario, flags, &run.venue)?;
    let measured = match rated.rate {
        Some(_) => measure(scenario, &rated, &run.venue, |_| Ok(()))?,
        None => run.in_turn()?,
    };
    run.finish(&rated, highest, &measured, Report::default())
}

pub(super) fn ramp_200(mut flags: Flags) -> Result<(), Failure> {
    flags.clients = RAMP_USERS;
    flags.warm_up = 0;
    flags.duration.get_or_insert(RAMP_S);
    flags.ramp.get_or_insert(flags.measured().as_secs());
    let wanted = *flags.orders.get_or_insert(RAMP_ORDERS);
    let scenario = Scenario { name: "ramp-200", load: Load::KeptBook };
    let run = Run::begin(scenario, &flags, open(&flags, flags.clients.into())?)?;
    let (rated, highest) = with_rate(scenario, &flags, &run.venue)?;
    let resting = || resting_orders(&run.venue);
    // Users of the closed loop did not put back the last orders that they took.
    fill(&flags, &run.venue, wanted.saturating_sub(resting()?))?;
    let begin = resting()?;
    let every = (flags.measured() / RAMP_SAMPLES).max(RAMP_SAMPLE_EVERY_MIN);
    let (measured, mut seen) = sampled(scenario, &rated, &run.venue, every, |_| resting())?;
    let end = resting()?;
    seen.extend([begin, end]);
    let resting = report! {
        wanted: wanted,
        begin: begin,
        end: end,
        least: seen.iter().min().copied(),
        most: seen.iter().max().copied(),
        looks: seen.len(),
    };
    run.finish(&rated, highest, &measured, report! { resting: resting })
}

/// The flags with the rate of the open loop: `--rate`, or half of the highest.
pub(super) fn with_rate(
    scenario: Scenario,
    flags: &Flags,
    venue: &Venue,
) -> Result<(Flags, Option<Highest>), Failure> {
    // A closed loop, like the measurements of the systems that we compare against.
    if scenario.name == "rest-mix" || flags.rate.is_some() {
        return Ok((flags.clone(), None));
    }
    let duration_s = flags.measured().as_secs().min(HIGHEST_S_MAX);
    let all = Flags { rate: None, ramp: None, duration: Some(duration_s), ..flags.clone() };
    let outcome = spec(scenario.load, &all, venue).run("highest rate", |_| Ok(()))?;
    let orders_per_s = outcome.orders_per_s(all.measured());
    let report = report! { duration_s: duration_s, orders_per_s: orders_per_s }
        .with(outcome.total().latency())
        .with(report! { errors: &outcome.errors });
    Ok((at_half(flags, scenario.load, orders_per_s), Some(Highest { orders_per_s, report })))
}

/// The flags with half of a rate in orders a second.
pub(super) fn at_half(flags: &Flags, load: Load, orders_per_s: f64) -> Flags {
    let requests_per_s = orders_per_s / load.orders_per_request() as f64;
    Flags { rate: Some((requests_per_s * PART).max(1.0)), ..flags.clone() }
}

impl<'a> Run<'a> {
    pub(super) fn begin(
        scenario: Scenario,
        flags: &'a Flags,
        venue: Venue,
    ) -> Result<Self, Failure> {
        let loopback_us = machine::loopback_us()?;
        let (bare_handler, address) = bare::start(&venue.keys[0])?;
        let bare_load = match scenario.load {
            Load::Health | Load::Batch => scenario.load,
            _ => Load::RestMix,
        };
        let bare_spec = Spec {
            address,
            keys: vec![venue.keys[0].clone(); venue.keys.len()],
            rate: None,
            warm_up: BARE_WARM_UP,
            measured: BARE_MEASURED,
            ramp: Duration::ZERO,
            process: Some(bare_handler.process()),
            ..spec(bare_load, flags, &venue)
        };
        let mut run = Self {
            scenario,
            flags,
            venue,
            disk: Syncs::default(),
            loopback_us,
            bare: Outcome::default(),
            bare_measured: Duration::ZERO,
            bare_spec,
            _bare_handler: bare_handler,
        };
        run.measure_references(BLOCK)?;
        fill(flags, &run.venue, flags.orders.unwrap_or(0))?;
        Ok(run)
    }

    /// A closed loop in rounds, with the references between them: load and references meet the
    /// same machine. The first references know no batches of the log, and are measured anew.
    fn in_turn(&mut self) -> Result<Measured, Failure> {
        let mut left_s = self.flags.measured().as_secs();
        let round_s = left_s.div_ceil(ROUNDS_MAX).max(ROUND_S_MIN);
        let mut measured: Option<Measured> = None;
        while left_s > 0 {
            let round = Flags {
                duration: Some(round_s.min(left_s)),
                seed: self.flags.seed.wrapping_add(left_s),
                warm_up: self.flags.warm_up.min(if measured.is_none() { u64::MAX } else { 1 }),
                ..self.flags.clone()
            };
            left_s = left_s.saturating_sub(round_s);
            let later = measure(self.scenario, &round, &self.venue, |_| Ok(()))?;
            if measured.is_none() {
                self.disk = Syncs::default();
            }
            let [before, after] = &later.readings;
            self.measure_references(after.batch_len(before).unwrap_or(BLOCK))?;
            match &mut measured {
                Some(measured) => measured.append(later),
                None => measured = Some(later),
            }
        }
        Ok(measured.expect("a run has a second at least"))
    }

    /// Syncs of as many bytes as a batch of the log, and the bare handler's load.
    fn measure_references(&mut self, batch_len: usize) -> Result<(), Failure> {
        if let Some(folder) = self.venue.folder() {
            self.disk.measure(folder, batch_len)?;
        }
        self.bare.append(self.bare_spec.run("bare handler", |_| Ok(()))?);
        self.bare_measured += self.bare_spec.measured;
        Ok(())
    }

    /// Measures the server of `--beside`, and prints the report. `more` are the scenario's own
    /// figures.
    pub(super) fn finish(
        self,
        rated: &Flags,
        highest: Option<Highest>,
        measured: &Measured,
        more: Report,
    ) -> Result<(), Failure> {
        let total = measured.outcome.total();
        let orders_per_s = measured.outcome.orders_per_s(rated.measured());
        let most_per_s = highest.as_ref().map_or(orders_per_s, |highest| highest.orders_per_s);
        let beside = self.beside(most_per_s, &total)?;
        let mut report = self.load(rated).with(self.venue.machine.clone());
        if let Some(highest) = highest {
            report.push("highest", highest.report);
        }
        report
            .with(orders(rated, measured, &total))
            .with(more)
            .with(self.reference(rated)?)
            .with(self.floor(rated, measured, &total))
            .with(report! { beside: beside })
            .with(resources(rated, measured, &total))
            .with(report! {
                time: now_ns() / 1_000_000_000,
                command: Figure::data(command().into()),
                seconds: seconds(&measured.outcome),
                histogram: Figure::data(serde_json::to_value(&total)?["histogram"].clone()),
            })
            .print(&self.flags.output)
    }

    fn load(&self, rated: &Flags) -> Report {
        let kind = if rated.rate.is_some() { "open" } else { "closed" };
        let clients = usize::from(rated.clients);
        let agents = usize::from(rated.agents.min(rated.clients));
        let durability = match rated.url {
            Some(_) => "as the venue was started",
            None => rated.durability.as_str(),
        };
        let rate = rated.rate.map(|rate| rate * self.scenario.load.orders_per_request() as f64);
        let ramp_s = rated.ramp.unwrap_or(0);
        let at = rate.map_or(String::new(), |rate| format!(" at {rate:.0}/s"));
        let joining = match ramp_s {
            0 => String::new(),
            _ => format!(" once all clients have joined, over {ramp_s} s"),
        };
        let name = self.scenario.name;
        let sentence = format!(
            "{name}, {kind} loop{at}{joining}, {clients} clients in {agents} processes, \
             durability {durability}"
        );
        Report::note("load", sentence).with(report! {
            scenario: Figure::data(name.into()),
            loop: Figure::data(kind.into()),
            clients: Figure::data(clients.into()),
            agents: Figure::data(agents.into()),
            durability: Figure::data(durability.into()),
            duration_s: rated.measured().as_secs_f64(),
            rate: rate,
            ramp_s: Figure::data(ramp_s.into()),
        })
    }

    fn reference(&self, rated: &Flags) -> Result<Report, Failure> {
        let bare = self.bare.total();
        let usage = self.bare.usage.as_ref();
        Ok(report! {
            disk_fdatasync_ms: self.venue.folder().map(|_| self.disk.report()),
            loopback_us: self.loopback_us,
            bare_handler_per_s: self.bare.orders_per_s(self.bare_measured),
            bare_handler: report! {
                mean_ms: bare.mean_ms(),
                p50_ms: bare.quantile_ms(0.5),
                p99_ms: bare.quantile_ms(0.99),
                cpu_us_per_request: usage.map(|usage| per(usage.cpu_s * 1e6, bare.orders)),
                open: self.bare_at(rated)?,
            },
        })
    }

    /// What group commit alone would give the clients of a closed loop, every order on disk.
    fn floor(&self, rated: &Flags, measured: &Measured, total: &Tally) -> Report {
        let [before, after] = &measured.readings;
        let is_synced = rated.durability == "fsync" && self.venue.folder().is_some();
        let (None, true, Some(batch_len)) = (rated.rate, is_synced, after.batch_len(before)) else {
            return Report::default();
        };
        let clients = u64::from(rated.clients);
        let (orders_per_s, floor) = group_commit(clients, &self.disk.0, &self.bare.total());
        let floor = report! {
            batch_bytes: batch_len,
            orders_per_s: orders_per_s,
            mean_ms: floor.mean_ms(),
            p99_ms: floor.quantile_ms(0.99),
            // Mean latency of the venue as a multiple of it.
            times: total.mean_ms() / floor.mean_ms(),
        };
        report! { group_commit_floor: floor }
    }

    /// The bare handler in an open loop at the rate of the run, if that is at most half of the
    /// handler's highest.
    fn bare_at(&self, rated: &Flags) -> Result<Option<Report>, Failure> {
        let per_s = self.bare.orders_per_s(self.bare_measured);
        let highest = per_s / self.bare_spec.load.orders_per_request() as f64;
        let Some(rate) = rated.rate.filter(|rate| *rate <= highest / 2.0) else { return Ok(None) };
        let measured = rated.measured().min(BARE_OPEN_MAX);
        let spec = Spec { rate: Some(rate), measured, ..self.bare_spec.clone() };
        let outcome = spec.run("bare handler at that rate", |_| Ok(()))?;
        Ok(Some(report! { rate: rate }.with(outcome.total().latency())))
    }

    /// The same load on the server of `--beside`. An open loop without `--rate` has half of that
    /// server's highest rate.
    fn beside(&self, most_per_s: f64, total: &Tally) -> Result<Option<Report>, Failure> {
        let Some((url, other)) = other(self.flags)? else { return Ok(None) };
        let (rated, highest) = with_rate(self.scenario, self.flags, &other)?;
        let Measured { outcome, .. } = measure(self.scenario, &rated, &other, |_| Ok(()))?;
        let orders_per_s = outcome.orders_per_s(rated.measured());
        let most = highest.as_ref().map_or(orders_per_s, |highest| highest.orders_per_s);
        let (times, part) =
            (most_per_s / most, total.quantile_ms(0.99) / outcome.total().quantile_ms(0.99));
        let sentence = match highest {
            Some(_) => {
                format!("{times:.1} times the highest rate, {part:.2} of its p99, each at half")
            }
            None => format!("{times:.1} times the rate, {part:.2} of its p99"),
        };
        let mut report = report! { url: url };
        if let Some(highest) = highest {
            report.push("highest", highest.report);
        }
        let latency = outcome.total().latency();
        let report = report.with(report! { orders_per_s: orders_per_s }).with(latency);
        let errors = report! { success_rate: outcome.success_rate(), errors: &outcome.errors };
        Ok(Some(report.with(errors).with(Report::note("the venue has", sentence))))
    }
}

pub(super) fn orders(flags: &Flags, measured: &Measured, total: &Tally) -> Report {
    let Measured { outcome, book, .. } = measured;
    let mut by_type = Report::default();
    for (name, tally) in &outcome.by_type {
        by_type.push(name, report! { orders: tally.orders }.with(tally.latency()));
    }
    report! {
        orders: total.orders,
        orders_per_s: outcome.orders_per_s(flags.measured()),
        // Of the best second.
        orders_per_s_peak: outcome.seconds.iter().map(|s| s.orders).max().unwrap_or(0) as f64,
    }
    .with(total.latency())
    .with(report! {
        success_rate: outcome.success_rate(),
        errors: &outcome.errors,
        by_type: by_type,
        stages: measured.stages(),
        fills: 2 * outcome.trades,
        trades_per_order: per(outcome.trades as f64, total.orders),
        matched_per_s: outcome.trades as f64 / flags.measured().as_secs_f64(),
        book: book.clone(),
    })
}

pub(super) fn resources(flags: &Flags, measured: &Measured, total: &Tally) -> Report {
    let Measured { outcome, .. } = measured;
    let usage = outcome.usage.as_ref();
    let spent = |pick: fn(&Usage) -> u64| usage.map(pick);
    let each = |pick: fn(&Usage) -> u64| spent(pick).map(|all| per(all as f64, total.orders));
    let cpu_s = usage.map(|usage| usage.cpu_s);
    let s_per_million = per(flags.measured().as_secs_f64() * 1e6, total.orders);
    let bytes = outcome.bytes_sent + outcome.bytes_received;
    report! {
        rss_mb: usage.map(|usage| usage.rss_mb),
        cpu_s: cpu_s,
        cpu_s_per_million_orders: cpu_s.map(|cpu_s| per(cpu_s * 1e6, total.orders)),
        // At the rate of this run: the price of the machine does not depend on its load.
        cost_per_million_orders: flags.cost_per_hour.map(|cost| cost * s_per_million / 3_600.0),
        page_faults: spent(|usage| usage.page_faults),
        context_switches: spent(|usage| usage.context_switches),
        disk_bytes_per_order: each(|usage| usage.disk_written_bytes),
        packets_per_order: each(|usage| usage.loopback_packets),
        // Both directions, with the heads of HTTP.
        bytes_per_order: per(bytes as f64, total.orders),
        client_cpu_s: outcome.cpu_s,
        threads: usage::threads(usage),
    }
}

fn seconds(outcome: &Outcome) -> Figure {
    let second = |tally: &Tally| {
        let (p50, p99) = (tally.quantile_ms(0.5), tally.quantile_ms(0.99));
        report! { orders: tally.orders, p50_ms: p50, p99_ms: p99 }.value()
    };
    Figure::data(outcome.seconds.iter().map(second).collect())
}

/// The command line without its secrets.
fn command() -> String {
    let mut words = vec!["buttonwood".to_owned()];
    let mut is_hidden = false;
    for word in std::env::args().skip(1) {
        let (name, value) = word.split_once('=').map_or((&*word, None), |(n, v)| (n, Some(v)));
        let is_secret = matches!(name, "--secret" | "--beside-secret");
        words.push(match (is_hidden, is_secret, value) {
            (true, ..) => "...".to_owned(),
            (_, true, Some(_)) => format!("{name}=..."),
            _ => word.clone(),
        });
        is_hidden = is_secret && value.is_none();
    }
    words.join(" ")
}
