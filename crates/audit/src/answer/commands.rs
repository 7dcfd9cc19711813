//! Pages of commands, by filter. A page is bounded by its commands, by the commands that are looked
//! through for it, and by time; it says where to go on in both directions.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use cli::Failure;
use cli::log_question::CommandsQuestion;
use cli::moment::{Moment, Range};
use serde_json::{Value, json};
use types::{Describe, Described, Envelope, Event, Order};
use venue::{Replay, ReplayedCommand};

use super::parse;
use crate::dump::json_line;

/// Commands that are looked through for one page.
const EXAMINED_MAX: u64 = 2_000_000;
/// The time that a page from a moment on looks for more commands.
const TIME_MAX: Duration = Duration::from_secs(5);

/// How many commands are looked through between two looks at the clock.
const CLOCK_EVERY: u64 = 1_024;

pub(super) fn page(dir: &Path, question: &CommandsQuestion) -> Result<String, Failure> {
    let (from, to) = (parse(question.from.as_deref())?, parse(question.to.as_deref())?);
    let range = Range::new(from, to);
    range.check()?;
    let page = if from.is_some() {
        first_commands(range.begin_in(dir)?, to, question)?
    } else {
        let replay = range.begin_before_end(dir, question.limit as u64)?;
        last_commands(replay, to, question)?
    };
    Ok(page.to_string())
}

/// The page that begins where the replay is.
fn first_commands(
    mut replay: Replay,
    to: Option<Moment>,
    question: &CommandsQuestion,
) -> Result<Value, Failure> {
    let (before, began) = (replay.place().sequence, Instant::now());
    let (mut found, mut examined, mut next) = (Vec::new(), 0, None);
    while goes_on(&mut replay, to)? {
        let is_late = examined % CLOCK_EVERY == 0 && began.elapsed() > TIME_MAX;
        if found.len() == question.limit || examined == EXAMINED_MAX || is_late {
            next = Some(replay.place().sequence + 1);
            break;
        }
        let Some(step) = replay.step()? else { break };
        examined += 1;
        if is_asked_for(&step, question) {
            found.push(json_line(&step, replay.engine()));
        }
    }
    Ok(shown(found, (before > 0).then_some(before), next, examined))
}

/// The page that ends at `to`.
fn last_commands(
    mut replay: Replay,
    to: Option<Moment>,
    question: &CommandsQuestion,
) -> Result<Value, Failure> {
    let mut before = replay.place().sequence;
    let (mut found, mut examined) = (VecDeque::<ReplayedCommand>::new(), 0);
    while goes_on(&mut replay, to)? {
        let Some(step) = replay.step()? else { break };
        examined += 1;
        if !is_asked_for(&step, question) {
            continue;
        }
        if found.len() == question.limit {
            found.pop_front();
        }
        found.push_back(step);
    }
    if let (true, Some(first)) = (found.len() == question.limit, found.front()) {
        before = first.reply.applied.sequence - 1;
    }
    let next = replay.next_batch()?.is_some().then_some(replay.place().sequence + 1);
    // Names and steps are for ever, so that a command is printed only once it is sure to be shown.
    let found = found.iter().map(|step| json_line(step, replay.engine())).collect();
    Ok(shown(found, (before > 0).then_some(before), next, examined))
}

/// Whether the next command is in the range. A range may end after the log.
fn goes_on(replay: &mut Replay, to: Option<Moment>) -> Result<bool, Failure> {
    match to {
        None => Ok(replay.next_batch()?.is_some()),
        Some(to) => Ok(!to.is_before_next(replay)? && replay.next_batch()?.is_some()),
    }
}

fn shown(found: Vec<Value>, previous: Option<u64>, next: Option<u64>, examined: u64) -> Value {
    json!({ "commands": found, "previous": previous, "next": next, "examined": examined })
}

fn is_asked_for(step: &ReplayedCommand, question: &CommandsQuestion) -> bool {
    let command = &step.entry.command;
    if question.kind.as_ref().is_some_and(|kind| *kind != command.kind()) {
        return false;
    }
    let (account, instrument, order) =
        (question.account(), question.instrument(), question.order());
    let Envelope { account: sender, origin, .. } = step.entry.envelope;
    // Most commands end here. Only an operator's command names an account in its fields.
    if account.is_some_and(|account| account != sender) && !origin.is_operator() {
        return false;
    }
    if account.is_none_or(|account| account == sender) && instrument.is_none() {
        return true;
    }
    let fields = command.describe();
    let is_of_account = account.is_none_or(|account| {
        account == sender || has(&fields, &|_, value| *value == Described::Account(account))
    });
    let is_of_instrument = instrument.is_none_or(|instrument| {
        has(&fields, &|_, value| *value == Described::Instrument(instrument))
    });
    let is_of_order = order.is_none_or(|order| {
        let id = order.describe();
        has(&fields, &|name, value| name == "order_id" && *value == id)
            || step.reply.events().flat_map(orders).flatten().any(|found| found.order_id == order)
    });
    is_of_account && is_of_instrument && is_of_order
}

/// Whether a field or a member of a list fits, at any depth. A member has no name.
fn has(value: &Described, fits: &impl Fn(&str, &Described) -> bool) -> bool {
    match value {
        Described::Record(fields) => {
            fields.iter().any(|(name, value)| fits(name, value) || has(value, fits))
        }
        Described::List(list) => list.iter().any(|value| fits("", value) || has(value, fits)),
        Described::Choice(_, record) => has(record, fits),
        _ => false,
    }
}

/// The orders that an event is about.
fn orders(event: &Event) -> [Option<&Order>; 2] {
    let one = match event {
        Event::TradeExecuted(e) => return [Some(&e.maker.order), Some(&e.taker.order)],
        Event::OrderAccepted(e) => &e.order,
        Event::OrderCanceled(e) => &e.order,
        Event::OrderExpired(e) => &e.order,
        Event::OrderAmended(e) => &e.order,
        Event::OrderTriggered(e) => &e.order,
        Event::OrderModified(e) => &e.order,
        Event::OrderRepriced(e) => &e.order,
        Event::OrderDecremented(e) => &e.order,
        _ => return [None, None],
    };
    [Some(one), None]
}
