//! `buttonwood bench intake`: how fast a venue takes orders from Redis.
//!
//! One thread pushes orders, a window ahead of the replies; another one reads the replies. Both
//! pipeline. Before the venue starts, the same pushes into Redis alone are measured: the venue
//! cannot be faster than what it is fed by.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use cli::Failure;
use hdrhistogram::Histogram;
use redis::{Client, Commands, Connection, Value, cmd, pipe};
use server::now_ns;

use super::report::{Output, Report, report};
use super::usage;
use super::venue::Venue;

/// Keys of the venue's intake. A run needs them empty, and removes them.
const KEYS: [&str; 4] = ["orders", "order_queue", "order_replies", "order_rejects"];
/// Where pushes are measured that no venue takes.
const FLOOR_KEY: &str = "buttonwood_bench_floor";
/// Pushes of one pipeline.
const BATCH: u64 = 500;
/// Replies of one read.
const READ_MAX: usize = 2_000;
/// A venue without a reply for so long is given up.
const PATIENCE: Duration = Duration::from_secs(30);
const NS_PER_MS: u64 = 1_000_000;

#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood bench intake --redis redis://127.0.0.1:6379/9 --json")]
pub(super) struct Intake {
    /// Redis with an empty database for the run, as `serve --intake` takes it
    #[arg(long, value_name = "URL")]
    redis: String,
    /// Orders to push, 1 to 100,000,000
    #[arg(long, value_name = "N", default_value_t = 500_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    orders: u64,
    /// Orders that may be without a reply, 1 to 1,000,000
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    window: u64,
    /// Accounts that the orders are for, 1 to 1,000
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    clients: u64,
    /// Folder for the venue's folder [default: the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    within: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

/// What the two threads share.
#[derive(Default)]
struct Progress {
    replied: AtomicU64,
    /// One of the threads has failed.
    is_over: AtomicBool,
}

impl Intake {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let within = self.within.clone().unwrap_or_else(std::env::temp_dir);
        let client = Client::open(&*self.redis)
            .map_err(|_| Failure::new("--redis must be such as redis://127.0.0.1:6379/9"))?;
        let mut control = client.get_connection().map_err(failed)?;
        let keys: u64 = cmd("EXISTS").arg(&KEYS).query(&mut control).map_err(failed)?;
        if keys > 0 {
            return Err(Failure::new(
                "this database of Redis has keys of an intake: name an empty one, such as /9",
            ));
        }
        let xadd_per_s = self.push_alone(&mut control)?;
        let measured = self.measure(&within, &client);
        let cleared: Result<(), _> = control.del(&KEYS);
        let figures = measured?;
        cleared.map_err(failed)?;
        report! {
            scenario: "intake",
            durability: "fsync",
            appendfsync: appendfsync(&mut control),
            clients: self.clients,
            window: self.window,
            // Redis alone, by the same pushes.
            xadd_per_s: xadd_per_s,
        }
        .with(figures)
        .print(&self.output)
    }

    fn push_alone(&self, redis: &mut Connection) -> Result<f64, Failure> {
        let orders = self.orders.min(100_000);
        let begun = Instant::now();
        for first in (0..orders).step_by(BATCH as usize) {
            self.push(redis, FLOOR_KEY, first, BATCH.min(orders - first))?;
        }
        let per_s = orders as f64 / begun.elapsed().as_secs_f64();
        redis.del::<_, ()>(FLOOR_KEY).map_err(failed)?;
        Ok(per_s)
    }

    fn measure(&self, within: &std::path::Path, client: &Client) -> Result<Report, Failure> {
        let settings = ["--intake".to_owned(), self.redis.clone()];
        let venue = Venue::start(within, &settings, None, self.clients as usize)?;
        let process = venue.process().expect("it was started for this run");
        let connect = || client.get_connection().map_err(failed);
        let (mut pushing, mut reading) = (connect()?, connect()?);
        let (progress, before) = (Progress::default(), usage::Usage::of(process));
        let begun = Instant::now();
        let latencies = thread::scope(|scope| {
            let pusher = scope.spawn(|| self.push_all(&mut pushing, &progress));
            let read = self.read_replies(&mut reading, &progress);
            progress.is_over.store(true, Ordering::Relaxed);
            pusher.join().expect("it does not panic")?;
            read
        })?;
        let took = begun.elapsed().as_secs_f64();
        let used = usage::Usage::of(process).zip(before).map(|(now, before)| now.since(&before));
        let ms = |quantile| latencies.value_at_quantile(quantile) as f64;
        let cpu_s = used.as_ref().map_or(0.0, |used| used.cpu_s);
        let figures = report! {
            orders: self.orders,
            // From the first push to the last reply.
            orders_per_s: self.orders as f64 / took,
            // From the id that Redis gave an order to the read of its reply, in whole milliseconds.
            p50_ms: ms(0.5),
            p99_ms: ms(0.99),
            cpu_us_per_order: cpu_s * 1e6 / self.orders as f64,
            rss_mb: used.map_or(0.0, |used| used.rss_mb),
        };
        Ok(venue.machine.clone().with(figures))
    }

    /// Pushes all orders, never more than the window ahead of the replies.
    fn push_all(&self, redis: &mut Connection, progress: &Progress) -> Result<(), Failure> {
        let batch = BATCH.min(self.window);
        let mut pushed = 0;
        while pushed < self.orders && !progress.is_over.load(Ordering::Relaxed) {
            let count = batch.min(self.orders - pushed);
            if pushed + count > progress.replied.load(Ordering::Acquire) + self.window {
                thread::sleep(Duration::from_micros(200));
                continue;
            }
            self.push(redis, KEYS[0], pushed, count)?;
            pushed += count;
        }
        Ok(())
    }

    fn push(
        &self,
        redis: &mut Connection,
        key: &str,
        first: u64,
        count: u64,
    ) -> Result<(), Failure> {
        // As a pipeline of redis-py: a transaction, of which Redis makes one fdatasync.
        let mut pushes = pipe();
        pushes.atomic();
        for number in first..first + count {
            pushes.cmd("XADD").arg(key).arg("*").arg("data").arg(self.message(number)).ignore();
        }
        pushes.query::<()>(redis).map_err(failed)
    }

    /// Buys and sells around one price: about half of the orders trade.
    fn message(&self, number: u64) -> Vec<u8> {
        let (account, price) = (number % self.clients + 1, 60_000 + number * 7 % 21);
        let side = if (number / self.clients).is_multiple_of(2) { "BUY" } else { "SELL" };
        let mut message = Vec::with_capacity(192);
        write!(
            message,
            r#"{{"account":"bench-{account}","id":"i{number}","symbol":"BTCUSDT","side":"{side}","type":"LIMIT","quantity":"0.001","price":"{price}"}}"#
        )
        .expect("memory takes it");
        message
    }

    /// Reads a reply to each order.
    fn read_replies(
        &self,
        redis: &mut Connection,
        progress: &Progress,
    ) -> Result<Histogram<u64>, Failure> {
        let mut latencies = Histogram::new(3).expect("three digits");
        let (mut last, mut replied) = ("0-0".to_owned(), 0);
        let mut heard = Instant::now();
        while replied < self.orders {
            let mut read = cmd("XREAD");
            read.arg("COUNT").arg(READ_MAX).arg("BLOCK").arg(1_000);
            read.arg("STREAMS").arg(KEYS[2]).arg(&last);
            let answer: Value = read.query(redis).map_err(failed)?;
            let replies = entries(answer);
            if heard.elapsed() > PATIENCE {
                return Err(Failure::fault("the venue has not replied for 30 s"));
            }
            let now_ms = now_ns() / NS_PER_MS;
            for (id, reply) in replies {
                let pushed_ms = pushed_ms(&reply)?;
                latencies.saturating_record(now_ms.saturating_sub(pushed_ms).max(1));
                (last, replied, heard) = (id, replied + 1, Instant::now());
            }
            progress.replied.store(replied, Ordering::Release);
        }
        Ok(latencies)
    }
}

/// Ids and messages of an answer to `XREAD` of one stream.
fn entries(answer: Value) -> Vec<(String, Vec<u8>)> {
    let list = |value| if let Value::Array(list) = value { list } else { Vec::new() };
    let stream = list(answer).pop().map(list).and_then(|mut stream| stream.pop());
    let entry = |entry| {
        let mut parts = list(entry).into_iter();
        let (id, fields) = (parts.next()?, parts.next()?);
        match (id, list(fields).pop()?) {
            (Value::BulkString(id), Value::BulkString(message)) => {
                Some((String::from_utf8(id).ok()?, message))
            }
            _ => None,
        }
    };
    stream.map(list).unwrap_or_default().into_iter().filter_map(entry).collect()
}

/// When the order of a reply was pushed. A reply that is none to an order of this run ends it.
fn pushed_ms(reply: &[u8]) -> Result<u64, Failure> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Reply<'a> {
        stream_id: &'a str,
        status: &'a str,
    }
    let text = || String::from_utf8_lossy(reply).into_owned();
    let read: Reply<'_> = serde_json::from_slice(reply).map_err(|_| Failure::fault(text()))?;
    if !["NEW", "PARTIALLY_FILLED", "FILLED"].contains(&read.status) {
        return Err(Failure::fault(format!("an order was not taken: {}", text())));
    }
    let ms = read.stream_id.split_once('-').and_then(|(ms, _)| ms.parse().ok());
    ms.ok_or_else(|| Failure::fault(text()))
}

fn appendfsync(redis: &mut Connection) -> String {
    let mut get = |name: &str| -> Option<String> {
        let answer: Vec<String> = cmd("CONFIG").arg("GET").arg(name).query(redis).ok()?;
        answer.get(1).cloned()
    };
    match get("appendonly").as_deref() {
        Some("yes") => get("appendfsync").unwrap_or_default(),
        Some(_) => "off".into(),
        None => "not shown".into(),
    }
}

fn failed(error: redis::RedisError) -> Failure {
    Failure::new(format!("Redis: {error}"))
}
