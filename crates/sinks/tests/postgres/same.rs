//! Both read models give the same answers.

use std::collections::BTreeMap;

use projection::{Answer, Question};
use sinks::postgres::Reader;
use spool::Applied;

use crate::chance::Chance;
use crate::commands::events;
use crate::questions::{Asker, KINDS};
use crate::support::Both;

const SEEDS: u64 = 4;
const COMMANDS: u64 = 500;
const QUESTIONS: u64 = 60;

/// Of each kind some answers have something in them: else a kind would be compared in vain.
#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn every_question_has_the_same_answer_as_in_sqlite() {
    check_answers(1);
}

#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn three_databases_have_the_same_answers_as_sqlite() {
    check_answers(3);
}

fn check_answers(databases: usize) {
    let mut filled: BTreeMap<u64, u64> = BTreeMap::new();
    for seed in 0..SEEDS {
        let dir = tempfile::tempdir().unwrap();
        let applied = events(dir.path(), seed, COMMANDS);
        let mut both = Both::over(dir.path(), databases);
        let mut chance = Chance(seed ^ 0xABCD);
        // A hole in one, another beginning in one.
        let first = if seed == 1 { 30 } else { 0 };
        let hole = if seed == 2 { 200..230 } else { 0..0 };
        if first > 0 {
            both.pass_over(first + 1);
        }
        add(&mut both, &applied, first as usize, hole, &mut chance);
        let reader = Reader::open(&both.addresses).unwrap();
        let mut asker = Asker { applied: &applied, chance };
        for kind in 0..KINDS {
            for _ in 0..QUESTIONS {
                let answer = both.ask(&reader, asker.question(kind));
                *filled.entry(kind).or_default() += u64::from(!is_empty(&answer));
            }
        }
    }
    let thin: Vec<_> = (0..KINDS).filter(|kind| filled.get(kind).is_none_or(|n| *n < 10)).collect();
    assert!(thin.is_empty(), "few answers have anything in them: {thin:?} of {filled:?}");
}

/// In pages of any size, with the process ended now and then between two of them.
fn add(
    both: &mut Both<'_>,
    applied: &[Applied],
    first: usize,
    hole: std::ops::Range<usize>,
    chance: &mut Chance,
) {
    let mut from = first;
    while from < applied.len() {
        if hole.contains(&from) {
            both.pass_over(hole.end as u64 + 1);
            from = hole.end;
        }
        let mut to = (from + 1 + chance.below(60) as usize).min(applied.len());
        if from < hole.start {
            to = to.min(hole.start);
        }
        both.add(&applied[from..to]);
        from = to;
        if chance.one_in(5) {
            both.reopen();
        }
    }
}

fn is_empty(answer: &Answer) -> bool {
    let text = format!("{answer:?}");
    ["([])", "(None)", "candle: None"].iter().any(|nothing| text.contains(nothing))
}

/// What a rebuild makes of all events is what the pages made, row for row.
#[test]
#[ignore = "needs PostgreSQL: `make databases` starts one"]
fn pages_do_not_show_in_the_tables() {
    let dir = tempfile::tempdir().unwrap();
    let applied = events(dir.path(), 77, COMMANDS);
    let mut both = Both::new(dir.path());
    add(&mut both, &applied, 0, 0..0, &mut Chance(5));
    both.reopen();
    let before = crate::faults::rows(&both.addresses[0]);
    let events = applied.into_iter().map(|applied| Ok::<_, String>(std::sync::Arc::new(applied)));
    let all = projection::HistoryRetention::ALL;
    sinks::postgres::rebuild(&both.addresses, &all, 1, events, false).unwrap();
    assert_eq!(crate::faults::rows(&both.addresses[0]), before);
}

/// So that the two types cannot drift apart unseen.
const _: fn(&Question) = |question| match question {
    Question::Klines(_)
    | Question::WindowSince(_)
    | Question::AllOrders(_)
    | Question::OrdersInAll(_)
    | Question::OneOrder(_)
    | Question::ExpireCauses(_)
    | Question::Amendments(_)
    | Question::OneOrderList(_)
    | Question::AllOrderLists(_)
    | Question::PreventedMatches(_)
    | Question::MyTrades(_)
    | Question::TradesInAll(_)
    | Question::HistoricalTrades(_)
    | Question::AggTrades(_)
    | Question::Transfers(_)
    | Question::OneTrade(_)
    | Question::AnyOrder(_)
    | Question::AuditTrail(_) => {} // 18 kinds, as `questions.rs` draws them.
};
