//! `buttonwood replay`: the command line of the crate `replay`.

use std::path::PathBuf;

use ::replay::{Format, Recording, ReplayError};
use cli::Failure;

/// Replay recorded order flow, and report its results and its time
///
/// By default the whole engine runs: 1,000 accounts a side, client order ids, limits, fees and
/// events. The time covers the file's commands only, decoded before the measurement.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: buttonwood replay w1.obwl --latency")]
pub struct Replay {
    /// An OBWL workload, a LOBSTER message file, a DBN file of orders or an ITCH file; plain, gzip,
    /// zstd or xz
    file: PathBuf,
    /// Format of FILE [default: by its content and its name]
    #[arg(long)]
    format: Option<FormatArg>,
    /// Instrument of an ITCH file [default: the one with the most orders]
    #[arg(long)]
    symbol: Option<String>,
    /// Run the bare book, without accounts and events
    #[arg(long)]
    book_only: bool,
    /// Start from the levels in the first row of a LOBSTER book file, the state after message 0
    /// [default: an empty book]
    #[arg(long, value_name = "BOOKFILE")]
    seed_book: Option<PathBuf>,
    /// Finished orders and trades of each account that the engine keeps in memory
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "book_only")]
    kept: u32,
    /// Compare the book with a LOBSTER book file during the replay
    ///
    /// A file with a row for each message is compared row by row: row k-1 and message k must give
    /// row k at each known level. A file with one level and another number of rows has a row for
    /// each change of a best quote, and for each message of type 5 or 7. After a row that differs
    /// the book is made equal to it.
    #[arg(long, value_name = "BOOKFILE")]
    verify: Option<PathBuf>,
    /// Measure each command by itself; reading the clock adds to the time
    #[arg(long)]
    latency: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum FormatArg {
    Obwl,
    Lobster,
    Dbn,
    Itch,
}

impl Replay {
    pub fn run(self) -> Result<(), Failure> {
        let json = self.json;
        let replayed = ::replay::run(&self.recording()).map_err(|error| failure(&error))?;
        cli::print_line(if json { replayed.json() } else { replayed.summary() })
    }

    fn recording(self) -> Recording {
        let format = self.format.map(|format| match format {
            FormatArg::Obwl => Format::Obwl,
            FormatArg::Lobster => Format::Lobster,
            FormatArg::Dbn => Format::Dbn,
            FormatArg::Itch => Format::Itch,
        });
        Recording {
            file: self.file,
            format,
            symbol: self.symbol,
            book_only: self.book_only,
            seed_book: self.seed_book,
            kept: self.kept,
            verify: self.verify,
            latency: self.latency,
        }
    }
}

/// Names what the command line calls otherwise.
fn failure(error: &ReplayError) -> Failure {
    Failure::fault(match error {
        ReplayError::BookFileUnwanted => {
            "--seed-book and --verify go with LOBSTER message files only".to_owned()
        }
        ReplayError::File { .. } => error.to_string(),
    })
}
