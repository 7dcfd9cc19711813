//! Replay of recorded order flow through the matching, with checks against the record and times.
//!
//! `obwl.rs`, `lobster.rs` or `dbn.rs` decodes a file into a [`plan::Plan`], which has every
//! command; `itch.rs` makes messages of LOBSTER first. [`watch::Watch`] times a target that carries
//! the plan out: the bare book (`bare.rs`) or the whole engine (`whole.rs`). `verify.rs` compares
//! books with recorded ones on the way, and `report.rs` describes the results. A library without a
//! command line: its caller prints.
//!
//! # Invariants
//! - Both targets give the same results for the same file.
//! - Only commands of the flow are timed: not decoding, prefill, corrections or comparisons.

mod bare;
mod dbn;
mod itch;
mod lobster;
pub mod market;
mod obwl;
mod plan;
mod report;
mod stack;
mod target;
mod verify;
mod watch;
mod whole;

use std::fmt;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use engine::Engine;
pub use recorded::Format;
use recorded::Input;
use recorded::lobster::BookRow;
use recorded::obwl::Workload;
use thiserror::Error;

use self::bare::Bare;
pub use self::obwl::PlanError;
use self::plan::Plan;
use self::report::Report;
pub use self::report::Speed;
use self::stack::Stack;
use self::target::Target;
use self::verify::{BookFile, Outcome};
use self::watch::Watch;
pub use self::whole::ACCOUNTS_A_SIDE;
use self::whole::Whole;

/// A recorded flow, and the options of its replay.
#[derive(Clone, Debug)]
pub struct Recording {
    pub file: PathBuf,
    /// `None`: detected from the file's content and name.
    pub format: Option<Format>,
    /// Of a file with several instruments; `None` is the one with the most orders.
    pub symbol: Option<String>,
    /// The bare book instead of the whole engine: no accounts, no events.
    pub book_only: bool,
    /// LOBSTER book file whose first row is the book at the start of the flow.
    pub seed_book: Option<PathBuf>,
    /// Limit of the finished orders and trades that the engine keeps for each account.
    pub kept: u32,
    /// LOBSTER book file that the book is compared with.
    pub verify: Option<PathBuf>,
    /// Whether to time each command by itself.
    pub latency: bool,
}

/// A replayed flow with its report.
#[derive(Debug)]
pub struct Replayed {
    plan: Plan,
    report: Report,
    book_only: bool,
}

/// The reason for which a replay failed.
#[derive(Debug, Error)]
pub enum ReplayError {
    #[error("{path}: {reason}")]
    File { path: PathBuf, reason: String },
    /// A book file for a format without book files.
    #[error("only LOBSTER message files have book files")]
    BookFileUnwanted,
}

impl ReplayError {
    fn file(path: &Path, reason: impl fmt::Display) -> Self {
        Self::File { path: path.into(), reason: reason.to_string() }
    }
}

impl Replayed {
    /// The report as one JSON object.
    pub fn json(&self) -> String {
        self.report.json()
    }

    /// The report as lines for a person.
    pub fn summary(&self) -> String {
        self.report.summary(&self.plan, self.book_only)
    }
}

pub fn run(recording: &Recording) -> Result<Replayed, ReplayError> {
    let plan = decode(recording)?;
    let mut watch = Watch::new(recording.latency);
    let report = if recording.book_only {
        execute(Bare::new(plan.instrument_count), &plan, &mut watch)
    } else {
        execute(Whole::new(&plan, ACCOUNTS_A_SIDE, recording.kept), &plan, &mut watch)
    };
    Ok(Replayed { plan, report, book_only: recording.book_only })
}

/// Replays a workload in memory. The engine keeps no finished orders and trades.
pub fn measure(workload: &Workload, book_only: bool) -> Result<Speed, PlanError> {
    let plan = obwl::plan(workload)?;
    let mut watch = Watch::new(false);
    let report = if book_only {
        execute(Bare::new(plan.instrument_count), &plan, &mut watch)
    } else {
        execute(Whole::new(&plan, ACCOUNTS_A_SIDE, 0), &plan, &mut watch)
    };
    Ok(report.speed())
}

/// The same for the whole engine with `accounts_a_side` accounts on each side.
pub fn measure_with(workload: &Workload, accounts_a_side: u32) -> Result<Speed, PlanError> {
    let plan = obwl::plan(workload)?;
    let target = Whole::new(&plan, accounts_a_side, 0);
    Ok(execute(target, &plan, &mut Watch::new(false)).speed())
}

/// A part of the engine on top of the parts before it, or all of the engine.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub name: &'static str,
    pub speed: Speed,
}

/// Replays a workload through the bare book, the stack of the engine's parts at each height, and
/// the whole engine, in turn.
pub fn measure_parts(workload: &Workload) -> Result<Vec<Part>, PlanError> {
    const A_SIDE: u32 = ACCOUNTS_A_SIDE;
    let plan = &obwl::plan(workload)?;
    let part = |name, report: Report| Part { name, speed: report.speed() };
    let watch = || Watch::new(false);
    Ok(vec![
        part("book", execute(Bare::new(plan.instrument_count), plan, &mut watch())),
        part(
            "records",
            execute(Stack::<{ Engine::STACK_RECORDS }>::new(plan, A_SIDE), plan, &mut watch()),
        ),
        part(
            "holds",
            execute(Stack::<{ Engine::STACK_HOLDS }>::new(plan, A_SIDE), plan, &mut watch()),
        ),
        part(
            "fees",
            execute(Stack::<{ Engine::STACK_FEES }>::new(plan, A_SIDE), plan, &mut watch()),
        ),
        part(
            "events",
            execute(Stack::<{ Engine::STACK_EVENTS }>::new(plan, A_SIDE), plan, &mut watch()),
        ),
        part("engine", execute(Whole::new(plan, A_SIDE, 0), plan, &mut watch())),
    ])
}

fn decode(recording: &Recording) -> Result<Plan, ReplayError> {
    let (format, input) = open(recording)?;
    let at_file = |reason: &dyn fmt::Display| ReplayError::file(&recording.file, reason);
    match format {
        Format::Obwl => {
            if recording.seed_book.is_some() || recording.verify.is_some() {
                return Err(ReplayError::BookFileUnwanted);
            }
            let workload = recorded::obwl::read(input).map_err(|error| at_file(&error))?;
            if workload.records.is_empty() {
                return Err(at_file(&"the header states no records: there is nothing to replay"));
            }
            obwl::plan(&workload).map_err(|error| at_file(&error))
        }
        Format::Lobster => {
            let messages: Vec<_> = recorded::lobster::messages(input)
                .collect::<Result<_, _>>()
                .map_err(|error| at_file(&error))?;
            if messages.is_empty() {
                return Err(at_file(&"the file has no messages: there is nothing to replay"));
            }
            let seed = recording.seed_book.as_deref().map(first_row).transpose()?;
            let path = recording.verify.as_deref();
            // Only a book file can be wrong beside its messages.
            let wrong = |error| ReplayError::file(path.unwrap_or(&recording.file), error);
            let rows = path.map(book_rows).transpose()?;
            let book = rows.map(|rows| BookFile::new(rows, messages.len()).map_err(wrong));
            lobster::plan(&messages, seed, book.transpose()?).map_err(wrong)
        }
        Format::Dbn => {
            if recording.seed_book.is_some() || recording.verify.is_some() {
                return Err(ReplayError::BookFileUnwanted);
            }
            let records = recorded::dbn::records(input).map_err(|error| at_file(&error))?;
            let records =
                records.collect::<Result<Vec<_>, _>>().map_err(|error| at_file(&error))?;
            if records.is_empty() {
                return Err(at_file(&"the file has no records: there is nothing to replay"));
            }
            dbn::plan(&records).map_err(|error| at_file(&error))
        }
        Format::Itch => {
            if recording.seed_book.is_some() || recording.verify.is_some() {
                return Err(ReplayError::BookFileUnwanted);
            }
            let messages = itch::messages(&recording.file, recording.symbol.as_deref());
            let messages = messages.map_err(|error| at_file(&error))?;
            if messages.is_empty() {
                return Err(at_file(&"the file has no orders: there is nothing to replay"));
            }
            let plan = lobster::plan(&messages, None, None).map_err(|error| at_file(&error))?;
            Ok(Plan { format, ..plan })
        }
        other => Err(at_file(&format_args!(
            "the file has {} data, which has no flow of orders: expected OBWL, LOBSTER messages, \
             DBN orders or ITCH",
            other.name()
        ))),
    }
}

fn open(recording: &Recording) -> Result<(Format, Input), ReplayError> {
    let path = &recording.file;
    let Some(format) = recording.format else {
        return recorded::open_detected(path).map_err(|error| ReplayError::file(path, error));
    };
    let at_file = |error| ReplayError::file(path, error);
    let mut input = recorded::open(path).map_err(at_file)?;
    if input.fill_buf().map_err(at_file)?.is_empty() {
        return Err(ReplayError::file(path, "the file is empty"));
    }
    Ok((format, input))
}

fn first_row(path: &Path) -> Result<BookRow, ReplayError> {
    let input = recorded::open(path).map_err(|error| ReplayError::file(path, error))?;
    let row = recorded::lobster::book_rows(input).next();
    let row = row.ok_or_else(|| ReplayError::file(path, "the book file has no rows"))?;
    row.map_err(|error| ReplayError::file(path, error))
}

fn book_rows(path: &Path) -> Result<Vec<BookRow>, ReplayError> {
    let input = recorded::open(path).map_err(|error| ReplayError::file(path, error))?;
    let rows = recorded::lobster::book_rows(input).collect::<Result<_, _>>();
    rows.map_err(|error| ReplayError::file(path, error))
}

fn execute<T: Target>(mut target: T, plan: &Plan, watch: &mut Watch) -> Report {
    let mut outcome = Outcome::default();
    let mut start = 0;
    for stretch in &plan.stretches {
        watch.set_timed(stretch.timed);
        target.execute(&plan.steps[start..stretch.end], watch);
        start = stretch.end;
        if let (Some(check), Some(book)) = (stretch.check, &plan.book) {
            let levels = |side, depth| target.levels(0, side, depth);
            outcome.record(book, check, levels, plan.price_unit);
        }
    }
    Report::new(plan, &target, watch, outcome)
}
