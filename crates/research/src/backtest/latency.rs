//! Latencies on the command line.

use std::path::{Path, PathBuf};

use clap::Args;
use cli::Failure;
use strategy::backtest::{Delay, FeedLatency, MeasuredRequest, OrderLatency};

/// A latency is a number of microseconds, `LOW..HIGH` (each as likely), or `MEDIAN~SIGMA`
/// (log-normal).
#[derive(Args, Clone, Debug)]
pub(crate) struct Drawn {
    /// Latency of orders and of answers, in microseconds: N, LOW..HIGH or MEDIAN~SIGMA
    #[arg(long, value_name = "N", default_value = "0", value_parser = delay)]
    latency_us: Delay,
    /// Latency of answers, where it differs
    #[arg(long, value_name = "N", value_parser = delay)]
    answer_latency_us: Option<Delay>,
    /// Seed of drawn latencies
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Args, Clone, Debug)]
pub(super) struct Latencies {
    #[command(flatten)]
    drawn: Drawn,
    /// Latency of the feed, in place of the recorded one
    #[arg(long, value_name = "N")]
    feed_latency_us: Option<u32>,
    /// CSV file of measured requests: sent_ns,exchange_ns,answered_ns; latencies are interpolated
    #[arg(long, value_name = "FILE", conflicts_with_all = ["latency_us", "answer_latency_us"])]
    latency_file: Option<PathBuf>,
}

impl Drawn {
    pub(crate) fn latency(&self) -> OrderLatency {
        OrderLatency::Drawn {
            order: self.latency_us,
            answer: self.answer_latency_us.unwrap_or(self.latency_us),
            seed: self.seed,
        }
    }
}

impl Latencies {
    pub(super) fn seed(&self) -> u64 {
        self.drawn.seed
    }

    pub(super) fn read(&self) -> Result<(OrderLatency, FeedLatency), Failure> {
        let feed = match self.feed_latency_us {
            Some(us) => FeedLatency::Constant { ns: i64::from(us) * 1_000 },
            None => FeedLatency::Recorded,
        };
        let orders = match &self.latency_file {
            Some(path) => OrderLatency::Measured(read(path)?),
            None => self.drawn.latency(),
        };
        Ok((orders, feed))
    }
}

fn delay(text: &str) -> Result<Delay, String> {
    text.parse().map_err(|error: strategy::backtest::DelayInvalid| error.to_string())
}

const HEADER: &str = "sent_ns,exchange_ns,answered_ns";

fn read(path: &Path) -> Result<Vec<MeasuredRequest>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::fault(format!("{}: {error}", path.display())))?;
    let mut rows: Vec<MeasuredRequest> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let fail =
            |reason: &str| Failure::fault(format!("{}: line {}: {reason}", path.display(), at + 1));
        if at == 0 {
            if line.trim() != HEADER {
                return Err(fail(&format!("the header is not {HEADER}")));
            }
            continue;
        }
        let numbers: Option<Vec<i64>> =
            line.split(',').map(|field| field.trim().parse().ok()).collect();
        let Some(&[sent_ns, exchange_ns, answered_ns]) = numbers.as_deref() else {
            return Err(fail("it is not three whole numbers"));
        };
        let row = MeasuredRequest { sent_ns, exchange_ns, answered_ns };
        let is_lost = exchange_ns == 0;
        if answered_ns < sent_ns || !is_lost && !(sent_ns..=answered_ns).contains(&exchange_ns) {
            return Err(fail("its times are not in order"));
        }
        if rows.last().is_some_and(|last| last.sent_ns > sent_ns) {
            return Err(fail("it was sent before the request above"));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(Failure::fault(format!("{}: there are no rows", path.display())));
    }
    Ok(rows)
}
