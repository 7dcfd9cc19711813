//! The link from a venue to its publishers: neither crate sees the other.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

#[cfg(feature = "webhooks")]
use gateway::OperatorEvent;
use marketdata::{BookUpdate, Views};
use projection::Wake;
use sinks::publish::balances::{Balances, BalancesThen};
use sinks::publish::directory::Directory;
use sinks::publish::figures::Figures;
use sinks::publishers::{Running, Source};
use spool::Applied;
use tokio::runtime;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use types::{AccountId, AssetId, Event};
use venue::{Exposition, Handle, Listener, MetricSource, Metrics, Opened};

use crate::error::ServeError;
use crate::feed::FromLog;
use crate::settings::publish::Publish;

const WATCH_EVERY: Duration = Duration::from_secs(1);
/// A publisher asks again later.
const ANSWER_MAX: Duration = Duration::from_secs(2);

/// The publishers of a venue. They end when this is dropped.
#[derive(Debug)]
pub struct Publishers {
    running: Vec<Running>,
    engine: Arc<OfEngine>,
    watch: Option<AbortHandle>,
}

impl Publishers {
    /// On the spool of a venue that has not started yet. Called within a runtime of tokio.
    pub fn start(settings: &Publish, data_dir: &Path, opened: &Opened) -> Result<Self, ServeError> {
        let engine = opened.engine();
        let balances = OfEngine { handle: OnceLock::new(), runtime: runtime::Handle::current() };
        let balances = Arc::new(balances);
        let source = Source {
            data_dir: data_dir.to_path_buf(),
            spool: opened.spool().reader(),
            older: FromLog::of(data_dir),
            head: head(opened),
            directory: Directory::new(
                engine.assets().iter().copied(),
                engine.instruments().copied(),
                engine.accounts().map(|(_, spec)| *spec),
            ),
            views: opened.views(),
            balances: Arc::clone(&balances) as _,
        };
        let targets = settings.targets()?;
        let running: Vec<_> = targets.into_iter().flat_map(|target| source.start(target)).collect();
        let watch = (!running.is_empty()).then(|| {
            let metrics = opened.metrics();
            metrics.add_source(Arc::new(Measured::of(&running, &metrics)));
            tokio::spawn(watch(Watched::of(&running), metrics)).abort_handle()
        });
        Ok(Self { running, engine: balances, watch })
    }

    /// For [`Opened::start`]: wakes the publishers whenever the spool has more.
    pub fn listener(&self) -> Option<Box<dyn Listener>> {
        let wakes: Vec<_> = self.running.iter().map(Running::wake).collect();
        (!wakes.is_empty()).then(|| Box::new(Wakes(wakes)) as _)
    }

    pub fn figures(&self) -> Vec<Arc<Figures>> {
        self.running.iter().map(Running::figures).collect()
    }

    /// The venue runs: balances can be asked for.
    pub fn meet(&self, handle: Handle) {
        // A venue starts once.
        let _ = self.engine.handle.set(handle);
    }

    /// After the last event.
    pub fn stop(self) {
        if let Some(watch) = self.watch {
            watch.abort();
        }
        // A broker that does not answer is waited for: all of them at the same time.
        std::thread::scope(|scope| {
            for one in self.running {
                scope.spawn(|| one.stop());
            }
        });
    }
}

/// The last command of the venue, and its time.
fn head(opened: &Opened) -> (u64, u64) {
    let sequence = opened.engine().sequence();
    let spooled = opened.spool().reader().read_from(sequence, 1).ok();
    let time_ns = spooled.and_then(|page| page.first().map(|applied| applied.sequenced_ns));
    (sequence, time_ns.unwrap_or_else(|| opened.engine().now_ns()))
}

/// What is looked at each second.
struct Watched {
    figures: Vec<Arc<Figures>>,
    #[cfg(feature = "webhooks")]
    alarms: Vec<sinks::webhooks::Alarms>,
}

impl Watched {
    fn of(running: &[Running]) -> Self {
        Self {
            figures: running.iter().map(Running::figures).collect(),
            #[cfg(feature = "webhooks")]
            alarms: running.iter().filter_map(|one| one.alarms().cloned()).collect(),
        }
    }
}

/// Reports to operators that a publisher stands still, and to receivers what alarms the venue has.
async fn watch(watched: Watched, metrics: Arc<Metrics>) {
    let mut ticks = tokio::time::interval(WATCH_EVERY);
    #[cfg(feature = "webhooks")]
    let mut known = gateway::Alarms::default();
    loop {
        ticks.tick().await;
        metrics.publisher_stands(watched.figures.iter().any(|figures| figures.is_failing()));
        #[cfg(feature = "webhooks")]
        for event in known.changes(&metrics) {
            let OperatorEvent::Alarm { noticed_ns, alarm, is_raised, sentence } = event else {
                continue;
            };
            let (name, sentence) = (alarm.name(), sentence.to_owned());
            let alarm = sinks::webhooks::Alarm { name, is_raised, noticed_ns, sentence };
            watched.alarms.iter().for_each(|alarms| alarms.put(alarm.clone()));
        }
    }
}

struct Wakes(Vec<Wake>);

impl Listener for Wakes {
    fn event(&mut self, _: &Applied, _: &Event, _: Option<&BookUpdate>) {}

    fn batch_done(&mut self, _: &Views) -> Option<Instant> {
        self.0.iter().for_each(Wake::more);
        None
    }
}

/// Balances by a query of the engine.
struct OfEngine {
    handle: OnceLock<Handle>,
    runtime: runtime::Handle,
}

impl Balances for OfEngine {
    fn of(&self, accounts: Vec<AccountId>) -> Option<BalancesThen> {
        let answer = self.handle.get()?.read(move |engine| {
            let of = |account| {
                let owned = (0..).map(AssetId).zip(engine.balances(account));
                let owned = owned.filter(|(_, balance)| !balance.total().is_zero());
                (account, owned.collect())
            };
            (engine.sequence(), accounts.into_iter().map(of).collect())
        });
        let answer = answer.ok()?;
        self.runtime.block_on(async { timeout(ANSWER_MAX, answer).await.ok()?.ok() })
    }
}

impl fmt::Debug for OfEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OfEngine")
    }
}

/// The publishers' metrics, each with the place as a label.
#[derive(Debug)]
struct Measured {
    publishers: Vec<(String, Arc<Figures>)>,
    venue: Arc<Metrics>,
}

impl Measured {
    fn of(running: &[Running], venue: &Arc<Metrics>) -> Self {
        let named = running.iter().map(|one| (one.name().to_owned(), one.figures()));
        Self { publishers: named.collect(), venue: Arc::clone(venue) }
    }

    fn each(&self, figure: impl Fn(&Figures) -> u64) -> Vec<([(&str, &str); 1], u64)> {
        let all = self.publishers.iter();
        all.map(|(name, figures)| ([("sink", name.as_str())], figure(figures))).collect()
    }
}

impl MetricSource for Measured {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let applied = self.venue.figures().applied_sequence;
        let help = "Last command whose events a publisher has published";
        out.gauges("publisher_sequence", help, self.each(Figures::sequence))?;
        let help = "Commands that a publisher has not published yet";
        let lag = self.each(|figures| applied.saturating_sub(figures.sequence()));
        out.gauges("publisher_lag_commands", help, lag)?;
        let help = "Whether a publisher stands still";
        let alarm = self.each(|figures| u64::from(figures.is_failing()));
        out.gauges("publisher_alarm", help, alarm)?;
        let help = "Messages that a publisher has published";
        out.counters("publisher_messages", help, self.each(Figures::messages))?;
        let help = "How often a publisher began to stand still";
        out.counters("publisher_failures", help, self.each(Figures::failures))
    }
}
