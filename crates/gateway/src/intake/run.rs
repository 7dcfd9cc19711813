//! The intake's run: it begins again after each failure, and says once why it stood still.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use protocol::intake::StreamId;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::door::shared::Door;

use super::account::Accounts;
use super::connection::Connection;
use super::desk::Desk;
use super::failure::Failure;
use super::keeper::{Keeper, is_lost, lost, resume_at, stream_state};
use super::metrics::{IntakeMetrics, add};
use super::reader::{IN_FLIGHT_MAX, Reader};
use super::replier::Replier;
use super::settings::IntakeSettings;
use super::storage::Storage;
use super::{beginning, mover, storage};

/// Waits between two attempts, the last one from there on.
const WAITS: [Duration; 5] = [
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
];
/// How long an alarm about data that is gone stays: longer than any interval of a scrape.
const LOSS_ALARM: Duration = Duration::from_secs(60);
/// How long replies may take when the venue stops. Entries without one get it after the next start.
const LINGER: Duration = Duration::from_secs(2);
/// An attempt that lasts for longer works: by then it has used all that it needs of Redis.
const PROVEN: Duration = Duration::from_millis(1_500);
/// Batches between the reader and the replier, besides the limit of entries.
const BATCHES: usize = 64;

/// Takes orders until the venue stops.
pub(crate) async fn run(settings: IntakeSettings, door: Arc<Door>) {
    let metrics = Arc::<IntakeMetrics>::default();
    door.handle.metrics().add_source(Arc::clone(&metrics) as _);
    let (door, stopping) = (Arc::clone(&door), door);
    let mut intake = Intake { settings, door, metrics, alarm_until: None, storage: None };
    tokio::select! {
        () = intake.take_orders() => {}
        () = stopped_for_long(&stopping) => {}
    }
}

/// The intake stops reading by itself; Redis may not answer.
async fn stopped_for_long(door: &Door) {
    door.stopped().await;
    sleep(LINGER).await;
}

struct Intake {
    settings: IntakeSettings,
    door: Arc<Door>,
    metrics: Arc<IntakeMetrics>,
    /// When an alarm that needs no repair ends.
    alarm_until: Option<Instant>,
    storage: Option<Storage>,
}

impl Intake {
    async fn take_orders(&mut self) {
        let mut said = Vec::new();
        let mut failures = 0;
        loop {
            let begun = Instant::now();
            let Err(failure) = self.attempt(&mut said).await else { return };
            if begun.elapsed() > WAITS[WAITS.len() - 1] {
                failures = 0;
            }
            add(&self.metrics.failures, 1);
            self.metrics.in_flight.store(0, Ordering::Relaxed);
            self.door.handle.metrics().intake_stands(true);
            say_once(failure, &mut said);
            let wait = WAITS[failures.min(WAITS.len() - 1)];
            failures += 1;
            tokio::select! {
                () = sleep(wait) => {}
                () = self.door.stopped() => return,
            }
        }
    }

    /// Takes orders until something fails; `Ok` when the venue stops. `said` has what the log says
    /// already, and is emptied once the intake works.
    async fn attempt(&mut self, said: &mut Vec<Failure>) -> Result<(), Failure> {
        let IntakeSettings { address, accounts, replies_max, keep } = self.settings.clone();
        let mut control = Connection::open(&address).await?;
        self.survey(&mut control).await;
        let after = self.begin(&mut control, said).await?;
        let room = Arc::new(Semaphore::new(IN_FLIGHT_MAX));
        let (replied, replied_until) = watch::channel(after);
        let metrics = || Arc::clone(&self.metrics);
        let reader = Reader {
            redis: Connection::open(&address).await?,
            desk: Desk::new(Arc::clone(&self.door), Accounts::new(accounts)),
            after,
            room: Arc::clone(&room),
            metrics: metrics(),
        };
        let replier = Replier {
            redis: Connection::open(&address).await?,
            replies_max,
            room,
            replied,
            metrics: metrics(),
        };
        let mover = mover::run(Connection::open(&address).await?, metrics());
        let keeper = Keeper { redis: control, replied: replied_until, keep, metrics: metrics() };
        let (batches, taken) = mpsc::channel(BATCHES);
        // Two tasks: replies are encoded beside the entries that are read.
        let mut both = JoinSet::new();
        let door = Arc::clone(&self.door);
        both.spawn(async move {
            tokio::select! {
                ended = reader.run(batches) => ended,
                () = door.stopped() => Ok(()),
            }
        });
        both.spawn(replier.run(taken));
        let both = async {
            while let Some(ended) = both.join_next().await {
                ended.expect("neither panics")?;
            }
            Ok(())
        };
        let proven = async {
            sleep(PROVEN).await;
            if !std::mem::take(said).is_empty() {
                tracing::info!("orders are taken from Redis again");
            }
            if let Some(until) = self.alarm_until {
                sleep_until(until).await;
            }
            self.door.handle.metrics().intake_stands(false);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            ended = both => ended,
            ended = mover => ended,
            ended = keeper.run() => ended,
            () = proven => Ok(()),
        }
    }

    /// Says what Redis stores, when that is new.
    async fn survey(&mut self, redis: &mut Connection) {
        let storage = storage::find(redis).await;
        if self.storage.replace(storage) != Some(storage) {
            storage.say();
        }
    }

    /// The id after which to read.
    async fn begin(
        &mut self,
        redis: &mut Connection,
        said: &mut Vec<Failure>,
    ) -> Result<StreamId, Failure> {
        let after = beginning::find(&self.door, redis).await?;
        let state = stream_state(redis).await?;
        if !is_lost(state, after) {
            return Ok(after);
        }
        say_once(lost(), said);
        self.alarm_until = Some(Instant::now() + LOSS_ALARM);
        self.door.handle.metrics().intake_stands(true);
        // An id that was too large for a number led to a dead letter. In a new stream it would make
        // all that come after it too large.
        let after = match after.number() {
            Some(_) => after,
            None => beginning::last_taken(&self.door).await?,
        };
        if is_lost(state, after) {
            resume_at(redis, state, after).await?;
        }
        // Entries that are there now have ids at or below the last one taken: the engine refuses
        // their numbers, and they are dead letters.
        Ok(StreamId::default())
    }
}

fn say_once(failure: Failure, said: &mut Vec<Failure>) {
    if !said.contains(&failure) {
        tracing::error!("no orders are taken from Redis: {failure}");
        said.push(failure);
    }
}
