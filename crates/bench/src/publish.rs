//! `buttonwood bench publish`: how fast a venue's events get into a broker.
//!
//! A venue without sockets fills its event spool with plain order flow. The publishers then catch
//! up, with nothing else running; then orders come as fast as the venue takes them, until the
//! publishers have all of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use cli::Failure;
use server::publishers::Publishers;
use sinks::publish::figures::Figures;
use venue::Opened;

use super::filled::{Flow, set_up, settings};
use super::machine;
use super::report::{Output, report};
use super::usage;

const POLL: Duration = Duration::from_millis(2);
/// Commands that are read from the spool at a time.
const PAGE: usize = 2_000;

#[derive(Args, Debug)]
#[command(
    after_help = "Example: buttonwood bench publish --sink redis://localhost:6379?kinds=streams --json"
)]
pub(super) struct Publish {
    /// Broker, as `serve --publish` takes it; it should be empty. May be repeated
    #[arg(long, value_name = "URL", required = true)]
    sink: Vec<String>,
    /// Orders in each of the two parts, 1 to 100,000,000
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    orders: u64,
    /// Seed of the orders: the same seed gives the same orders
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the venue's folder [default: the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    within: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

/// What one part took.
struct Part {
    events: u64,
    messages: u64,
    time: Duration,
    cpu_s: f64,
}

impl Publish {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let within = self.within.clone().unwrap_or_else(std::env::temp_dir);
        let machine = machine::here(&within);
        let folder = tempfile::Builder::new()
            .prefix("buttonwood-bench-")
            .tempdir_in(&within)
            .map_err(|error| Failure::new(format!("{}: {error}", within.display())))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| Failure::fault(format!("cannot start: {error}")))?;
        let _entered = runtime.enter();
        let mut flow = Flow::new(self.seed);
        fill(folder.path(), &mut flow, self.orders)?;
        let (caught_up, burst, rss_mb) = self.measure(folder.path(), &mut flow)?;
        let rate = |part: &Part, count: u64| count as f64 / part.time.as_secs_f64();
        let mut report = report! { scenario: "publish", durability: "os" }.with(machine);
        report.push("orders", flow.sent());
        // Channels and keys begin with the present: they have nothing to catch up with.
        if caught_up.messages > 0 {
            report = report.with(report! {
                events: caught_up.events,
                events_per_s: rate(&caught_up, caught_up.events),
                cpu_us_per_event: caught_up.cpu_s * 1e6 / caught_up.events as f64,
            });
        }
        let figures = report! {
            burst_events: burst.events,
            // While orders come as fast as the venue takes them: it takes processor time, too.
            burst_events_per_s: rate(&burst, burst.events),
            burst_messages_per_s: rate(&burst, burst.messages),
            rss_mb: rss_mb,
        };
        report.with(figures).print(&self.output)
    }

    fn measure(&self, folder: &Path, flow: &mut Flow) -> Result<(Part, Part, f64), Failure> {
        let opened = Opened::open(settings(folder))?;
        let settings = server::PublishSettings { urls: self.sink.clone() };
        let last = opened.engine().sequence();
        let publishers = Publishers::start(&settings, folder, &opened)?;
        let figures = publishers.figures();
        let caught_up = timed(&figures, || until(&figures, last))?;
        let spool = opened.spool().reader();
        let listeners = publishers.listener().into_iter().collect();
        let running = opened.start(listeners);
        let mut head = last;
        let burst = timed(&figures, || {
            let handle = running.handle();
            flow.send(&handle, self.orders)?;
            let applied = handle.read(|engine| engine.sequence());
            let applied = applied.map_err(|_| Failure::fault("the venue refuses a question"))?;
            head = applied.blocking_recv().map_err(|_| Failure::fault("the venue has ended"))?;
            until(&figures, head)
        })?;
        let rss_mb = usage::rss_mb(std::process::id()).unwrap_or_default();
        running.stop().map_err(|stopped| Failure::fault(format!("the venue: {stopped}")))?;
        publishers.stop();
        let events = |from, to| count(&spool, from, to);
        let caught_up = Part { events: events(1, last)?, ..caught_up };
        let burst = Part { events: events(last + 1, head)?, ..burst };
        Ok((caught_up, burst, rss_mb))
    }
}

fn timed(
    figures: &[Arc<Figures>],
    mut what: impl FnMut() -> Result<(), Failure>,
) -> Result<Part, Failure> {
    let messages = || figures.iter().map(|figures| figures.messages()).sum::<u64>();
    let (begun, cpu_before, before) = (Instant::now(), own_cpu_s()?, messages());
    what()?;
    Ok(Part {
        events: 0,
        messages: messages() - before,
        time: begun.elapsed(),
        cpu_s: own_cpu_s()? - cpu_before,
    })
}

/// Waits until all publishers have a command.
fn until(figures: &[Arc<Figures>], sequence: u64) -> Result<(), Failure> {
    while figures.iter().any(|figures| figures.sequence() < sequence) {
        if figures.iter().any(|figures| figures.is_failing()) {
            return Err(Failure::fault("a publisher stands still; its reason is in the log above"));
        }
        std::thread::sleep(POLL);
    }
    Ok(())
}

fn count(spool: &spool::SpoolReader, from: u64, to: u64) -> Result<u64, Failure> {
    let (mut next, mut events) = (from, 0);
    while next <= to {
        let page =
            spool.read_from(next, PAGE).map_err(|error| Failure::fault(error.to_string()))?;
        let Some(last) = page.last() else { break };
        next = last.sequence + 1;
        let within = page.iter().filter(|applied| applied.sequence <= to);
        events += within.map(|applied| applied.events.len() as u64).sum::<u64>();
    }
    Ok(events)
}

fn fill(folder: &Path, flow: &mut Flow, orders: u64) -> Result<(), Failure> {
    let running = Opened::open(settings(folder))?.start(Vec::new());
    let handle = running.handle();
    let filled = set_up(&handle).and_then(|()| flow.send(&handle, orders));
    running.stop().map_err(|stopped| Failure::fault(format!("the venue: {stopped}")))?;
    filled
}

fn own_cpu_s() -> Result<f64, Failure> {
    usage::cpu_s("self").ok_or_else(|| Failure::fault("this system does not count CPU time"))
}
