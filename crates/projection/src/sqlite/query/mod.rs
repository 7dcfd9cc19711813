//! Answers to questions, by subject.

pub(crate) mod blocks;
pub(crate) mod bounds;
mod kline;
mod order;
mod trade;
mod transfer;

pub(crate) use self::trade::first_since as first_traded_since;

use rusqlite::Connection;

use crate::question::{Answer, Question};
use crate::sqlite::audit::audit_trail;

/// The answer is of one moment if the connection is in a transaction.
pub(crate) fn answer(connection: &Connection, question: &Question) -> rusqlite::Result<Answer> {
    Ok(match question {
        Question::Klines(asked) => Answer::Klines(kline::klines(connection, asked)?),
        Question::WindowSince(asked) => Answer::WindowSince(kline::window(connection, asked)?),
        Question::AllOrders(asked) => Answer::AllOrders(order::all_orders(connection, asked)?),
        Question::OrdersInAll(asked) => {
            Answer::OrdersInAll(order::orders_in_all(connection, asked)?)
        }
        Question::OneOrder(asked) => Answer::OneOrder(order::order(connection, asked)?),
        Question::ExpireCauses(asked) => {
            Answer::ExpireCauses(order::expire_causes(connection, asked)?)
        }
        Question::Amendments(asked) => Answer::Amendments(order::amendments(connection, asked)?),
        Question::OneOrderList(asked) => {
            Answer::OneOrderList(order::order_list(connection, asked)?)
        }
        Question::AllOrderLists(asked) => {
            Answer::AllOrderLists(order::all_order_lists(connection, asked)?)
        }
        Question::PreventedMatches(asked) => {
            Answer::PreventedMatches(order::prevented_matches(connection, asked)?)
        }
        Question::MyTrades(asked) => Answer::MyTrades(trade::my_trades(connection, asked)?),
        Question::TradesInAll(asked) => {
            Answer::TradesInAll(trade::trades_in_all(connection, asked)?)
        }
        Question::HistoricalTrades(asked) => {
            Answer::HistoricalTrades(trade::historical_trades(connection, asked)?)
        }
        Question::Transfers(asked) => Answer::Transfers(transfer::transfers(connection, asked)?),
        Question::OneTrade(asked) => Answer::OneTrade(trade::one_trade(connection, asked)?),
        Question::AnyOrder(asked) => Answer::AnyOrder(order::any_order(connection, asked)?),
        Question::AuditTrail(asked) => Answer::AuditTrail(audit_trail(connection, asked)?),
        Question::AggTrades(asked) => Answer::AggTrades(trade::agg_trades(connection, asked)?),
    })
}
