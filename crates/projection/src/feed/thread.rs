//! The thread that feeds a read model or a publisher from the event spool, at its own pace.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::error::{ProjectionError, Standstill};
use crate::feed::backend::{Backend, Interrupter, RETRY, Store, Wanted, Words};
use crate::feed::followed::{Followed, Reached};
use crate::feed::gauges::Gauges;
use crate::feed::older::OlderEvents;
use crate::feed::opening::open;
use crate::feed::pace::Pace;
use crate::page::Page;
use crate::retention::HistoryRetention;
use spool::{Bookmark, SpoolError, SpoolReader};

/// In the steps of `nice`: about a tenth of another thread's share.
const NICE: i32 = 10;
/// Commands that are read at a time.
pub(crate) const PAGE: usize = 2_000;
/// How long the thread sleeps when it is not woken. Then it looks whether the file is in its place.
const IDLE: Duration = Duration::from_millis(500);
/// The same while there are more rows beyond the retention.
const IDLE_BETWEEN_DELETIONS: Duration = Duration::from_millis(100);
/// What was added is on stable storage after so long: the spool keeps the events of the last hour
/// at least, and all else may be lost with the power.
const CHECKPOINT: Duration = Duration::from_secs(300);
/// How often rows beyond the retention are looked for.
const FORGET: Duration = Duration::from_secs(5);
/// How long the end may take. What is left over is for the next start.
const END: Duration = Duration::from_secs(5);
/// How much longer a transaction that is under way then may take.
const LAST_PAGE: Duration = Duration::from_secs(1);
const END_CHECK: Duration = Duration::from_millis(5);

/// A running feed. It ends with [`Feed::stop`], or when it is dropped.
#[derive(Debug)]
pub struct Feed {
    name: &'static str,
    pace: Arc<Pace>,
    stopping: Arc<AtomicBool>,
    interrupter: Interrupter,
    thread: Option<JoinHandle<()>>,
}

impl Feed {
    /// Begins to follow the spool. Nothing that fails here or later concerns the venue: it is said,
    /// and tried again where that may help.
    pub fn start<B: Backend>(
        backend: B,
        spool: SpoolReader,
        older: impl OlderEvents,
        gauges: impl Gauges,
        retention: HistoryRetention,
    ) -> (Self, Followed) {
        Self::start_read(backend, (spool, older, gauges, retention), |_, followed| followed)
    }

    /// [`Feed::start`] with what is to read from the place.
    pub(crate) fn start_read<B: Backend, R>(
        backend: B,
        (spool, older, gauges, retention): (
            SpoolReader,
            impl OlderEvents,
            impl Gauges,
            HistoryRetention,
        ),
        read: impl FnOnce(&B, Followed) -> R,
    ) -> (Self, R) {
        let (reached, followed) = watch::channel(Reached::NOTHING);
        let stopping = Arc::new(AtomicBool::new(false));
        let pace = Arc::<Pace>::default();
        let read = read(&backend, Followed::new(followed, Arc::clone(&pace), spool.clone()));
        let interrupter = backend.interrupter();
        let follower = Follower {
            backend,
            bookmark: spool.bookmark(),
            spool,
            older: Arc::new(older),
            gauges,
            retention,
            reached,
            pace: Arc::clone(&pace),
            stopping: Arc::clone(&stopping),
            reported: None,
        };
        let Words { name, thread, .. } = B::WORDS;
        let thread = std::thread::Builder::new()
            .name(thread.to_owned())
            .spawn(move || follower.run())
            .expect("the operating system gives a thread");
        (Self { name, pace, stopping, interrupter, thread: Some(thread) }, read)
    }

    /// For the publisher of events, to say that there is something to read.
    pub fn wake(&self) -> Wake {
        Wake(Arc::clone(&self.pace))
    }

    /// Takes in what is in the spool by now, if that is no more than a few seconds' work, and ends.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.stopping.store(true, Ordering::Release);
        self.pace.wake();
        let Some(thread) = self.thread.take() else { return };
        let begun = Instant::now();
        while !thread.is_finished() && begun.elapsed() < END + LAST_PAGE {
            std::thread::sleep(END_CHECK);
        }
        if !thread.is_finished() {
            (self.interrupter.0)();
        }
        if thread.join().is_err() {
            tracing::error!("the thread of {} panicked", self.name);
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.end();
    }
}

/// Wakes the feed.
#[derive(Clone, Debug)]
pub struct Wake(Arc<Pace>);

impl Wake {
    /// There is more in the spool. Never waits: it does no more on the caller's thread than to wake
    /// another one.
    pub fn more(&self) {
        self.0.more();
    }
}

/// Where processors are short, orders come first: history may be late, and says how far it is
/// behind. Linux knows priorities by thread.
fn yield_to_others(name: &str) {
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::warn!(%error, "the thread of {name} has the priority of all others");
    }
}

pub(super) struct Follower<B: Backend, G: Gauges> {
    pub(super) backend: B,
    pub(super) spool: SpoolReader,
    bookmark: Bookmark,
    pub(super) older: Arc<dyn OlderEvents>,
    pub(super) gauges: G,
    retention: HistoryRetention,
    reached: watch::Sender<Reached>,
    pace: Arc<Pace>,
    stopping: Arc<AtomicBool>,
    /// The failure that was logged, until it is over.
    reported: Option<String>,
}

/// A panic ends the thread, and is an alarm as any other failure.
impl<B: Backend, G: Gauges> Drop for Follower<B, G> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.gauges.failed(true);
            let standstill = Some(Standstill::Failed);
            self.reached.send_modify(|reached| reached.standstill = standstill);
        }
    }
}

/// What is due between two transactions.
pub(super) struct Upkeep {
    /// Since when there is something that may not be on stable storage.
    unsynced_since: Option<Instant>,
    forgets_at: Instant,
    forgets_more: bool,
}

impl Upkeep {
    pub(super) fn added(&mut self) {
        self.unsynced_since.get_or_insert_with(Instant::now);
    }

    fn idle_time(&self) -> Duration {
        if self.forgets_more { IDLE_BETWEEN_DELETIONS } else { IDLE }
    }
}

impl<B: Backend, G: Gauges> Follower<B, G> {
    fn run(mut self) {
        yield_to_others(B::WORDS.name);
        self.pace.begin();
        let mut pause = RETRY;
        loop {
            let taken = self.reached.borrow().sequence;
            let Err(error) = self.follow() else { return };
            let has_gone_on = self.reached.borrow().sequence != taken;
            pause = if has_gone_on { RETRY } else { pause };
            self.report(&error);
            if !error.may_pass() || self.is_stopping() {
                return;
            }
            if error.is_damage()
                && let Err(error) = self.backend.set_aside(&error)
            {
                self.report(&error);
            }
            self.pace.pause(pause, || self.is_stopping());
            pause = (2 * pause).min(self.backend.retry_max());
        }
    }

    /// Once, however often it is tried.
    fn report(&mut self, error: &ProjectionError) {
        self.gauges.failed(true);
        let standstill = Some(error.standstill());
        self.reached.send_modify(|reached| reached.standstill = standstill);
        let sentence = error.to_string();
        if self.reported.as_ref() != Some(&sentence) {
            let Words { name, effect, .. } = B::WORDS;
            tracing::error!(error = sentence, "{name} stands still: orders go on, {effect}");
            self.reported = Some(sentence);
        }
    }

    fn follow(&mut self) -> Result<(), ProjectionError> {
        let newest = self.backend.newest().unwrap_or_default();
        self.reached.send_modify(|reached| {
            reached.standstill.get_or_insert(Standstill::Opening);
            if reached.sequenced_ns == 0 {
                (reached.opening_at, reached.sequenced_ns) = newest;
            }
        });
        let mut store = open(&self.backend, &self.spool)?;
        self.report_older(&store);
        self.report_complete(&store)?;
        let (mut ends, mut gathers) = (None, false);
        let mut upkeep =
            Upkeep { unsynced_since: None, forgets_at: Instant::now(), forgets_more: false };
        loop {
            if self.is_stopping() && ends.get_or_insert_with(Instant::now).elapsed() > END {
                return Ok(());
            }
            self.keep_up(&mut store, &mut upkeep)?;
            let (progress, wanted) = (store.progress(), store.wants());
            self.bookmark.set(wanted.after.sequence);
            // What moves between databases waits for no more.
            if std::mem::take(&mut gathers) && wanted.until.is_none() {
                let time = self.backend.gather();
                self.pace.gather(time, progress.sequence, || self.is_stopping());
            }
            match self.take::<<B::Store as Store>::Page>(wanted) {
                Ok((page, _)) if page.is_empty() => {
                    self.is_well();
                    self.gauges.behind(None);
                    if self.is_stopping() {
                        return Ok(());
                    }
                    self.pace.idle(upkeep.idle_time());
                }
                Ok((page, has_more)) => {
                    store.write(&page)?;
                    self.is_well();
                    upkeep.added();
                    if wanted.until.is_none() {
                        self.gauges.behind(has_more.then(|| store.progress().sequenced_ns));
                        gathers = !has_more;
                    }
                }
                Err(SpoolError::Gone { first }) => {
                    if wanted.after.sequence < progress.sequence {
                        store.begin_again();
                        continue;
                    }
                    self.take_older(&mut store, &mut upkeep, first)?;
                }
                Err(error) => return Err(ProjectionError::Spool(error)),
            }
        }
    }

    /// What one transaction changes, and whether there is more.
    fn take<P: Page>(&self, wanted: Wanted) -> Result<(P, bool), SpoolError> {
        let mut page = P::after(wanted.after);
        loop {
            let next = page.sequence() + 1;
            let most = wanted.until.map_or(PAGE, |until| PAGE.min((until + 1 - next) as usize));
            if most == 0 {
                return Ok((page, true));
            }
            let taken = self.spool.each_from(next, most, |applied| page.apply(applied));
            let has_more = match taken {
                Ok(taken) => taken.has_more,
                Err(error) if page.is_empty() => return Err(error),
                Err(_) => return Ok((page, true)), // The next transaction has it again.
            };
            if !has_more || page.is_full() {
                return Ok((page, has_more));
            }
        }
    }

    pub(super) fn keep_up(
        &self,
        store: &mut B::Store,
        upkeep: &mut Upkeep,
    ) -> Result<(), ProjectionError> {
        store.check_in_place()?;
        let progress = store.progress();
        self.gauges.projected(progress.sequence);
        self.reached.send_modify(|reached| {
            reached.sequence = progress.sequence;
            reached.sequenced_ns = progress.sequenced_ns;
            reached.opening_at = 0;
        });
        if upkeep.unsynced_since.is_some_and(|since| since.elapsed() > CHECKPOINT) {
            store.checkpoint()?;
            upkeep.unsynced_since = None;
        }
        if self.retention != HistoryRetention::ALL && upkeep.forgets_at <= Instant::now() {
            // Between two pages, so that it delays no reader for long.
            upkeep.forgets_more = store.forget(&self.retention)?;
            let pause = if upkeep.forgets_more { Duration::ZERO } else { FORGET };
            upkeep.forgets_at = Instant::now() + pause;
        }
        Ok(())
    }

    /// A read model that has gone back was restored: it lacks commands that it had before.
    fn report_older(&self, store: &B::Store) {
        let (sequence, had) = (store.progress().sequence, self.reached.borrow().sequence);
        // A publisher begins with the last command again, whose events it compares.
        if sequence + 1 < had {
            tracing::warn!(
                place = %self.backend,
                sequence,
                had,
                "{} was replaced by an older one: the commands since are taken in again",
                B::WORDS.name
            );
        }
    }

    pub(super) fn report_complete(&self, store: &B::Store) -> Result<(), ProjectionError> {
        let after_gap = store.gaps()?.last().map(|(_, last)| last + 1);
        let first_sequence = store.progress().first_sequence;
        self.gauges.complete_from(after_gap.unwrap_or_default().max(first_sequence));
        Ok(())
    }

    pub(super) fn is_well(&mut self) {
        self.gauges.failed(false);
        self.reached.send_if_modified(|reached| reached.standstill.take().is_some());
        if self.reported.take().is_some() {
            tracing::info!("{} goes on", B::WORDS.name);
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }
}
