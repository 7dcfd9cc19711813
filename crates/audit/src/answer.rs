//! `buttonwood log answer`: answers a running venue's questions about its folder, one after the
//! other, for as long as the venue keeps its standard input open.
//!
//! The venue starts it, so that replays of the log use neither its threads nor its memory. It ends
//! when its input ends, also in the middle of a replay: a venue that was killed wants no answer.
//!
//! The position of the last state is kept: a question about a later moment goes on from there.
//!
//! # Known limits
//! A state earlier than the kept one is replayed from a snapshot.

mod commands;
mod give_way;

use std::io::{BufRead, Write, stdin, stdout};
use std::path::PathBuf;
use std::process::exit;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use clap::Args;
use cli::log_question::{AnswerHead, LogQuestion, Outcome, StateQuestion, TEXT_LEN_MAX};
use cli::moment::{Moment, go_on_to, replay_in_until};
use cli::{Cause, Failure};
use venue::Replay;

use crate::state;

/// Answer questions of a running venue
#[derive(Args, Debug)]
pub(super) struct Answer {
    /// Folder of the venue
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Answer {
    pub(super) fn run(self) -> Result<(), Failure> {
        give_way::give_way()?;
        let mut folder = Folder { dir: self.dir, state: None };
        for line in questions() {
            let (outcome, text) = match folder.answer(&line) {
                Ok(text) => (Outcome::Answered, text),
                Err(failure) if failure.cause() == Cause::Fault => {
                    (Outcome::Failed, failure.to_string())
                }
                Err(failure) => (Outcome::Refused, failure.to_string()),
            };
            let head = AnswerHead { outcome, len: text.len() };
            let mut out = stdout().lock();
            writeln!(out, "{}", serde_json::to_string(&head)?)?;
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
        Ok(())
    }
}

/// The lines of standard input. The process ends with them.
fn questions() -> Receiver<String> {
    let (sender, questions) = channel();
    thread::spawn(move || {
        for line in stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
        exit(0);
    });
    questions
}

struct Folder {
    dir: PathBuf,
    /// The position of the last state that was asked for.
    state: Option<Replay>,
}

impl Folder {
    fn answer(&mut self, line: &str) -> Result<String, Failure> {
        let text = match serde_json::from_str(line)? {
            LogQuestion::State(question) => self.state(&question)?,
            LogQuestion::Commands(question) => commands::page(&self.dir, &question)?,
        };
        if text.len() > TEXT_LEN_MAX {
            return Err(Failure::new(format!(
                "the answer has {} MiB, and an answer has at most {}: name an account or a symbol, \
                 or use `buttonwood log` on the venue's machine",
                text.len() >> 20,
                TEXT_LEN_MAX >> 20
            )));
        }
        Ok(text)
    }

    fn state(&mut self, question: &StateQuestion) -> Result<String, Failure> {
        let at = parse(question.at.as_deref())?;
        let replay = match self.kept(at)? {
            Some(replay) => replay,
            None => replay_in_until(&self.dir, at)?,
        };
        let only = state::Only { account: question.account(), instrument: question.instrument() };
        let replay = self.state.insert(replay);
        Ok(state::json(replay.place(), replay.engine(), only).to_string())
    }

    /// The kept position, if it leads to this moment, and no later snapshot may be closer to it.
    fn kept(&mut self, at: Option<Moment>) -> Result<Option<Replay>, Failure> {
        let (Some(mut replay), Some(at)) = (self.state.take(), at) else { return Ok(None) };
        let newest = log::snapshot::files(&self.dir.join("snapshots")).ok();
        let newest = newest.and_then(|files| files.last().map(|(batch_number, _)| *batch_number));
        if newest.is_some_and(|newest| newest > replay.place().batch_number) {
            return Ok(None);
        }
        // The retention may have removed a file that it is about to read.
        Ok(go_on_to(&mut replay, at).unwrap_or(false).then_some(replay))
    }
}

fn parse(text: Option<&str>) -> Result<Option<Moment>, Failure> {
    let parse =
        |text: &str| text.parse().map_err(|error| Failure::new(format!("`{text}`: {error}")));
    text.map(parse).transpose()
}
