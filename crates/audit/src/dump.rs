//! `buttonwood log dump`: the commands in the log.
//!
//! The log does not store sequences, so a replay from the last snapshot before the range counts
//! them.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use cli::Failure;
use cli::moment::{Range, format_time};
use cli::show::{Show, account_name, word};
use engine::Engine;
use serde_json::{Value, json};
use types::{Command, Describe, Described, Entry, Envelope, Event};
use venue::{Archive, ReplayedCommand};

#[derive(Args, Debug)]
#[command(
    after_help = "Example: buttonwood log dump my-venue --from 4711 --to 2026-11-21T16:30:00Z"
)]
pub(super) struct Dump {
    /// Folder of a venue, running or not, or of a backup
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    range: Range,
    /// Print one JSON object a line; 64-bit numbers, prices, quantities and amounts are strings
    #[arg(long)]
    json: bool,
}

impl Dump {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let range = self.range;
        range.check()?;
        let archive = Archive::open(&self.dir)?;
        let mut replay = range.begin(&archive)?;
        let mut out = BufWriter::new(std::io::stdout().lock());
        while range.goes_on(&mut replay)? {
            let step = replay.step()?.expect("the range goes on");
            let line = if self.json {
                json_line(&step, replay.engine()).to_string()
            } else {
                text_line(&step, replay.engine())
            };
            if !cli::is_read(writeln!(out, "{line}"))? {
                return Ok(());
            }
        }
        cli::is_read(out.flush()).map(drop)
    }
}

pub(super) fn json_line(step: &ReplayedCommand, engine: &Engine) -> Value {
    let Entry { envelope, command } = &step.entry;
    let Envelope { account, key, session, client_seq, origin, received_ns, retry_key, address } =
        envelope;
    let (name, fields) = taken_apart(command);
    json!({
        "sequence": step.reply.applied.sequence,
        "last_sequence": last_sequence(step),
        "batch": step.batch_number,
        "time": format_time(step.sequenced_ns),
        "sequenced_ns": step.sequenced_ns.to_string(),
        "origin": word(origin),
        "account": account_name(engine, *account),
        "key": key.0,
        "address": address.map(|address| address.to_string()),
        "session": session.0.to_string(),
        "client_seq": client_seq.to_string(),
        "received_ns": received_ns.to_string(),
        "retry_key": Show::new(engine).json(&retry_key.describe()),
        "command": name,
        "fields": Show::new(engine).json(&fields),
        "rejected": rejected(step),
    })
}

fn text_line(step: &ReplayedCommand, engine: &Engine) -> String {
    let Entry { envelope, command } = &step.entry;
    let (name, fields) = taken_apart(command);
    let mut line = format!(
        "{} {} {} {} {name}",
        step.reply.applied.sequence,
        format_time(step.sequenced_ns),
        word(&envelope.origin),
        account_name(engine, envelope.account),
    );
    Show::new(engine).text("", &fields, &mut line);
    if let Some(reason) = rejected(step) {
        line.extend([" rejected=", reason]);
    }
    line
}

fn taken_apart(command: &Command) -> (&'static str, Described) {
    match command.describe() {
        Described::Choice(name, record) => (name, *record),
        other => unreachable!("a command is a choice, not {other:?}"),
    }
}

/// A large command's work goes on in steps, which are counted like commands and are not in the log.
fn last_sequence(step: &ReplayedCommand) -> u64 {
    step.reply.continued.last().unwrap_or(&step.reply.applied).sequence
}

fn rejected(step: &ReplayedCommand) -> Option<&'static str> {
    step.reply.events().find_map(|event| match event {
        Event::CommandRejected(rejected) => Some(word(&rejected.reason)),
        _ => None,
    })
}
