//! `buttonwood projection`: status and rebuild of a venue's read model.

mod lag;
mod place;
mod publishers;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use cli::Failure;
use cli::moment::format_time;
use log::DataDirLock;
use projection::{Progress, Rebuilt};
use spool::Applied;
use venue::{Archive, Reply};

use self::lag::{Sink, Standing};
use self::place::Named;

#[derive(Args, Debug)]
pub struct Projection {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Rebuild(Rebuild),
    Status(Status),
}

#[derive(Args, Debug)]
struct Folder {
    /// Folder of the venue
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    #[command(flatten)]
    named: Named,
}

/// Rebuild the read model of a stopped venue from its log
///
/// The read model reaches back as far as the log. The old one stays until the new one is complete.
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood projection rebuild my-venue")]
struct Rebuild {
    #[command(flatten)]
    folder: Folder,

    /// Rebuild even if the old read model reaches farther back than the log
    #[arg(long)]
    forget: bool,
}

/// Print the commands and the rows that the read model has; the venue may run
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood projection status my-venue")]
struct Status {
    #[command(flatten)]
    folder: Folder,

    /// Print how far the read model and the publishers are behind the log, as JSON. This replays
    /// the log from the last snapshot before their positions on, and watches them for half a second
    #[arg(long)]
    json: bool,
}

/// What a read model holds.
#[derive(Debug)]
struct Held {
    schema_version: i32,
    progress: Progress,
    /// The first and the last command of each hole.
    gaps: Vec<(u64, u64)>,
    /// How many rows each table has, where counting them is quick.
    rows: Vec<(&'static str, u64)>,
    bytes: u64,
}

impl Projection {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.action {
            Action::Rebuild(rebuild) => rebuild.run(),
            Action::Status(status) if status.json => status.print_json(),
            Action::Status(status) => status.print(),
        }
    }
}

impl Rebuild {
    fn run(&self) -> Result<(), Failure> {
        let Folder { dir, named } = &self.folder;
        let place = named.place()?;
        let archive = Archive::open(dir)?;
        let _lock = DataDirLock::acquire(dir)?;
        let mut replay = archive.replay()?;
        let log_first_sequence = replay.place().sequence + 1;
        let steps = std::iter::from_fn(move || replay.step().transpose());
        let events = steps.flat_map(|step| match step {
            Ok(command) => all_of(command.reply).map(Ok).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        });
        let Rebuilt { first_sequence, last_sequence } =
            place::rebuild(&place, dir, log_first_sequence, events, self.forget)?;
        cli::print_line(format_args!(
            "the read model holds the events of commands {first_sequence} to {last_sequence}"
        ))
    }
}

/// The events of a command, with the rest of its work.
fn all_of(reply: Reply) -> impl Iterator<Item = Arc<Applied>> {
    std::iter::once(reply.applied).chain(reply.continued)
}

impl Status {
    fn print(&self) -> Result<(), Failure> {
        let Folder { dir, named } = &self.folder;
        let databases = place::databases(&named.place()?);
        for database in &databases {
            if databases.len() > 1 {
                cli::print_line(format_args!("{}", place::name(database)))?;
            }
            place::held(database, dir)?.print()?;
        }
        Ok(())
    }

    fn print_json(&self) -> Result<(), Failure> {
        let Folder { dir, named } = &self.folder;
        let databases = place::databases(&named.place()?);
        let standing = |database| match place::held(database, dir) {
            Ok(held) => Standing { position: Some(held.progress.sequence), reason: None },
            Err(error) => Standing { position: None, reason: Some(error.to_string()) },
        };
        let sink = |database| -> Sink<'_> {
            (place::name(database), Box::new(move || standing(database)))
        };
        let mut sinks: Vec<Sink<'_>> = databases.iter().map(sink).collect();
        sinks.extend(publishers::all(dir)?);
        let sinks = serde_json::Value::from(lag::of(&sinks, dir)?);
        cli::print_line(format_args!("{sinks:#}"))
    }
}

impl Held {
    fn print(self) -> Result<(), Failure> {
        let Self { schema_version, progress, gaps, rows, bytes } = self;
        let mut shown = format!("commands {} to {}\n", progress.first_sequence, progress.sequence);
        if progress.kept_since_ns > 0 {
            let time = format_time(progress.kept_since_ns);
            shown.push_str(&format!("deleted  what ended before {time}\n"));
        }
        let before = (progress.first_sequence > 1).then(|| (1, progress.first_sequence - 1));
        for (first, last) in before.into_iter().chain(gaps) {
            shown.push_str(&format!("missing  {first} to {last}\n"));
        }
        for (table, rows) in rows {
            shown.push_str(&format!("{table:<18} {rows}\n"));
        }
        cli::print_line(format_args!("{shown}schema {schema_version}, {bytes} bytes"))
    }
}
