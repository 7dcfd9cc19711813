//! Recorded order flow through the matching, checked against the record, with the time it takes.
//!
//! The way of a file: `obwl.rs`, `lobster.rs` or `dbn.rs` decodes it into a [`plan::Plan`], which knows every
//! command beforehand; [`watch::Watch`] times a target that carries the plan out, either the bare
//! book (`bare.rs`) or the whole engine (`whole.rs`); `verify.rs` compares books with recorded
//! ones on the way; `report.rs` is the result. A library without a command line: its caller prints.
//!
//! # Invariants
//! - Both targets give the same results for the same file.
//! - Only commands of the flow are timed: not decoding, prefilling, correcting or comparing.

mod bare;
mod dbn;
mod lobster;
mod obwl;
mod plan;
mod report;
mod target;
mod verify;
mod watch;
mod whole;

use std::fmt;
use std::path::{Path, PathBuf};

pub use recorded::Format;
use recorded::Input;
use recorded::lobster::BookRow;
use recorded::obwl::Workload;

use self::bare::Bare;
pub use self::obwl::PlanError;
use self::plan::Plan;
use self::report::Report;
pub use self::report::Speed;
use self::target::Target;
use self::verify::Outcome;
use self::watch::Watch;
pub use self::whole::ACCOUNTS_A_SIDE;
use self::whole::Whole;

/// A recorded flow, and how it is to be replayed.
#[derive(Clone, Debug)]
pub struct Recording {
    pub file: PathBuf,
    /// `None`: recognised by the file's content and its name.
    pub format: Option<Format>,
    /// The bare book instead of the whole engine: no accounts, no events.
    pub book_only: bool,
    /// LOBSTER book file, of which the first row is the book before the flow.
    pub seed_book: Option<PathBuf>,
    /// Finished orders and trades that the engine keeps of each account.
    pub kept: u32,
    /// LOBSTER book file that the book is compared with on the way.
    pub verify: Option<PathBuf>,
    /// Time each command by itself.
    pub latency: bool,
}

/// A flow that was carried out.
#[derive(Debug)]
pub struct Replayed {
    plan: Plan,
    report: Report,
    book_only: bool,
}

/// Why a replay came to nothing.
#[derive(Debug)]
pub enum ReplayError {
    File {
        path: PathBuf,
        reason: String,
    },
    /// A book file with a format that has none.
    BookFileUnwanted,
}

impl ReplayError {
    fn file(path: &Path, reason: impl fmt::Display) -> Self {
        Self::File { path: path.into(), reason: reason.to_string() }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, reason } => write!(f, "{}: {reason}", path.display()),
            Self::BookFileUnwanted => f.write_str("only LOBSTER message files have book files"),
        }
    }
}

impl std::error::Error for ReplayError {}

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
    let report = match recording.book_only {
        true => carry_out(Bare::new(plan.instrument_count), &plan, &mut watch),
        false => carry_out(Whole::new(&plan, ACCOUNTS_A_SIDE, recording.kept), &plan, &mut watch),
    };
    Ok(Replayed { plan, report, book_only: recording.book_only })
}

/// Replays a workload that is in memory. The engine keeps nothing of what is finished.
pub fn measure(workload: &Workload, book_only: bool) -> Result<Speed, PlanError> {
    let plan = obwl::plan(workload)?;
    let mut watch = Watch::new(false);
    let report = match book_only {
        true => carry_out(Bare::new(plan.instrument_count), &plan, &mut watch),
        false => carry_out(Whole::new(&plan, ACCOUNTS_A_SIDE, 0), &plan, &mut watch),
    };
    Ok(report.speed())
}

/// The same for the whole engine with so many accounts a side.
pub fn measure_with(workload: &Workload, accounts_a_side: u32) -> Result<Speed, PlanError> {
    let plan = obwl::plan(workload)?;
    let target = Whole::new(&plan, accounts_a_side, 0);
    Ok(carry_out(target, &plan, &mut Watch::new(false)).speed())
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
            obwl::plan(&workload).map_err(|error| at_file(&error))
        }
        Format::Lobster => {
            let messages: Vec<_> = recorded::lobster::messages(input)
                .collect::<Result<_, _>>()
                .map_err(|error| at_file(&error))?;
            let seed = recording.seed_book.as_deref().map(first_row).transpose()?;
            let verify = recording.verify.as_deref().map(|path| (path, book_rows(path)));
            let book = match verify {
                None => None,
                Some((path, rows)) => Some(
                    verify::BookFile::new(rows?, messages.len())
                        .map_err(|error| ReplayError::file(path, error))?,
                ),
            };
            Ok(lobster::plan(&messages, seed, book))
        }
        Format::Dbn => {
            if recording.seed_book.is_some() || recording.verify.is_some() {
                return Err(ReplayError::BookFileUnwanted);
            }
            let records = recorded::dbn::records(input).map_err(|error| at_file(&error))?;
            let records =
                records.collect::<Result<Vec<_>, _>>().map_err(|error| at_file(&error))?;
            dbn::plan(&records).map_err(|error| at_file(&error))
        }
    }
}

fn open(recording: &Recording) -> Result<(Format, Input), ReplayError> {
    let path = &recording.file;
    let Some(format) = recording.format else {
        return recorded::open_detected(path).map_err(|error| ReplayError::file(path, error));
    };
    let input = recorded::open(path).map_err(|error| ReplayError::file(path, error))?;
    Ok((format, input))
}

fn first_row(path: &Path) -> Result<BookRow, ReplayError> {
    let input = recorded::open(path).map_err(|error| ReplayError::file(path, error))?;
    let row = recorded::lobster::book_rows(input).next();
    let row = row.ok_or_else(|| ReplayError::file(path, "the book file has no row"))?;
    row.map_err(|error| ReplayError::file(path, error))
}

fn book_rows(path: &Path) -> Result<Vec<BookRow>, ReplayError> {
    let input = recorded::open(path).map_err(|error| ReplayError::file(path, error))?;
    let rows = recorded::lobster::book_rows(input).collect::<Result<_, _>>();
    rows.map_err(|error| ReplayError::file(path, error))
}

fn carry_out<T: Target>(mut target: T, plan: &Plan, watch: &mut Watch) -> Report {
    let mut outcome = Outcome::default();
    let mut start = 0;
    for stretch in &plan.stretches {
        watch.set_timed(stretch.timed);
        target.carry_out(&plan.steps[start..stretch.end], watch);
        start = stretch.end;
        if let (Some(check), Some(book)) = (stretch.check, &plan.book) {
            let levels = |side, depth| target.levels(0, side, depth);
            outcome.record(book, check, levels, plan.price_unit);
        }
    }
    Report::new(plan, &target, watch, outcome)
}
