//! `buttonwood replay`: recorded order flow through the matching, with the time it takes.
//!
//! The way of a file: `obwl.rs`, `lobster.rs` or `dbn.rs` decodes it into a [`plan::Plan`], which knows every
//! command beforehand; [`watch::Watch`] times a target that carries the plan out, either the bare
//! book (`bare.rs`) or the whole engine (`whole.rs`); `verify.rs` compares books with recorded
//! ones on the way; `report.rs` prints what came out.
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
use std::io::Write;
use std::path::{Path, PathBuf};

use recorded::lobster::BookRow;
use recorded::obwl::Workload;
use recorded::{Format, Input};

use self::bare::Bare;
use self::plan::Plan;
use self::report::Report;
use self::target::Target;
use self::verify::Outcome;
use self::watch::Watch;
pub(crate) use self::whole::ACCOUNTS_A_SIDE;
use self::whole::Whole;
use crate::failure::Failure;

/// Replay recorded order flow and report what it led to and how long it took.
///
/// Unless told otherwise the whole engine runs: 1,000 accounts a side, client order ids, limits and
/// fees on, events produced. The time covers the file's commands only, decoded beforehand.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An OBWL workload, a LOBSTER message file or a DBN file of orders; plain, gzip, zstd or xz.
    file: PathBuf,
    /// What FILE is [default: told by its content and its name].
    #[arg(long)]
    format: Option<FormatArg>,
    /// Run the bare book: no accounts, no events.
    #[arg(long)]
    book_only: bool,
    /// Start from the levels in the first row of a LOBSTER book file, the state after message 0.
    #[arg(long, value_name = "BOOKFILE")]
    seed_book: Option<PathBuf>,
    /// Finished orders and trades that the engine keeps of each account, beside the read model's.
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "book_only")]
    kept: u32,
    /// Compare the book with a LOBSTER book file on the way.
    ///
    /// A file with a row for each message is compared row by row: row k-1 and message k must give
    /// row k at every level that is known. A file with one level and another number of rows has
    /// a row for each change of a best quote, and for each message of type 5 or 7.
    /// After a row that differs the book is made equal to it.
    #[arg(long, value_name = "BOOKFILE")]
    verify: Option<PathBuf>,
    /// Time each command by itself. Reading the clock adds to the time it takes.
    #[arg(long)]
    latency: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum FormatArg {
    Obwl,
    Lobster,
    Dbn,
}

/// Why a replay came to nothing.
#[derive(Debug)]
pub(crate) enum ReplayError {
    File {
        path: PathBuf,
        reason: String,
    },
    /// `--seed-book` or `--verify` with a format that has no book files.
    BookFileUnwanted,
    Output(std::io::Error),
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
            Self::BookFileUnwanted => {
                f.write_str("--seed-book and --verify go with LOBSTER message files only")
            }
            Self::Output(error) => write!(f, "cannot print the result: {error}"),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), ReplayError> {
    let plan = decode(args)?;
    let mut watch = Watch::new(args.latency);
    let report = match args.book_only {
        true => carry_out(Bare::new(plan.instrument_count), &plan, &mut watch),
        false => carry_out(Whole::new(&plan, ACCOUNTS_A_SIDE, args.kept), &plan, &mut watch),
    };
    let mut text = match args.json {
        true => report.json(),
        false => report.summary(&plan, args.book_only),
    };
    text.push('\n');
    std::io::stdout().write_all(text.as_bytes()).map_err(ReplayError::Output)
}

/// How fast a workload was carried out, and what came of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    pub(crate) commands: u64,
    pub(crate) commands_per_s: f64,
    pub(crate) trades: u64,
    pub(crate) rejected: u64,
}

/// Replays a workload that is in memory. The engine keeps nothing of what is finished.
pub(crate) fn measure(workload: &Workload, book_only: bool) -> Result<Speed, Failure> {
    let plan = obwl::plan(workload).map_err(|error| Failure::fault(error.to_string()))?;
    let mut watch = Watch::new(false);
    let report = match book_only {
        true => carry_out(Bare::new(plan.instrument_count), &plan, &mut watch),
        false => carry_out(Whole::new(&plan, ACCOUNTS_A_SIDE, 0), &plan, &mut watch),
    };
    Ok(report.speed())
}

/// The same for the whole engine with so many accounts a side.
pub(crate) fn measure_with(workload: &Workload, accounts_a_side: u32) -> Result<Speed, Failure> {
    let plan = obwl::plan(workload).map_err(|error| Failure::fault(error.to_string()))?;
    let target = Whole::new(&plan, accounts_a_side, 0);
    Ok(carry_out(target, &plan, &mut Watch::new(false)).speed())
}

fn decode(args: &Args) -> Result<Plan, ReplayError> {
    let (format, input) = open(args)?;
    let at_file = |reason: &dyn fmt::Display| ReplayError::file(&args.file, reason);
    match format {
        Format::Obwl => {
            if args.seed_book.is_some() || args.verify.is_some() {
                return Err(ReplayError::BookFileUnwanted);
            }
            let workload = recorded::obwl::read(input).map_err(|error| at_file(&error))?;
            obwl::plan(&workload).map_err(|error| at_file(&error))
        }
        Format::Lobster => {
            let messages: Vec<_> = recorded::lobster::messages(input)
                .collect::<Result<_, _>>()
                .map_err(|error| at_file(&error))?;
            let seed = args.seed_book.as_deref().map(first_row).transpose()?;
            let verify = args.verify.as_deref().map(|path| (path, book_rows(path)));
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
            if args.seed_book.is_some() || args.verify.is_some() {
                return Err(ReplayError::BookFileUnwanted);
            }
            let records = recorded::dbn::records(input).map_err(|error| at_file(&error))?;
            let records =
                records.collect::<Result<Vec<_>, _>>().map_err(|error| at_file(&error))?;
            dbn::plan(&records).map_err(|error| at_file(&error))
        }
    }
}

fn open(args: &Args) -> Result<(Format, Input), ReplayError> {
    let path = &args.file;
    let format = match args.format {
        None => {
            return recorded::open_detected(path).map_err(|error| ReplayError::file(path, error));
        }
        Some(FormatArg::Obwl) => Format::Obwl,
        Some(FormatArg::Lobster) => Format::Lobster,
        Some(FormatArg::Dbn) => Format::Dbn,
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
