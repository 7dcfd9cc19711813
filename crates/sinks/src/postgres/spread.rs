//! A question to the databases that have its answer, and their answers as one.

use crate::postgres::all::join_all;
use projection::{Answer, Question};
use types::AccountId;

use crate::postgres::map::Map;

/// Where an answer is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    /// With the rows of an account.
    Account(AccountId),
    /// With public trades, candles and the audit.
    First,
    /// It is not known which account it is of.
    Anywhere,
}

/// Puts a question to one database or to all, at the same time.
pub(crate) async fn spread<E, F: Future<Output = Result<Answer, E>>>(
    question: &Question,
    map: &Map,
    databases: usize,
    ask: impl Fn(usize) -> F,
) -> Result<Answer, E> {
    match place(question) {
        _ if databases == 1 => ask(0).await,
        Place::Account(account) => ask(map.shard_of(account)).await,
        Place::First => ask(0).await,
        Place::Anywhere => {
            let answers = join_all((0..databases).map(ask)).await;
            let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
            Ok(together(question, map, answers))
        }
    }
}

fn place(question: &Question) -> Place {
    match question {
        Question::AllOrders(asked) => Place::Account(asked.account),
        Question::OrdersInAll(asked) => Place::Account(asked.account),
        Question::OneOrder(asked) => Place::Account(asked.account),
        Question::Amendments(asked) => Place::Account(asked.account),
        Question::OneOrderList(asked) => Place::Account(asked.account),
        Question::AllOrderLists(asked) => Place::Account(asked.account),
        Question::PreventedMatches(asked) => Place::Account(asked.account),
        Question::MyTrades(asked) => Place::Account(asked.account),
        Question::TradesInAll(asked) => Place::Account(asked.account),
        Question::Transfers(asked) => Place::Account(asked.account),
        Question::Klines(_)
        | Question::WindowSince(_)
        | Question::HistoricalTrades(_)
        | Question::AggTrades(_)
        | Question::AuditTrail(_) => Place::First,
        Question::ExpireCauses(_) | Question::OneTrade(_) | Question::AnyOrder(_) => {
            Place::Anywhere
        }
    }
}

/// Answers of all databases in their order. Rows that arrive in one or have left it are not of it.
fn together(question: &Question, map: &Map, answers: Vec<Answer>) -> Answer {
    let (mut causes, mut sides, mut order) = (Vec::new(), Vec::new(), None);
    for (shard, answer) in answers.into_iter().enumerate() {
        match answer {
            Answer::ExpireCauses(found) => causes.extend(found),
            Answer::OneTrade(found) => {
                sides.extend(found.into_iter().filter(|side| map.shard_of(side.0) == shard));
            }
            Answer::AnyOrder(found) => {
                order = order.or(found.filter(|order| map.shard_of(order.account) == shard));
            }
            _ => unreachable!("all other answers are in one database"),
        }
    }
    match question {
        Question::ExpireCauses(asked) => {
            // In the order of the question. An order has ended wherever it has a cause.
            let found = |key| causes.iter().find(|(of, _)| of == key).copied();
            Answer::ExpireCauses(asked.orders.iter().filter_map(found).collect())
        }
        Question::OneTrade(_) => {
            sides.sort_by_key(|(_, side)| !side.is_maker);
            Answer::OneTrade(sides)
        }
        _ => Answer::AnyOrder(order),
    }
}
