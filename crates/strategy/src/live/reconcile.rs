//! A recorded run beside its back-test, fill by fill.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use recorded::{Event, Options, Recording, Stream, StreamError};
use thiserror::Error;
use types::Side;

use super::record::{EVENTS, RunKind, RunRecord};
use crate::backtest::{FeedLatency, Inside, OrderLatency, Setup, Source};
use crate::funding::Funding;
use crate::instrument::Instrument;
use crate::job::{AccountJob, Job, JobError, Mode};
use crate::journal::{Journal, TableFormat};
use crate::param::ParamError;

/// The folder of the back-test, in that of the run.
const TESTED: &str = "backtest";
const FILLS: &str = "fills.csv";

/// Why a run cannot be compared.
#[derive(Debug, Error)]
pub enum ReconcileError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: std::io::Error },
    #[error("{}: line {line} is no fill", path.display())]
    Fill { path: PathBuf, line: usize },
    #[error("{}: {reason}", path.display())]
    Run { path: PathBuf, reason: String },
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Job(#[from] JobError<StreamError>),
    #[error(transparent)]
    Stream(#[from] StreamError),
}

/// A fill of either side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedFill {
    pub order_id: u64,
    pub instrument: u16,
    pub side: Side,
    pub ticks: i64,
    pub lots: u64,
    pub exchange_ns: i64,
}

/// Lots that both sides have filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Positions among the fills of the run, and of its back-test.
    pub of_run: usize,
    pub of_test: usize,
    pub lots: u64,
}

/// The fills of a run and of its back-test.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub kind: RunKind,
    pub instruments: Vec<Instrument>,
    pub run: Vec<RecordedFill>,
    pub test: Vec<RecordedFill>,
    pub pairs: Vec<Pair>,
    /// Lots of each fill that the other side has not.
    pub only_run: Vec<u64>,
    pub only_test: Vec<u64>,
}

/// Runs the record in `folder` as a back-test, and compares its fills. Fills of one instrument and
/// side within `window_ns` may be the same: first those of the same order, then those of the same
/// price, then the nearest.
pub fn reconcile(
    folder: &Path,
    window_ns: i64,
    stop: &AtomicBool,
) -> Result<Comparison, ReconcileError> {
    let wrong =
        |reason: &str| ReconcileError::Run { path: folder.to_owned(), reason: reason.to_owned() };
    let at_folder = |error| ReconcileError::Io { path: folder.to_owned(), error };
    let run = RunRecord::read(folder).map_err(at_folder)?;
    let instruments = run.instruments().ok_or_else(|| wrong("the sizes of its instruments"))?;
    let mut account = AccountJob::new("", &run.strategy)?;
    for (name, value) in &run.values {
        account.values.set(name, value)?;
    }
    let job = Job {
        mode: Mode::Levels,
        setup: Setup {
            instruments: instruments.clone(),
            fees: run.fees,
            funding: Funding::default(),
            limits: run.limits,
            latency: match &run.latency {
                // Without an order there is nothing to measure.
                OrderLatency::Measured(rows) if rows.is_empty() => OrderLatency::constant(0),
                latency => latency.clone(),
            },
            feed: FeedLatency::Recorded,
            sample_ns: run.sample_ns,
        },
        rules: run.rules,
        inside: Inside::default(),
        accounts: vec![account],
    };
    let tested = folder.join(TESTED);
    let journal = Journal::in_folder(run.capital, &tested, &instruments, TableFormat::Csv)
        .map_err(at_folder)?;
    let events = Recording { path: folder.join(EVENTS), name: None };
    let stream = Stream::open(&[events], &Options::default())?;
    let feed = Recorded { stream, ended_ns: run.ended_ns, state: State::Events };
    job.run(feed, vec![journal], stop)?;
    let of_run = read_fills(&folder.join(FILLS), &instruments)?;
    let of_test = read_fills(&tested.join(FILLS), &instruments)?;
    Ok(Comparison::of(run.kind, instruments, of_run, of_test, window_ns))
}

/// The recorded feed, and the time that passed after its last event.
struct Recorded {
    stream: Stream,
    ended_ns: i64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Events,
    /// The events are read; time passes until the run's end.
    Rest,
}

impl Source for Recorded {
    type Error = StreamError;

    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, StreamError> {
        if self.state == State::Rest {
            return Ok(false);
        }
        let events = self.stream.next_batch()?;
        into.extend_from_slice(events);
        if events.is_empty() {
            self.state = State::Rest;
        }
        Ok(true)
    }

    fn complete_ns(&self) -> i64 {
        if self.state == State::Rest { self.ended_ns } else { i64::MIN }
    }
}

fn read_fills(
    path: &Path,
    instruments: &[Instrument],
) -> Result<Vec<RecordedFill>, ReconcileError> {
    let at_path = |error| ReconcileError::Io { path: path.to_owned(), error };
    let text = fs::read_to_string(path).map_err(at_path)?;
    let mut fills = Vec::new();
    for (at, line) in text.lines().enumerate().skip(1) {
        let fill = read_fill(line, instruments);
        let wrong = || ReconcileError::Fill { path: path.to_owned(), line: at + 1 };
        fills.push(fill.ok_or_else(wrong)?);
    }
    fills.sort_by_key(|fill: &RecordedFill| fill.exchange_ns);
    Ok(fills)
}

fn read_fill(line: &str, instruments: &[Instrument]) -> Option<RecordedFill> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[order_id, name, side, price, qty, _, _, _, _, _, exchange_ns, _, _] = &fields[..] else {
        return None;
    };
    let instrument = instruments.iter().position(|instrument| instrument.name == name)?;
    Some(RecordedFill {
        order_id: order_id.parse().ok()?,
        instrument: instrument as u16,
        side: match side {
            "buy" => Side::Buy,
            "sell" => Side::Sell,
            _ => return None,
        },
        ticks: i64::try_from(instruments[instrument].tick.count(price)?).ok()?,
        lots: u64::try_from(instruments[instrument].lot.count(qty)?).ok()?,
        exchange_ns: exchange_ns.parse().ok()?,
    })
}

impl Comparison {
    /// Both lists are in the order of time.
    fn of(
        kind: RunKind,
        instruments: Vec<Instrument>,
        run: Vec<RecordedFill>,
        test: Vec<RecordedFill>,
        window_ns: i64,
    ) -> Self {
        let left = |fills: &[RecordedFill]| fills.iter().map(|fill| fill.lots).collect::<Vec<_>>();
        let (mut only_run, mut only_test) = (left(&run), left(&test));
        let mut pairs = Vec::new();
        for (of_run, fill) in run.iter().enumerate() {
            let earliest_ns = fill.exchange_ns.saturating_sub(window_ns);
            let latest_ns = fill.exchange_ns.saturating_add(window_ns);
            let from = test.partition_point(|other| other.exchange_ns < earliest_ns);
            let to = test.partition_point(|other| other.exchange_ns <= latest_ns);
            while only_run[of_run] > 0 {
                let may_be = |at: &usize| {
                    let other = &test[*at];
                    let is_same = (other.instrument, other.side) == (fill.instrument, fill.side);
                    is_same && only_test[*at] > 0
                };
                let differs = |at: &usize| {
                    let other = &test[*at];
                    let apart_ns = other.exchange_ns.abs_diff(fill.exchange_ns);
                    (other.order_id != fill.order_id, other.ticks != fill.ticks, apart_ns)
                };
                let Some(of_test) = (from..to).filter(may_be).min_by_key(differs) else { break };
                let lots = only_run[of_run].min(only_test[of_test]);
                only_run[of_run] -= lots;
                only_test[of_test] -= lots;
                pairs.push(Pair { of_run, of_test, lots });
            }
        }
        Self { kind, instruments, run, test, pairs, only_run, only_test }
    }

    /// The share of the fills that only one side has, from zero to one. Each fill counts the same,
    /// by the part of its lots.
    pub fn difference(&self) -> f64 {
        let count = self.run.len() + self.test.len();
        if count == 0 {
            return 0.0;
        }
        (parts(&self.run, &self.only_run) + parts(&self.test, &self.only_test)) / count as f64
    }

    /// Price of the run minus price of the test, in ticks, of each pair.
    pub fn price_differences(&self) -> impl Iterator<Item = i64> + '_ {
        self.pairs.iter().map(|pair| self.run[pair.of_run].ticks - self.test[pair.of_test].ticks)
    }

    /// Time of the run minus time of the test, in nanoseconds, of each pair.
    pub fn time_differences(&self) -> impl Iterator<Item = i64> + '_ {
        let (run, test) = (&self.run, &self.test);
        self.pairs.iter().map(|pair| run[pair.of_run].exchange_ns - test[pair.of_test].exchange_ns)
    }

    /// Fills that are only in the run, as parts of fills.
    pub fn run_alone(&self) -> f64 {
        parts(&self.run, &self.only_run)
    }

    pub fn test_alone(&self) -> f64 {
        parts(&self.test, &self.only_test)
    }
}

fn parts(fills: &[RecordedFill], left: &[u64]) -> f64 {
    fills.iter().zip(left).map(|(fill, left)| *left as f64 / fill.lots.max(1) as f64).sum()
}

#[cfg(test)]
mod tests {
    use types::Increment;

    use super::*;

    /// A line is `ID SIDE LOTS@TICKS at MS`; expected are `LOTS of RUN and TEST` by position.
    #[track_caller]
    fn check(run: &[&str], test: &[&str], pairs: &[&str], difference: f64) {
        let fill = |text: &&str| {
            let words: Vec<&str> = text.split([' ', '@']).collect();
            RecordedFill {
                order_id: words[0].parse().unwrap(),
                instrument: 0,
                side: if words[1] == "buy" { Side::Buy } else { Side::Sell },
                lots: words[2].parse().unwrap(),
                ticks: words[3].parse().unwrap(),
                exchange_ns: words[5].parse::<i64>().unwrap() * 1_000_000,
            }
        };
        let fills = |lines: &[&str]| lines.iter().map(fill).collect::<Vec<_>>();
        let one = Increment { units: 1, decimals: 0 };
        let instruments = vec![Instrument::new("X", one, one)];
        let found =
            Comparison::of(RunKind::Live, instruments, fills(run), fills(test), 100_000_000);
        let texts = found.pairs.iter();
        let texts =
            texts.map(|Pair { of_run, of_test, lots }| format!("{lots} of {of_run} and {of_test}"));
        assert_eq!(texts.collect::<Vec<_>>(), pairs);
        assert!((found.difference() - difference).abs() < 1e-9, "{}", found.difference());
    }

    #[test]
    fn equal_fills_are_pairs() {
        let fills = ["1 buy 5@100 at 0", "2 sell 3@101 at 50", "1 buy 5@100 at 60"];
        check(&fills, &fills, &["5 of 0 and 0", "3 of 1 and 1", "5 of 2 and 2"], 0.0);
    }

    #[test]
    fn what_one_side_has_alone_is_counted_by_its_part() {
        // Of five lots two are in both, the sale is a second late, and the last is new.
        check(
            &["1 buy 5@100 at 0", "2 sell 3@101 at 50"],
            &["1 buy 2@100 at 10", "2 sell 3@101 at 1000"],
            &["2 of 0 and 0"],
            (0.6 + 1.0 + 1.0) / 4.0,
        );
        check(&[], &[], &[], 0.0);
    }

    #[test]
    fn the_same_order_comes_before_the_same_price_and_that_before_the_nearest() {
        check(
            &["7 buy 1@100 at 0"],
            &["8 buy 1@100 at 0", "7 buy 1@99 at 90"],
            &["1 of 0 and 1"],
            1.0 / 3.0,
        );
        check(
            &["7 buy 1@100 at 0"],
            &["8 buy 1@99 at 0", "9 buy 1@100 at 90"],
            &["1 of 0 and 1"],
            1.0 / 3.0,
        );
        // A fill in two parts on the other side.
        check(
            &["7 buy 4@100 at 0"],
            &["7 buy 3@100 at 5", "7 buy 1@100 at 9"],
            &["3 of 0 and 0", "1 of 0 and 1"],
            0.0,
        );
    }
}
