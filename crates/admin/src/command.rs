//! The command line of the operations, built from their table.

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, Error, FromArgMatches, Subcommand};
use cli::Failure;
use serde_json::Value;

use super::operations::{COMMANDS, GROUPS, Line, Operation, named, text_of};

/// An operation that a command line names, and its arguments.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) operation: &'static Operation,
    line: &'static Line,
    arguments: ArgMatches,
}

impl Chosen {
    /// How its answer is printed, unless as JSON.
    pub(super) fn text(&self) -> Option<fn(&Value) -> String> {
        text_of(self.operation.words).filter(|_| !self.arguments.get_flag("json"))
    }

    pub(super) fn fields(mut self) -> Result<Value, Failure> {
        (self.line.read)(&mut self.arguments)
    }
}

impl Subcommand for Chosen {
    fn augment_subcommands(root: Command) -> Command {
        COMMANDS.split(", ").fold(root, |root, words| match words.split_once(' ') {
            None => root.subcommand(leaf(words, words)),
            Some((group, name)) if root.find_subcommand(group).is_some() => {
                root.mut_subcommand(group, |group| group.subcommand(leaf(name, words)))
            }
            Some((group, name)) => root.subcommand(
                Command::new(group)
                    .about(GROUPS.iter().find(|(name, _)| *name == group).map(|(_, about)| *about))
                    .subcommand(leaf(name, words))
                    .subcommand_required(true)
                    .arg_required_else_help(true),
            ),
        })
    }

    fn augment_subcommands_for_update(root: Command) -> Command {
        Self::augment_subcommands(root)
    }

    fn has_subcommand(name: &str) -> bool {
        COMMANDS.split(", ").any(|words| words.split(' ').next() == Some(name))
    }
}

fn leaf(name: &'static str, words: &str) -> Command {
    let (operation, line) = with_line(words).expect("the table has each command");
    let about = operation.about.split("\n\n").next();
    let long = operation.about.contains("\n\n").then_some(operation.about);
    (line.augment)(Command::new(name)).about(about).long_about(long)
}

fn with_line(words: &str) -> Option<(&'static Operation, &'static Line)> {
    named(words).and_then(|operation| Some((operation, operation.line.as_ref()?)))
}

impl FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (first, below) =
            matches.subcommand().ok_or(Error::new(ErrorKind::MissingSubcommand))?;
        let (words, arguments) = match below.subcommand() {
            Some((second, arguments)) => (format!("{first} {second}"), arguments),
            None => (first.to_owned(), below),
        };
        let (operation, line) =
            with_line(&words).ok_or(Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(Self { operation, line, arguments: arguments.clone() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
