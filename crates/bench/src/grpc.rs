//! `buttonwood bench grpc`: orders over gRPC, on streams or one a call.

mod agent;
mod caller;
mod calls;
mod http2;
mod order;

use clap::Args;
use cli::Failure;

use super::flags::Flags;
use super::load::{Measured, Scenario, measure};
use super::machine::{self, BLOCK, Syncs};
use super::report::{Figure, report};
use super::run::{orders, resources};
use super::spec::Load;
use super::venue::Venue;

pub(super) use self::agent::run as run_agent;

#[derive(Args, Debug)]
pub(super) struct Grpc {
    /// Orders that a client sends in one message, as soon as it may have as many more under way, 1
    /// to 256
    #[arg(long, value_name = "B", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    batch: u16,
    /// Each order is a call, and a client has one under way: beside the same over REST
    #[arg(long, conflicts_with = "batch")]
    unary: bool,
    /// Over a Unix socket instead of TCP
    #[arg(long)]
    unix: bool,
    #[command(flatten)]
    flags: Flags,
}

impl Grpc {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { batch, unary, unix, flags } = self;
        if flags.url.is_some() || flags.beside.is_some() || flags.rate.is_some() {
            return Err(Failure::new(
                "grpc measures a fresh venue in a closed loop: leave --url, --beside and --rate out",
            ));
        }
        let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
        let mut settings = flags.settings();
        let sockets = tempfile::tempdir_in(&within)?;
        settings.push(if unix {
            format!("--grpc-unix={}", sockets.path().join("venue").display())
        } else {
            "--grpc=127.0.0.1:0".to_owned()
        });
        settings.push("--grpc-connections-max=20000".to_owned());
        let clients = usize::from(flags.clients);
        let venue = Venue::start(&within, &settings, flags.cores, clients)?;
        let loopback_us = machine::loopback_us()?;
        let rest = if unary {
            let scenario = Scenario { name: "limit orders over REST", load: Load::Alternating };
            let measured = measure(scenario, &flags, &venue, |_| Ok(()))?;
            Some((measured.flawless_per_s(&flags)?, measured.outcome.total().latency()))
        } else {
            None
        };
        let load = if unary { Load::GrpcCalls } else { Load::Grpc { batch } };
        let measured = measure(Scenario { name: "grpc", load }, &flags, &venue, |_| Ok(()))?;
        let total = measured.outcome.total();
        let Measured { outcome, readings: [before, after], .. } = &measured;
        let batch_len = after.batch_len(before).unwrap_or(BLOCK);
        let mut syncs = Syncs::default();
        if let Some(folder) = venue.folder() {
            syncs.measure(folder, batch_len)?;
        }
        let per_order = |cpu_s: f64| cpu_s * 1e6 / total.orders.max(1) as f64;
        let window = if unary { 1 } else { u64::from(flags.window) };
        report! {
            scenario: "grpc",
            loop: "closed",
            clients: clients,
            window: window,
            batch: u64::from(batch),
            unary: unary,
            unix: unix,
            durability: flags.durability.as_str(),
            duration_s: flags.measured().as_secs_f64(),
        }
        .with(venue.machine.clone())
        .with(orders(&flags, &measured, &total))
        .with(report! {
            disk_fdatasync_ms: venue.folder().map(|_| syncs.report()),
            loopback_us: loopback_us,
            rest_orders_per_s: rest.as_ref().map(|(per_s, _)| *per_s),
            rest: rest.map(|(_, latency)| latency),
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
