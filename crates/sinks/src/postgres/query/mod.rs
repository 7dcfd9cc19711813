//! Answers to questions, by subject.

mod audit;
mod kline;
pub(crate) mod order;
mod select;
mod trade;
mod transfer;

use projection::{Answer, Question};

use crate::postgres::failure::Failed;
use crate::postgres::session::Session;

/// The answer is of one moment if the session is in a transaction of one snapshot.
pub(crate) async fn answer(session: &Session, question: &Question) -> Result<Answer, Failed> {
    Ok(match question {
        Question::Klines(asked) => Answer::Klines(kline::klines(session, asked).await?),
        Question::WindowSince(asked) => Answer::WindowSince(kline::window(session, asked).await?),
        Question::AllOrders(asked) => Answer::AllOrders(order::all_orders(session, asked).await?),
        Question::OrdersInAll(asked) => {
            Answer::OrdersInAll(order::orders_in_all(session, asked).await?)
        }
        Question::OneOrder(asked) => Answer::OneOrder(order::order(session, asked).await?),
        Question::ExpireCauses(asked) => {
            Answer::ExpireCauses(order::expire_causes(session, asked).await?)
        }
        Question::Amendments(asked) => Answer::Amendments(order::amendments(session, asked).await?),
        Question::OneOrderList(asked) => {
            Answer::OneOrderList(order::order_list(session, asked).await?)
        }
        Question::AllOrderLists(asked) => {
            Answer::AllOrderLists(order::all_order_lists(session, asked).await?)
        }
        Question::PreventedMatches(asked) => {
            Answer::PreventedMatches(order::prevented_matches(session, asked).await?)
        }
        Question::MyTrades(asked) => Answer::MyTrades(trade::my_trades(session, asked).await?),
        Question::TradesInAll(asked) => {
            Answer::TradesInAll(trade::trades_in_all(session, asked).await?)
        }
        Question::HistoricalTrades(asked) => {
            Answer::HistoricalTrades(trade::historical_trades(session, asked).await?)
        }
        Question::Transfers(asked) => Answer::Transfers(transfer::transfers(session, asked).await?),
        Question::OneTrade(asked) => Answer::OneTrade(trade::one_trade(session, asked).await?),
        Question::AnyOrder(asked) => Answer::AnyOrder(order::any_order(session, asked).await?),
        Question::AuditTrail(asked) => {
            Answer::AuditTrail(audit::audit_trail(session, asked).await?)
        }
        Question::AggTrades(asked) => Answer::AggTrades(trade::agg_trades(session, asked).await?),
    })
}
