//! `buttonwood bench ouch-udp`: orders by OUCH over UDP, beside an echo of the same frames.

mod agent;
mod echo;
mod trader;

use clap::Args;
use cli::Failure;

use super::flags::Flags;
use super::fleet::Agent;
use super::load::{Measured, Scenario, measure, spec};
use super::machine::{self, BLOCK, Syncs};
use super::report::{Figure, Report, report};
use super::run::{BARE_MEASURED, orders, resources};
use super::spec::{Key, Load, Spec};
use super::venue::Venue;

pub(super) use self::agent::run as run_agent;
pub(super) use self::echo::run as run_echo;

#[derive(Args, Debug)]
pub(super) struct OuchUdp {
    /// Orders that a client puts into a datagram, as soon as it may have as many more under way, 1
    /// to 24
    #[arg(long, value_name = "B", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=24))]
    batch: u16,
    /// Datagrams of a hundred that are lost, in each direction, 0 to 50
    #[arg(long, value_name = "P", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=50))]
    loss: u8,
    #[command(flatten)]
    flags: Flags,
}

impl OuchUdp {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { batch, loss, flags } = self;
        if flags.url.is_some() || flags.beside.is_some() || flags.rate.is_some() {
            return Err(Failure::new(
                "ouch-udp measures a fresh venue in a closed loop: leave --url, --beside and --rate out",
            ));
        }
        let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
        let mut settings = flags.settings();
        settings.push("--ouch-udp=127.0.0.1:0".to_owned());
        settings.push("--ouch-connections-max=20000".to_owned());
        let clients = usize::from(flags.clients);
        let mut venue = Venue::start(&within, &settings, flags.cores, clients)?;
        venue.keys = venue.add_udp_logins(clients)?;
        let loopback_us = machine::loopback_us()?;
        let bare = echo(&flags, &venue, batch)?;
        let load = Load::OuchUdp { batch, loss };
        let measured = measure(Scenario { name: "ouch-udp", load }, &flags, &venue, |_| Ok(()))?;
        let total = measured.outcome.total();
        let Measured { outcome, readings: [before, after], .. } = &measured;
        let batch_len = after.batch_len(before).unwrap_or(BLOCK);
        let mut syncs = Syncs::default();
        if let Some(folder) = venue.folder() {
            syncs.measure(folder, batch_len)?;
        }
        let per_order = |cpu_s: f64| cpu_s * 1e6 / total.orders.max(1) as f64;
        report! {
            scenario: "ouch-udp",
            loop: "closed",
            clients: clients,
            window: u64::from(flags.window),
            batch: u64::from(batch),
            loss_percent: u64::from(loss),
            durability: flags.durability.as_str(),
            duration_s: flags.measured().as_secs_f64(),
        }
        .with(venue.machine.clone())
        .with(orders(&flags, &measured, &total))
        .with(report! {
            retransmitted: outcome.sent_again,
            duplicates_refused: after.repeats_since(before),
            fallbacks: outcome.reopened,
        })
        .with(report! {
            disk_fdatasync_ms: venue.folder().map(|_| syncs.report()),
            loopback_us: loopback_us,
            bare_echo_per_s: bare.0,
            bare_echo: bare.1,
        })
        .with(resources(&flags, &measured, &total))
        .with(report! {
            venue_cpu_us_per_order: outcome.usage.as_ref().map(|usage| per_order(usage.cpu_s)),
            client_cpu_us_per_order: per_order(outcome.cpu_s),
            histogram: Figure::data(serde_json::to_value(&total)?["histogram"].clone()),
        })
        .print(&flags.output)
    }
}

/// The same frames by the same client through a process that sends datagrams back: how many a
/// second, and their latency.
fn echo(flags: &Flags, venue: &Venue, batch: u16) -> Result<(f64, Report), Failure> {
    let mut own = Agent::spawn("ouch-udp-echo", &())?;
    let (address, process) = (own.receive_ready()?, Some(own.process()));
    let key = Key { api_key: "echo".to_owned(), secret_key: "echo".to_owned() };
    let load = Load::OuchUdpEcho { batch };
    let measured = flags.measured().min(2 * BARE_MEASURED);
    let keys = vec![key; usize::from(flags.clients)];
    let spec = Spec { address, keys, measured, process, ..spec(load, flags, venue) };
    let outcome = spec.run("echo of the same frames", |_| Ok(()))?;
    Ok((outcome.orders_per_s(measured), outcome.total().latency()))
}
