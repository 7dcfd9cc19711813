//! Recordings on a command line.

use clap::{Args, ValueEnum};
use recorded::{Day, Format, Options, Recording, Stream, StreamError};
use types::Increment;

use cli::Failure;

/// How files are read.
#[derive(Args, Clone, Debug)]
pub(crate) struct Reading {
    /// Format of the files [default: by content and name]
    #[arg(long)]
    format: Option<FormatArg>,
    /// Size of a tick, such as 0.01 [default: by the file, or the decimals of its first prices]
    #[arg(long, value_parser = increment)]
    tick: Option<Increment>,
    /// Size of a lot, such as 0.001 [default: by the file, or the decimals of its first quantities]
    #[arg(long, value_parser = increment)]
    lot: Option<Increment>,
    /// Day of files whose times count since midnight [default: by the file's name]
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    date: Option<Day>,
    /// Leave wrong rows out and go on over gaps, and count both, instead of ending at the first
    #[arg(long)]
    lenient: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArg {
    Obwl,
    Lobster,
    Dbn,
    Itch,
    Depth,
    Npz,
    Trades,
    Lean,
    Bars,
    Bwd,
}

impl Reading {
    pub(crate) fn open(&self, files: &[Recording]) -> Result<Stream, Failure> {
        self.stream(files).map_err(|error| Failure::fault(error.to_string()))
    }

    /// The same with the error as it is.
    pub(crate) fn stream(&self, files: &[Recording]) -> Result<Stream, StreamError> {
        let options = Options {
            format: self.format.map(FormatArg::format),
            tick: self.tick,
            lot: self.lot,
            day: self.date,
            lenient: self.lenient,
        };
        Stream::open(files, &options)
    }
}

impl FormatArg {
    fn format(self) -> Format {
        match self {
            Self::Obwl => Format::Obwl,
            Self::Lobster => Format::Lobster,
            Self::Dbn => Format::Dbn,
            Self::Itch => Format::Itch,
            Self::Depth => Format::Depth,
            Self::Npz => Format::Npz,
            Self::Trades => Format::Trades,
            Self::Lean => Format::Lean,
            Self::Bars => Format::Bars,
            Self::Bwd => Format::Columnar,
        }
    }
}

/// `FILE`, or `NAME=FILE` with the name of the instrument.
pub(crate) fn recording(text: &str) -> Result<Recording, String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !name.contains('/') && !path.is_empty() => {
            Ok(Recording { path: path.into(), name: Some(name.to_owned()) })
        }
        _ => Ok(Recording { path: text.into(), name: None }),
    }
}

fn increment(text: &str) -> Result<Increment, String> {
    Increment::parse(text).ok_or_else(|| "expected a decimal above zero, such as 0.01".to_owned())
}

fn day(text: &str) -> Result<Day, String> {
    Day::parse(text).ok_or_else(|| "expected a day, such as 2024-08-08".to_owned())
}
