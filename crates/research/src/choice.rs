//! Strategies and their parameters on a command line.

use std::path::{Path, PathBuf};

use clap::Args;
use cli::Failure;
use strategy::Fees;
use strategy::job::{self, AccountJob};

use crate::rules;

/// A strategy.
#[derive(Args, Clone, Debug)]
pub(crate) struct Choice {
    /// Name of a built-in strategy; `--strategy help` lists them with their parameters
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: String,
    #[command(flatten)]
    params: Params,
}

/// Strategies, each in an account of its own.
#[derive(Args, Clone, Debug)]
pub(crate) struct Accounts {
    /// Name of a built-in strategy; `--strategy help` lists them with their parameters. Given
    /// again, each trades in an account of its own, by the name before the `=` or the strategy's
    #[arg(long = "strategy", required = true, value_name = "[ACCOUNT=]NAME", value_parser = account)]
    strategies: Vec<(String, String)>,
    /// Fee rates of one account in basis points, in place of --maker-fee-bps and --taker-fee-bps
    #[arg(long = "fees", value_name = "ACCOUNT=MAKER,TAKER", value_parser = fees)]
    fees: Vec<(String, Fees)>,
    #[command(flatten)]
    params: Params,
}

/// Parameters of strategies.
#[derive(Args, Clone, Debug)]
struct Params {
    /// A parameter of the strategy; of several, in each that has it, or ACCOUNT.KEY=VALUE in one
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// TOML file with parameters, one `key = value` a line; --set comes after it
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
}

impl Choice {
    /// Whether the list of strategies is asked for.
    pub(crate) fn is_help(&self) -> bool {
        self.strategy == "help"
    }

    pub(crate) fn account(&self) -> Result<AccountJob, Failure> {
        let mut account = [new_account("", &self.strategy)?];
        self.params.apply(&mut account)?;
        let [account] = account;
        Ok(account)
    }
}

impl Accounts {
    pub(crate) fn is_help(&self) -> bool {
        self.strategies.iter().any(|(_, strategy)| strategy == "help")
    }

    pub(crate) fn read(&self) -> Result<Vec<AccountJob>, Failure> {
        let mut accounts: Vec<AccountJob> = Vec::new();
        for (name, strategy) in &self.strategies {
            let account = new_account(name, strategy)?;
            if accounts.iter().any(|other| other.name == *name) {
                return Err(Failure::fault(format!(
                    "two accounts are called {name:?}: name one with ACCOUNT={strategy}"
                )));
            }
            accounts.push(account);
        }
        self.params.apply(&mut accounts)?;
        for (name, fees) in &self.fees {
            let account = job::find(&mut accounts, name)
                .map_err(|error| Failure::fault(error.to_string()))?;
            if account.fees.replace(*fees).is_some() {
                return Err(Failure::fault(format!("--fees has account {name:?} twice")));
            }
        }
        Ok(accounts)
    }
}

impl Params {
    fn apply(&self, accounts: &mut [AccountJob]) -> Result<(), Failure> {
        let has_tables = accounts.len() > 1;
        let from_file = self.params.as_deref().map(|path| read(path, has_tables)).transpose()?;
        for (key, value) in from_file.iter().flatten().chain(&self.set) {
            set(accounts, key, value)?;
        }
        Ok(())
    }
}

/// Sets a parameter, with a failure for a person.
pub(crate) fn set(accounts: &mut [AccountJob], key: &str, value: &str) -> Result<(), Failure> {
    job::set(accounts, key, value).map_err(|error| Failure::fault(error.to_string()))
}

fn new_account(name: &str, strategy: &str) -> Result<AccountJob, Failure> {
    AccountJob::new(name, strategy).map_err(|error| Failure::fault(error.to_string()))
}

/// `key = value` a line, of several accounts in a table each; `#` begins a comment. Quotes around a
/// value are dropped.
fn read(path: &Path, has_tables: bool) -> Result<Vec<(String, String)>, Failure> {
    let at_file = |reason: &str| Failure::fault(format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| at_file(&error.to_string()))?;
    let table: toml_edit::DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(before).filter(|byte| *byte == b'\n').count();
        let fault: Vec<_> = error.message().lines().collect();
        at_file(&format!("line {line}: {}", fault.join(" ")))
    })?;
    let mut pairs = Vec::new();
    for (key, item) in table.iter() {
        let of_account = item.as_table_like().filter(|_| has_tables);
        if let Some(value) = item.as_value().and_then(plain) {
            pairs.push((key.to_owned(), value));
        } else if let Some(of_account) = of_account {
            for (name, item) in of_account.iter() {
                let value = item.as_value().and_then(plain);
                let value = value.ok_or_else(|| at_file("parameters are values"))?;
                pairs.push((format!("{key}.{name}"), value));
            }
        } else {
            return Err(at_file("it has tables, but parameters are values"));
        }
    }
    Ok(pairs)
}

fn plain(value: &toml_edit::Value) -> Option<String> {
    if value.is_inline_table() || value.is_array() {
        return None;
    }
    Some(value.as_str().map_or_else(|| value.to_string().trim().to_owned(), str::to_owned))
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}

fn fees(text: &str) -> Result<(String, Fees), String> {
    let (name, rates) = text.split_once('=').ok_or("expected ACCOUNT=MAKER,TAKER")?;
    Ok((name.to_owned(), rules::rates(rates)?))
}

/// The name of an account is a folder's name and a part of a key.
fn account(text: &str) -> Result<(String, String), String> {
    let (name, strategy) = text.split_once('=').unwrap_or((text, text));
    let is_plain = |of: char| of.is_ascii_alphanumeric() || matches!(of, '-' | '_');
    if text.contains('=') && (name.is_empty() || !name.chars().all(is_plain)) {
        return Err("the name of an account has letters, digits, - and _".to_owned());
    }
    Ok((name.to_owned(), strategy.to_owned()))
}
