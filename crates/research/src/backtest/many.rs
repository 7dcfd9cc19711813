//! A sweep on the command line: many runs over data that are read once.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use cli::{Failure, Progress};
use recorded::{Event, Recording};
use serde_json::json;
use strategy::backtest::{BarsInMemory, Memory, Standing};
use strategy::job::{Done, Job, Mode};
use strategy::sheet::Heat;
use strategy::statistics::{Moments, deflated_sharpe};
use strategy::sweep::{self, Axis, Point};
use strategy::{Bar, Journal};

use super::output::{self, Report};
use super::source::Events;
use super::{Backtest, axis};
use crate::choice::set;
use crate::interrupt;

/// Runs at many points of the strategy's parameters.
#[derive(Args, Clone, Debug)]
pub(super) struct Sweep {
    /// Run at each value of a parameter; with several, at each combination
    #[arg(long = "sweep", value_name = "KEY=FROM..TO:STEP", value_parser = axis)]
    pub(super) axes: Vec<Axis>,
    /// Draw N points of the grid by the seed, in place of all
    #[arg(long, value_name = "N", requires = "axes")]
    random: Option<usize>,
    /// Threads of a sweep [default: all cores]
    #[arg(long, value_name = "N", requires = "axes")]
    threads: Option<NonZeroUsize>,
    /// File of finished points: a sweep that was stopped goes on from it
    #[arg(long, value_name = "FILE", requires = "axes")]
    resume: Option<PathBuf>,
    /// Walk forward: split the time into N parts, and try the best point of each on the next
    #[arg(long, value_name = "N", requires = "axes", conflicts_with = "resume",
          value_parser = clap::value_parser!(u32).range(2..=1000))]
    walk_forward: Option<u32>,
}

/// What is kept of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ran {
    pnl: f64,
    fills: u64,
    max_drawdown: f64,
    /// Mean over deviation of the equity's changes, not annualised.
    ratio: f64,
    moments: Moments,
}

struct Data {
    events: Vec<Event>,
    bars: Vec<Bar>,
}

pub(super) fn run(command: &Backtest, job: &Job, events: Events<'_>) -> Result<(), Failure> {
    let sweep = &command.sweep;
    let points = match sweep.random {
        Some(count) => sweep::random(&sweep.axes, count, command.latency.seed()),
        None => sweep::grid(&sweep.axes),
    };
    let points = points.ok_or_else(|| {
        Failure::fault(format!("the grid has more than {} points", sweep::POINTS_MAX))
    })?;
    if let Some(first) = points.first() {
        // Before the data are read: it may name a parameter that there is not.
        job_at(job, &sweep.axes, first)?;
    }
    let (events, bars) = events.into_memory()?;
    let data = Data { events, bars };
    let stop = interrupt::flag()?;
    match sweep.walk_forward {
        Some(parts) => walk_forward(command, job, &data, &points, parts, stop),
        None => search(command, job, &data, &points, stop),
    }
}

fn search(
    command: &Backtest,
    job: &Job,
    data: &Data,
    points: &[Point],
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let found = try_all(command, job, data, points, command.sweep.resume.as_deref(), stop)?;
    let tried: Vec<(&Point, Ran)> =
        points.iter().zip(&found).filter_map(|(point, ran)| Some((point, (*ran)?))).collect();
    let Some((best, ran)) = best(&tried) else {
        return Err(Failure::fault("no point of the sweep was run"));
    };
    let deflated = deflated(&tried, &ran);
    let best_job = job_at(job, &command.sweep.axes, best)?;
    let done = run_one(&best_job, data, command.journals(job)?, stop)?;
    let report = Report::of(&best_job, &done);
    if let Some(path) = &command.html {
        let heat = heat(&command.sweep.axes, &tried, best);
        output::write_heat(path, &best_job, &done, &report, &heat)?;
    }
    let names: Vec<&str> = command.sweep.axes.iter().map(|axis| axis.name.as_str()).collect();
    let is_partial = tried.len() < points.len();
    if command.json {
        let rows = tried.iter().map(|(point, ran)| {
            json!({"point": point.0, "pnl": ran.pnl, "fills": ran.fills,
                   "max_drawdown": ran.max_drawdown, "ratio": ran.ratio})
        });
        return cli::print_line(json!({
            "parameters": names, "tried": tried.len(), "partial": is_partial,
            "best": best.0, "pnl": ran.pnl, "deflated_sharpe": deflated,
            "runs": rows.collect::<Vec<_>>(),
        }));
    }
    let mut text = String::new();
    if is_partial {
        let _ = writeln!(text, "partial: {} of {} points were run", tried.len(), points.len());
    }
    let _ = writeln!(
        text,
        "{:<32} {:>14} {:>9} {:>12} {:>9}",
        names.join(","),
        "pnl",
        "fills",
        "drawdown",
        "ratio"
    );
    for (point, ran) in &tried {
        let mark = if *point == best { " best" } else { "" };
        let point = point.to_string();
        let Ran { pnl, fills, max_drawdown, ratio, .. } = ran;
        let _ = writeln!(
            text,
            "{point:<32} {pnl:>14.4} {fills:>9} {max_drawdown:>12.4} {ratio:>9.4}{mark}"
        );
    }
    let _ = write!(
        text,
        "{} runs were tried; the probability that the best is better than luck is {:.3} (deflated \
         Sharpe ratio)",
        tried.len(),
        deflated
    );
    cli::print_line(text)
}

/// The best point of each part of the time is run on the part that follows.
fn walk_forward(
    command: &Backtest,
    job: &Job,
    data: &Data,
    points: &[Point],
    parts: u32,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let parts = data.split(parts);
    let mut steps = Vec::new();
    for (seen, unseen) in parts.iter().zip(&parts[1..]) {
        let found = try_all(command, job, seen, points, None, stop)?;
        let tried: Vec<(&Point, Ran)> =
            points.iter().zip(&found).filter_map(|(point, ran)| Some((point, (*ran)?))).collect();
        let Some((point, inside)) = best(&tried) else { break };
        let outside = try_one(&job_at(job, &command.sweep.axes, point)?, unseen, command, stop)?;
        steps.push((point.clone(), inside.pnl, outside.pnl));
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    let total: f64 = steps.iter().map(|(.., outside)| outside).sum();
    let is_partial = steps.len() + 1 < parts.len();
    if command.json {
        let rows = steps.iter().map(|(point, inside, outside)| {
            json!({"point": point.0, "pnl_inside": inside, "pnl_outside": outside})
        });
        return cli::print_line(json!({
            "steps": rows.collect::<Vec<_>>(), "pnl": total, "partial": is_partial,
        }));
    }
    let mut text = format!("{:<32} {:>14} {:>14}\n", "best point", "pnl inside", "pnl outside");
    for (point, inside, outside) in &steps {
        let point = point.to_string();
        let _ = writeln!(text, "{point:<32} {inside:>14.4} {outside:>14.4}");
    }
    let _ = write!(text, "{total:.4} earned outside of what was seen");
    if is_partial {
        text.push_str(", partial: the sweep was stopped");
    }
    cli::print_line(text)
}

impl Data {
    /// Parts of equal time. Each begins with the book that the part before has left.
    fn split(&self, parts: u32) -> Vec<Self> {
        let times = self.events.iter().map(|event| event.exchange_ns);
        let (first, last) = (times.clone().min().unwrap_or(0), times.max().unwrap_or(0));
        let span = i128::from(last - first) + 1;
        let part_of = |ns: i64| {
            (i128::from(ns - first) * i128::from(parts) / span).clamp(0, i128::from(parts) - 1)
        };
        let mut standing = Standing::default();
        let mut all = Vec::new();
        for part in 0..i128::from(parts) {
            let own = || self.events.iter().filter(|event| part_of(event.exchange_ns) == part);
            // Nothing of the part is before its first event, by either clock.
            let times = own().flat_map(|event| [event.exchange_ns, event.local_ns]);
            let mut events = times.min().map_or(Vec::new(), |at_ns| standing.events(at_ns));
            events.extend(own());
            own().for_each(|event| standing.add(event));
            let bars = self.bars.iter().filter(|bar| part_of(bar.at_ns) == part);
            all.push(Self { events, bars: bars.copied().collect() });
        }
        all
    }
}

fn try_all(
    command: &Backtest,
    job: &Job,
    data: &Data,
    points: &[Point],
    resume: Option<&Path>,
    stop: &AtomicBool,
) -> Result<Vec<Option<Ran>>, Failure> {
    let mut found: Vec<Option<Ran>> = vec![None; points.len()];
    let mut file = None;
    if let Some(path) = resume {
        let begun = begun_with(command, job);
        let (known, bytes) = read_finished(path, &begun)?;
        for (slot, point) in found.iter_mut().zip(points) {
            *slot = known.get(&point.to_string()).copied();
        }
        let at_file = |error| Failure::fault(format!("{}: {error}", path.display()));
        let opened = OpenOptions::new().create(true).append(true).open(path).map_err(at_file)?;
        opened.set_len(bytes).map_err(at_file)?;
        if bytes == 0 {
            writeln!(&opened, "{begun}").map_err(at_file)?;
        }
        file = Some(opened);
    }
    let (positions, missing): (Vec<usize>, Vec<Point>) = points
        .iter()
        .enumerate()
        .filter(|(at, _)| found[*at].is_none())
        .map(|(at, point)| (at, point.clone()))
        .unzip();
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = command.sweep.threads.unwrap_or_else(cores).get();
    let axes = &command.sweep.axes;
    let run = |point: &Point| try_one(&job_at(job, axes, point)?, data, command, stop);
    let (total, mut finished) = (missing.len() as u64, 0);
    let mut progress = Progress::begin("runs");
    let done = |at: usize, ran: Ran| {
        finished += 1;
        progress.at((finished, total), finished);
        if stop.load(Ordering::Relaxed) {
            // It may have ended before the data did.
            return Ok(());
        }
        found[positions[at]] = Some(ran);
        file.as_mut().map_or(Ok(()), |file| write_finished(file, &missing[at], &ran))
    };
    sweep::run_all(&missing, threads, stop, run, done)?;
    Ok(found)
}

fn try_one(job: &Job, data: &Data, command: &Backtest, stop: &AtomicBool) -> Result<Ran, Failure> {
    let done = run_one(job, data, command.without_files(job), stop)?;
    let Journal { totals, changes, .. } = done.whole();
    Ok(Ran {
        pnl: done.pnl(),
        fills: totals.fills,
        max_drawdown: totals.max_drawdown,
        ratio: changes.sharpe(),
        moments: *changes,
    })
}

fn run_one(
    job: &Job,
    data: &Data,
    journals: Vec<Journal>,
    stop: &AtomicBool,
) -> Result<Done, Failure> {
    let failure = |error: String| Failure::fault(error);
    if job.mode == Mode::Bars {
        let bars = BarsInMemory::new(&data.bars);
        return job.run_bars(bars, journals, stop).map_err(|error| failure(error.to_string()));
    }
    let events = Memory::new(&data.events);
    job.run(events, journals, stop).map_err(|error| failure(error.to_string()))
}

fn job_at(job: &Job, axes: &[Axis], point: &Point) -> Result<Job, Failure> {
    let mut job = job.clone();
    for (axis, value) in axes.iter().zip(&point.0) {
        set(&mut job.accounts, &axis.name, value)?;
    }
    Ok(job)
}

fn best<'a>(tried: &[(&'a Point, Ran)]) -> Option<(&'a Point, Ran)> {
    // The first of equal ones, so that the order of threads does not matter.
    let mut best: Option<(&Point, Ran)> = None;
    for (point, ran) in tried {
        if best.is_none_or(|(_, best)| ran.pnl > best.pnl) {
            best = Some((point, *ran));
        }
    }
    best
}

fn deflated(tried: &[(&Point, Ran)], best: &Ran) -> f64 {
    let n = tried.len() as f64;
    let mean = tried.iter().map(|(_, ran)| ran.ratio).sum::<f64>() / n;
    let squares: f64 = tried.iter().map(|(_, ran)| (ran.ratio - mean).powi(2)).sum();
    let variance = if tried.len() < 2 { 0.0 } else { squares / (n - 1.0) };
    deflated_sharpe(&best.moments, variance, tried.len() as u64)
}

fn heat(axes: &[Axis], tried: &[(&Point, Ran)], best: &Point) -> Heat {
    Heat {
        names: axes.iter().map(|axis| axis.name.clone()).collect(),
        cells: tried.iter().map(|(point, ran)| (point.0.clone(), ran.pnl)).collect(),
        best: best.0.clone(),
    }
}

/// The first line of a file of finished points: all but the swept values that they depend on.
fn begun_with(command: &Backtest, job: &Job) -> String {
    let mut hasher = DefaultHasher::new();
    let Backtest { data, reading, repeat, capital, .. } = command;
    format!("{job:?} {reading:?} {repeat} {capital}").hash(&mut hasher);
    command.sweep.axes.iter().for_each(|axis| axis.name.hash(&mut hasher));
    for Recording { path, name } in data {
        let bytes = path.metadata().map_or(0, |of| of.len());
        (path.file_name(), name, bytes).hash(&mut hasher);
    }
    format!("sweep {:016x}", hasher.finish())
}

/// One finished point a line: its values, and the figures as exact text.
fn write_finished(file: &mut File, point: &Point, ran: &Ran) -> Result<(), Failure> {
    let Ran { pnl, fills, max_drawdown, moments, .. } = ran;
    let moments = moments.parts().map(|part| part.to_string()).join(" ");
    writeln!(file, "{point};{pnl};{fills};{max_drawdown};{moments}")
        .map_err(|error| Failure::fault(format!("the file of finished points: {error}")))
}

/// The points of a file, and its size without a line that was cut off.
fn read_finished(path: &Path, begun: &str) -> Result<(HashMap<String, Ran>, u64), Failure> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok((HashMap::new(), 0));
        }
        Err(error) => return Err(Failure::fault(format!("{}: {error}", path.display()))),
    };
    // A last line without its end was being written when the sweep was stopped.
    let bytes = text.rfind('\n').map_or(0, |end| end + 1);
    let mut lines = text[..bytes].lines().enumerate();
    let is_of_this = match lines.next() {
        Some((_, first)) => first == begun,
        None => begun.starts_with(&text),
    };
    if !is_of_this {
        return Err(Failure::fault(format!(
            "{}: its points are of other data, rules or accounts than this command's, or of another \
             build: name another file",
            path.display()
        )));
    }
    let mut known = HashMap::new();
    for (at, line) in lines {
        let read = || {
            let fields: Vec<&str> = line.split(';').collect();
            let &[point, pnl, fills, max_drawdown, moments] = fields.as_slice() else {
                return None;
            };
            let parts: Option<Vec<f64>> =
                moments.split(' ').map(|part| part.parse().ok()).collect();
            let moments = Moments::from_parts(parts?.try_into().ok()?);
            let ran = Ran {
                pnl: pnl.parse().ok()?,
                fills: fills.parse().ok()?,
                max_drawdown: max_drawdown.parse().ok()?,
                ratio: moments.sharpe(),
                moments,
            };
            Some((point.to_owned(), ran))
        };
        let (point, ran) = read().ok_or_else(|| {
            let line = at + 1;
            Failure::fault(format!("{}: line {line} is no finished point", path.display()))
        })?;
        known.insert(point, ran);
    }
    Ok((known, bytes as u64))
}
