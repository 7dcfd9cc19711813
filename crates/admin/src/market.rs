//! A market as a file: `buttonwood apply` and `buttonwood export market`.
//!
//! [`file`] reads entries from TOML, [`present`] reads the same entries from a venue, and [`plan`]
//! turns their difference into operations, those of `buttonwood admin`. [`kind`] lists the entries
//! and their keys.

mod binance;
mod carry_out;
mod file;
mod form;
mod kind;
mod login;
mod part;
mod plan;
mod present;
mod secrets;
mod write;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use cli::Failure;
use engine::Engine;
use serde_json::json;

use crate::market_shown::MarketShown;
use crate::operations::{Operation, named};
use crate::target::{Target, VenueArgs};
use crate::value::to_json;
use carry_out::carry_out;
use part::{Part, merge};
use plan::{Step, plan};
use present::Present;
use secrets::Secrets;

/// Bring a venue to the market that a file describes
///
/// The file (TOML) has assets, instruments with fees, rules and calendars, and accounts with
/// deposits, limits, API keys and logins, each by its name. The command shows the difference to the
/// venue, and carries it out after a question or with --yes. A second run finds no difference. A
/// key that the file does not have stays as it is, and nothing is removed unless the file says so.
/// docs/market-file.md lists all keys.
///
/// The venue may be running, or stopped. In an empty folder the command begins a venue.
#[derive(Args, Debug)]
#[command(
    after_help = "Example: buttonwood apply market.toml --data my-venue --secrets keys.jsonl"
)]
pub struct Apply {
    /// Market file, such as examples/market.toml
    #[arg(value_name = "FILE", required_unless_present = "exchange_info")]
    file: Option<PathBuf>,
    /// Binance's exchangeInfo (JSON), whose symbols become assets and instruments; where FILE has
    /// the same entry, its values win
    #[arg(long, value_name = "FILE")]
    exchange_info: Option<PathBuf>,
    /// Symbol of --exchange-info; may be repeated [default: all that trade]
    #[arg(long = "symbol", value_name = "SYMBOL", requires = "exchange_info")]
    symbols: Vec<String>,
    /// Carry the difference out without a question
    #[arg(long)]
    yes: bool,
    /// Show the difference, and change nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// File to which new keys and secrets of one-time codes are appended, a JSON object a line
    /// (made with mode 0600)
    /// [default: shown, once]
    #[arg(long, value_name = "FILE")]
    secrets: Option<PathBuf>,
    #[command(flatten)]
    of: VenueArgs,
}

/// Write a part of a venue to a file
#[derive(Args, Debug)]
pub struct Export {
    #[command(subcommand)]
    part: ExportPart,
}

#[derive(Debug, Subcommand)]
enum ExportPart {
    /// Print the market of a venue as a file for `buttonwood apply`: no secrets, no orders, no
    /// trades
    #[command(after_help = "Example: buttonwood export market --data my-venue > market.toml")]
    Market(VenueArgs),
}

impl Apply {
    pub fn run(self) -> Result<(), Failure> {
        let wanted = self.wanted()?;
        let mut target = Target::new(self.of)?;
        let present = present(&mut target)?;
        let steps = plan(&wanted, &present)?;
        for step in &steps {
            target.check(operation(step.words)?, &step.fields)?;
        }
        let place = target.place();
        if steps.is_empty() {
            return cli::print_line(format_args!("no difference to the venue {place}"));
        }
        let mut shown: String = steps.iter().map(|step| format!("{}\n", step.line)).collect();
        let count = steps.len();
        shown += &format!("{} to the venue {place}\n", counted(count, "difference"));
        cli::print(shown)?;
        if self.dry_run {
            return Ok(());
        }
        if !self.yes && !is_confirmed()? {
            return Err(Failure::new("nothing was changed"));
        }
        target.allow_to_begin();
        let has_secrets = steps.iter().any(Step::makes_secret);
        let mut secrets = Secrets::open(self.secrets.as_deref().filter(|_| has_secrets))?;
        carry_out(&mut target, steps, &mut secrets)?;
        let printed = cli::print_line(format_args!("applied {}", counted(count, "change")));
        secrets.check_shown()?;
        printed
    }
}

impl Apply {
    fn wanted(&self) -> Result<Vec<Part>, Failure> {
        let symbols = match &self.exchange_info {
            Some(file) => binance::read(file, &self.symbols)?,
            None => Vec::new(),
        };
        match &self.file {
            Some(file) => Ok(merge(symbols, file::read(file)?)),
            None => Ok(symbols),
        }
    }
}

impl Export {
    pub fn run(self) -> Result<(), Failure> {
        let ExportPart::Market(of) = self.part;
        let present = present(&mut Target::new(of)?)?;
        cli::print(write::write(&present))
    }
}

fn present(target: &mut Target) -> Result<Present, Failure> {
    let market = if target.is_empty()? {
        to_json(MarketShown::new(&Engine::default()))
    } else {
        target.ask(operation("market")?, json!({}))?
    };
    Present::read(&market)
}

fn operation(words: &str) -> Result<&'static Operation, Failure> {
    named(words).ok_or_else(|| Failure::fault(format!("no operation `{words}`")))
}

/// An end of the input is no confirmation.
fn is_confirmed() -> Result<bool, Failure> {
    cli::print("Carry it out? [y/N] ")?;
    let mut answer = String::new();
    if std::io::stdin().read_line(&mut answer)? == 0 {
        cli::print_line("")?;
    }
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
