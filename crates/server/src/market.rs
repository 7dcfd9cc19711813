//! A recorded or mirrored market to trade against: the orders of a recording, or of a running
//! venue's feed, by the rules of [`replay::market`], in a demo or a test.
//!
//! A thread reads files ahead, or a task follows a feed; another task enters what is due. The
//! account of the record has neither balances nor positions, so it sells what it never bought.
//!
//! # Invariants
//! - Events are entered in the order of the recording, none before its time; those of a feed as
//!   they arrive.
//! - Where a recording cannot be read further it ends, with the reason, and the venue runs on.
//! - While a feed is lost, none of its orders stands.

mod listing;
mod mirror;
mod reader;

use std::time::Duration;

use replay::market::{Event, Instrument, Market, MarketStep, MarketTally, Meaning};
use tokio::time::{Instant, sleep, sleep_until};
use types::{ClOrdId, Command, Entry, Envelope, MassCancel, Origin, Refused};
use venue::{Handle, Reply, Ticket};

use self::listing::Listing;
use self::mirror::Mirror;
use self::reader::Reader;
use crate::error::ServeError;
use crate::now_ns;
use crate::settings::market::Market as Settings;

/// Events that are entered together, at most: an order of a client waits for no more of them.
const TOGETHER_MAX: usize = 64;
/// How long the task waits when the venue has no room.
const NO_ROOM: Duration = Duration::from_millis(1);
const REPORT_EVERY: Duration = Duration::from_secs(60);
/// Above this share of executions that found nothing, a report is a warning.
const DIVERGENCE_PERCENT_MAX: f64 = 5.0;

/// Where a market comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// With how many times faster than recorded it is played.
    Recording(Reader, f64),
    Mirror(Mirror),
}

impl Source {
    /// Opens the files, or asks the venue: what is wrong with them is an error here. `None` without
    /// such a market.
    pub(crate) async fn open(settings: &Settings) -> Result<Option<Self>, ServeError> {
        if settings.files.is_empty() {
            return Ok(None);
        }
        Ok(Some(match settings.url() {
            Some(url) => Self::Mirror(Mirror::open(url, settings).await?),
            None => Self::Recording(Reader::open(settings)?, settings.speed),
        }))
    }

    /// The next events; `None` at the end.
    async fn next(&mut self) -> Result<Option<Vec<Event>>, ServeError> {
        match self {
            Self::Recording(reader, _) => reader.next().await,
            Self::Mirror(mirror) => Ok(Some(mirror.next().await)),
        }
    }

    /// The instruments that were named since the last call.
    fn named(&mut self) -> Vec<Instrument> {
        match self {
            Self::Recording(reader, _) => reader.named(),
            Self::Mirror(mirror) => mirror.named(),
        }
    }

    /// Rows that were wrong and left out.
    fn skipped(&self) -> u64 {
        match self {
            Self::Recording(reader, _) => reader.skipped(),
            Self::Mirror(_) => 0,
        }
    }

    /// When an event is due, after the first one; `None` is now.
    fn due(&self, since_ns: i64) -> Option<Duration> {
        match self {
            Self::Recording(_, speed) => {
                Some(Duration::from_nanos(since_ns.cast_unsigned()).div_f64(*speed))
            }
            Self::Mirror(_) => None,
        }
    }

    const fn kind(&self) -> &'static str {
        match self {
            Self::Recording(..) => "recorded",
            Self::Mirror(_) => "mirrored",
        }
    }
}

/// A recorded or mirrored market that is open.
#[derive(Debug)]
pub(crate) struct Counterparty {
    source: Source,
    listing: Listing,
    /// Of each instrument.
    markets: Vec<Market>,
    tally: MarketTally,
    handle: Handle,
}

impl Counterparty {
    /// Finds the instruments, and clears away what an earlier run left.
    pub(crate) async fn open(
        source: Source,
        handle: Handle,
        customers: u32,
    ) -> Result<Self, ServeError> {
        let listing = Listing::open(handle.clone(), customers).await?;
        let (markets, tally) = (Vec::new(), MarketTally::default());
        let mut opened = Self { source, listing, markets, tally, handle };
        let cl_ord_id = ClOrdId::parse("begin").expect("a valid name");
        let clear = Command::MassCancel(MassCancel { instrument: None, side: None, cl_ord_id });
        opened.enter(&mut vec![MarketStep { command: clear, meaning: Meaning::Less }]).await?;
        // A market that is listed before the first client comes.
        opened.list().await?;
        Ok(opened)
    }

    /// Enters the market until its end or `shutdown`.
    pub(crate) async fn run(mut self, shutdown: impl Future<Output = ()>) {
        let ended = tokio::select! {
            () = shutdown => return self.report("is stopped"),
            ended = self.trade() => ended,
        };
        match ended {
            Ok(()) => self.report("has ended"),
            Err(error) => {
                tracing::warn!(%error, "the {} market cannot go on", self.source.kind());
                self.report("has ended early");
            }
        }
    }

    async fn trade(&mut self) -> Result<(), ServeError> {
        let (begun, mut first_ns, mut reached_ns) = (Instant::now(), None, i64::MIN);
        let (mut report_at, mut due) = (begun + REPORT_EVERY, Vec::new());
        while let Some(events) = self.source.next().await? {
            self.list().await?;
            for event in &events {
                reached_ns = reached_ns.max(event.exchange_ns);
                let since_ns = reached_ns.saturating_sub(*first_ns.get_or_insert(reached_ns));
                let at = self.source.due(since_ns).map(|since| begun + since);
                let is_early = at.is_some_and(|at| at > Instant::now());
                if due.len() >= TOGETHER_MAX || is_early {
                    self.enter(&mut due).await?;
                }
                if let (true, Some(at)) = (is_early, at) {
                    sleep_until(at).await;
                }
                self.markets[usize::from(event.instrument)].push(event, &mut due);
            }
            self.enter(&mut due).await?;
            if Instant::now() >= report_at {
                report_at += REPORT_EVERY;
                self.report("goes on");
            }
        }
        Ok(())
    }

    /// Lists the instruments that the source has named meanwhile.
    async fn list(&mut self) -> Result<(), ServeError> {
        for instrument in self.source.named() {
            let scale = self.listing.find_or_list(&instrument).await?;
            self.markets.push(Market::new(scale));
        }
        Ok(())
    }

    /// Enters commands together, and counts what became of them.
    async fn enter(&mut self, steps: &mut Vec<MarketStep>) -> Result<(), ServeError> {
        let mut entered = Vec::with_capacity(steps.len());
        for MarketStep { command, meaning } in steps.drain(..) {
            entered.push((meaning, self.submit(command).await?));
        }
        self.handle.run_inbox();
        for (meaning, reply) in entered {
            let reply = reply.await.map_err(|_| gone())?;
            let reply = reply.map_err(|refused| ServeError::new(refused.to_string()))?;
            self.tally.count(meaning, reply.events());
        }
        Ok(())
    }

    async fn submit(&self, command: Command) -> Result<Ticket<Result<Reply, Refused>>, ServeError> {
        let account = self.listing.account;
        loop {
            let envelope = Envelope { account, ..Envelope::venue(Origin::Replay, now_ns()) };
            match self.handle.submit(Entry { envelope, command: command.clone() }) {
                Ok(reply) => return Ok(reply),
                Err(Refused::Overloaded) => {
                    self.handle.run_inbox();
                    sleep(NO_ROOM).await;
                }
                Err(refused) => return Err(ServeError::new(refused.to_string())),
            }
        }
    }

    fn report(&self, what: &str) {
        let sentence = format!("the {} market {what}", self.source.kind());
        let MarketTally { commands, refused, dropped, .. } = self.tally;
        let divergence_percent = self.tally.divergence_percent();
        let skipped = self.source.skipped();
        if divergence_percent > DIVERGENCE_PERCENT_MAX {
            tracing::warn!(commands, refused, dropped, divergence_percent, skipped, "{sentence}");
        } else {
            tracing::info!(commands, refused, dropped, divergence_percent, skipped, "{sentence}");
        }
    }
}

fn gone() -> ServeError {
    ServeError::new("the venue has stopped")
}
