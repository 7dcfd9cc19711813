//! `buttonwood trade`: the command line of paper and live runs in the crate `strategy`.

mod keys;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use cli::Failure;
use client::{Client, Credentials, Feed};
use serde_json::json;
use strategy::backtest::{FeedLatency, Inside, OrderLatency, Setup};
use strategy::builtin;
use strategy::job::{AccountJob, Done, Job, Mode};
use strategy::live::{BalanceCheck, Live, Paper, Recorder, RunKind, RunRecord, Traded, trade};
use strategy::{Fees, Funding, Instrument, Journal, RATE_DECIMALS, TableFormat};
use tokio::runtime::Builder;
use types::Interval;

use crate::backtest::latency::Drawn;
use crate::backtest::output::{self, Report};
use crate::choice::Choice;
use crate::interrupt;
use crate::rules::{Levels, Limits, Rates};

/// Run a strategy on the feed of a venue, on paper or live
///
/// The strategies are those of `backtest`, in the same code. On paper its level market decides
/// fills. Live, orders go to the venue. Ctrl-C cancels what stands and prints the report.
/// docs/live.md has the rules.
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood trade --strategy market-maker --set half-spread=2 \
                        --venue http://127.0.0.1:8080 --symbol BTCUSDT --paper --record monday")]
pub struct Trade {
    #[command(flatten)]
    choice: Choice,
    /// Address of a venue that speaks the Binance Spot API, http:// or https://
    #[arg(long, value_name = "URL")]
    venue: String,
    /// Certificates of authorities to trust (PEM), in place of those that this machine trusts
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Send no orders
    #[arg(long, required_unless_present = "live", conflicts_with = "live")]
    paper: bool,
    /// Send orders to the venue
    #[arg(long, requires = "key")]
    live: bool,
    /// Instruments, in the order in which the strategy numbers them
    #[arg(long, required = true, num_args = 1.., value_delimiter = ',')]
    symbol: Vec<String>,
    /// Length of the bars in the feed, such as 1m [default: 1m for a strategy that decides by bars]
    #[arg(long, value_name = "LENGTH", value_parser = interval)]
    bars: Option<Interval>,
    /// JSON file with `api_key` and `secret_key`, as `admin key add` prints them, or of a demo
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Account in the file of a demo [default: the first]
    #[arg(long, value_name = "NAME", requires = "key")]
    account: Option<String>,
    /// End after this time [default: at ctrl-c]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    duration_s: Option<Duration>,
    /// New folder for the feed, orders and fills of the run, which `reconcile` reads
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    #[command(flatten)]
    latency: Drawn,
    #[command(flatten)]
    levels: Levels,
    #[command(flatten)]
    rates: Rates,
    #[command(flatten)]
    limits: Limits,
    /// Money at the start, which returns refer to
    #[arg(long, value_name = "AMOUNT", default_value_t = 10_000.0)]
    capital: f64,
    /// Time between two samples of the equity
    #[arg(long, value_name = "MS", default_value_t = 1_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    sample_ms: u32,
    /// File for a report with charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Trade {
    pub fn run(self) -> Result<(), Failure> {
        if self.choice.is_help() {
            return cli::print_line(output::strategies());
        }
        let account = self.choice.account()?;
        let credentials = self.key.as_deref();
        let credentials =
            credentials.map(|file| keys::read(file, self.account.as_deref())).transpose()?;
        let client = self.client(credentials)?;
        let stop = interrupt::flag()?;
        if self.live { self.live(account, client, stop) } else { self.paper(account, client, stop) }
    }

    fn client(&self, credentials: Option<Credentials>) -> Result<Client, Failure> {
        let is_encrypted = self.venue.starts_with("https://");
        if self.ca.is_some() && !is_encrypted {
            return Err(Failure::new("--ca has a use with an https:// --venue only"));
        }
        let client = if is_encrypted {
            Client::trusting(&self.venue, credentials, cli::authorities(self.ca.as_deref())?)
        } else {
            Client::new(&self.venue, credentials)
        };
        client.map_err(at_venue)
    }

    async fn feed(&self, client: Client) -> Result<Feed, Failure> {
        let needs_bars = builtin::find(&self.choice.strategy).is_some_and(|of| of.needs_bars);
        let bars = self.bars.or(needs_bars.then_some(Interval::Minute1));
        Feed::open(client, &self.symbol, bars).await.map_err(at_venue)
    }

    fn paper(&self, account: AccountJob, client: Client, stop: &AtomicBool) -> Result<(), Failure> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let feed = runtime.block_on(self.feed(client))?;
        let recorder = self.recorder()?;
        let mut paper = Paper::new(feed, runtime.handle().clone(), recorder, stop, self.until());
        let fees = Fees {
            maker: self.rates.maker_fee_bps.unwrap_or(0),
            taker: self.rates.taker_fee_bps.unwrap_or(0),
        };
        let job = self.job(account, paper.instruments(), fees);
        let journal = self.journal(&job.setup.instruments)?;
        let never = AtomicBool::new(false);
        let done = job.run(&mut paper, vec![journal], &never);
        let done = done.map_err(|error| Failure::fault(error.to_string()))?;
        let (lost, reason) = paper.lost();
        let mut report = Report::of(&job, &done);
        note_losses(&mut report, lost, reason);
        let (recorder, ended_ns) = paper.ended();
        self.record(recorder, RunKind::Paper, &job, ended_ns)?;
        self.print(&job, &done, report)
    }

    fn live(&self, account: AccountJob, client: Client, stop: &AtomicBool) -> Result<(), Failure> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (job, traded) = runtime.block_on(self.trade(account, client, stop))?;
        let Traded { done, recorder, ended_ns, latencies, lost, last_loss, .. } = traded;
        let mut report = Report::of(&job, &done);
        note_losses(&mut report, lost, last_loss.as_deref());
        if let Some(reason) = traded.last_refusal {
            report.warn(format!("the venue refused requests, the last because: {reason}"));
        }
        note_balances(&mut report, traded.balances.as_deref());
        let mut rows = latencies;
        rows.sort_by_key(|row| row.sent_ns);
        let latency = OrderLatency::Measured(rows);
        let measured = Job { setup: Setup { latency, ..job.setup.clone() }, ..job };
        self.record(recorder, RunKind::Live, &measured, ended_ns)?;
        self.print(&measured, &done, report)?;
        if traded.unsettled.is_empty() {
            return Ok(());
        }
        let names = traded.unsettled.join(", ");
        Err(Failure::fault(format!("orders may stand, the venue has not answered: {names}")))
    }

    async fn trade(
        &self,
        account: AccountJob,
        client: Client,
        stop: &AtomicBool,
    ) -> Result<(Job, Traded), Failure> {
        let feed = self.feed(client.clone()).await?;
        let sizes = feed.instruments().iter();
        let sizes = sizes.map(|of| Instrument::new(of.symbol.clone(), of.tick, of.lot)).collect();
        let job = self.job(account, sizes, self.fees(&client).await?);
        let (recorder, until) = (self.recorder()?, self.until());
        let journal = self.journal(&job.setup.instruments)?;
        let live = Live { client, feed, recorder, stop, until };
        let traded = trade(&job, live, journal).await;
        Ok((job, traded.map_err(|error| Failure::fault(error.to_string()))?))
    }

    /// The fees of the account, where the command line states none.
    async fn fees(&self, client: &Client) -> Result<Fees, Failure> {
        let rates = client.account().await.map_err(at_venue)?.commission_rates;
        let rate = |text: &str| {
            let units = types::parse_decimal(text, RATE_DECIMALS as u8);
            let units = units.and_then(|units| i64::try_from(units).ok());
            units.ok_or_else(|| Failure::fault(format!("the venue: {text:?} is no rate of a fee")))
        };
        Ok(Fees {
            maker: self.rates.maker_fee_bps.map_or_else(|| rate(&rates.maker), Ok)?,
            taker: self.rates.taker_fee_bps.map_or_else(|| rate(&rates.taker), Ok)?,
        })
    }

    fn job(&self, account: AccountJob, instruments: Vec<Instrument>, fees: Fees) -> Job {
        Job {
            mode: Mode::Levels,
            setup: Setup {
                instruments,
                fees,
                funding: Funding::default(),
                limits: self.limits.risk(),
                latency: self.latency.latency(),
                feed: FeedLatency::Recorded,
                sample_ns: i64::from(self.sample_ms) * 1_000_000,
            },
            rules: self.levels.rules(),
            inside: Inside::default(),
            accounts: vec![account],
        }
    }

    fn until(&self) -> Option<Instant> {
        self.duration_s.map(|duration| Instant::now() + duration)
    }

    fn recorder(&self) -> Result<Option<Recorder>, Failure> {
        let create = |folder: &PathBuf| {
            Recorder::create(folder)
                .map_err(|error| Failure::fault(format!("{}: {error}", folder.display())))
        };
        self.record.as_ref().map(create).transpose()
    }

    fn journal(&self, instruments: &[Instrument]) -> Result<Journal, Failure> {
        let Some(folder) = &self.record else { return Ok(Journal::new(self.capital)) };
        Journal::in_folder(self.capital, folder, instruments, TableFormat::Csv)
            .map_err(|error| Failure::fault(format!("{}: {error}", folder.display())))
    }

    fn record(
        &self,
        recorder: Option<Recorder>,
        kind: RunKind,
        job: &Job,
        ended_ns: i64,
    ) -> Result<(), Failure> {
        let Some(recorder) = recorder else { return Ok(()) };
        let run = RunRecord::new(kind, &self.venue, job, self.capital, ended_ns);
        Ok(recorder.finish(&run)?)
    }

    fn print(&self, job: &Job, done: &Done, mut report: Report) -> Result<(), Failure> {
        let way = if self.live { "live" } else { "on paper" };
        report.set_pace(format!("{} events, {way} at {}", done.ran.events, self.venue));
        report.put("kind", json!(if self.live { "live" } else { "paper" }));
        if let Some(path) = &self.html {
            output::write_html(path, job, done, &report)?;
        }
        cli::print_line(if self.json { report.json() } else { report.summary() })
    }
}

fn note_losses(report: &mut Report, lost: u64, reason: Option<&str>) {
    report.put("feed_lost", json!(lost));
    if let Some(reason) = reason {
        report.warn(format!("the feed was lost {lost} times, the last because: {reason}"));
    }
}

fn note_balances(report: &mut Report, balances: Option<&[BalanceCheck]>) {
    let Some(balances) = balances else {
        return report.warn("the balances could not be compared with the fills".to_owned());
    };
    for BalanceCheck { asset, change, by_fills } in balances.iter().filter(|of| !of.is_equal()) {
        report.warn(format!(
            "the balance of {asset} changed by {change}, but by the run's fills {by_fills}: the \
             account traded besides this run, or a fill is missing"
        ));
    }
    let rows = balances.iter().map(|BalanceCheck { asset, change, by_fills }| {
        json!({"asset": asset, "change": change, "by_fills": by_fills})
    });
    report.put("balances", rows.collect());
}

fn at_venue(error: client::Error) -> Failure {
    Failure::fault(format!("the venue: {error}"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "expected seconds, such as 60".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

fn interval(text: &str) -> Result<Interval, String> {
    Interval::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Interval::ALL.iter().map(|of| of.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}
