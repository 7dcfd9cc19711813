//! The command line of the operations, built from their table.

use std::fmt;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, Error, FromArgMatches, Subcommand};
use cli::Failure;
use serde_json::Value;

use super::operations::{COMMANDS, Operation, named};

/// An operation that a command line names, and its arguments.
#[derive(Clone)]
pub(super) struct Chosen {
    pub(super) operation: &'static Operation,
    arguments: ArgMatches,
}

impl Chosen {
    pub(super) fn fields(mut self) -> Result<Value, Failure> {
        let line = self.operation.line.as_ref();
        let line = line.ok_or_else(|| Failure::fault("no command line has this operation"))?;
        (line.read)(&mut self.arguments)
    }
}

impl Subcommand for Chosen {
    fn augment_subcommands(command: Command) -> Command {
        let below = |(word, about, below): &(&'static str, &'static str, &[&'static str])| {
            if below.is_empty() {
                return leaf(word, word);
            }
            Command::new(*word)
                .subcommands(below.iter().map(|name| leaf(name, &format!("{word} {name}"))))
                .subcommand_required(true)
                .arg_required_else_help(true)
                .about(*about)
        };
        command.subcommands(COMMANDS.iter().map(below))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        COMMANDS.iter().any(|(word, ..)| *word == name)
    }
}

fn leaf(name: &'static str, words: &str) -> Command {
    let line = named(words).and_then(|operation| operation.line.as_ref());
    let line = line.expect("the table has each command");
    let about = line.about.split("\n\n").next();
    let long = line.about.contains("\n\n").then_some(line.about);
    (line.augment)(Command::new(name)).about(about).long_about(long)
}

impl FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (first, below) =
            matches.subcommand().ok_or(Error::new(ErrorKind::MissingSubcommand))?;
        let (words, arguments) = match below.subcommand() {
            Some((second, arguments)) => (format!("{first} {second}"), arguments),
            None => (first.to_owned(), below),
        };
        let operation = named(&words).ok_or(Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(Self { operation, arguments: arguments.clone() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Names the operation alone: its arguments may be anything.
impl fmt::Debug for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Chosen").field(&self.operation.words).finish()
    }
}
