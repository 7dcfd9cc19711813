//! Questions about the past, and what answers each: plain data, the same for every database.

use marketdata::{PublicTrade, Window};
use types::{
    AccountId, AccountTrade, AggTrade, AssetId, Candle, ClOrdId, ExpireCause, ExternalRef,
    InstrumentId, Interval, KeyId, Order, OrderId, OrderList, OrderListId, OrderRef, TimeZone,
    TradeId, TradePrevented, WithdrawalStatus,
};

use crate::audit::Audited;
use crate::changes::{Amendment, Transfer};

/// From when to when, both inclusive, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Times {
    pub start_ns: Option<u64>,
    pub end_ns: Option<u64>,
}

/// Candles, oldest first, without a gap from the first trade on: where nothing was traded, one
/// stands at the last price.
#[derive(Clone, Copy, Debug)]
pub struct Klines {
    pub instrument: InstrumentId,
    pub interval: Interval,
    /// It moves the edges.
    pub zone: TimeZone,
    /// When they open.
    pub times: Times,
    /// From the first one that is wanted, if a start was named; else the last ones.
    pub limit: usize,
    /// No candle begins later.
    pub now_ns: u64,
}

/// All that was traded since, and the last price before.
#[derive(Clone, Copy, Debug)]
pub struct WindowSince {
    pub instrument: InstrumentId,
    pub from_ns: u64,
}

/// An account's orders in one instrument, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct AllOrders {
    pub account: AccountId,
    pub instrument: InstrumentId,
    pub filter: OrderFilter,
}

/// An account's orders in all instruments, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct OrdersInAll {
    pub account: AccountId,
    /// When they were created.
    pub times: Times,
    /// From the first one that is wanted, if a start was named; else the last ones.
    pub limit: usize,
}

/// Which orders of an account.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderFilter {
    /// From this one on.
    pub from_id: Option<OrderId>,
    /// When they were created.
    pub times: Times,
    /// From the first one that is wanted, if that was named; else the last ones.
    pub limit: usize,
}

/// An order by our id, by the client's name for it, or by both. A name means the open order of
/// that name, or else the last one.
#[derive(Clone, Copy, Debug)]
pub struct OneOrder {
    pub account: AccountId,
    pub instrument: InstrumentId,
    pub order: OrderRef,
}

/// Why these orders expired. An order that did not expire, or that is not there, is left out.
#[derive(Clone, Debug)]
pub struct ExpireCauses {
    pub orders: Vec<(InstrumentId, OrderId)>,
}

/// The changes of one order, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct Amendments {
    pub account: AccountId,
    pub instrument: InstrumentId,
    pub order_id: OrderId,
    /// From this number among the account's events on.
    pub from_seq: u64,
    pub limit: usize,
}

/// A list by our id, or by the client's name for it: the last one of that name.
#[derive(Clone, Copy, Debug)]
pub struct OneOrderList {
    pub account: AccountId,
    pub instrument: Option<InstrumentId>,
    pub order_list: Option<OrderListId>,
    pub cl_ord_id: Option<ClOrdId>,
}

/// An account's order lists, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct AllOrderLists {
    pub account: AccountId,
    pub filter: ListFilter,
}

/// Which order lists of an account.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListFilter {
    pub instrument: Option<InstrumentId>,
    pub from_id: Option<OrderListId>,
    pub times: Times,
    pub limit: usize,
}

/// Trades that self-trade prevention kept an account from, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct PreventedMatches {
    pub account: AccountId,
    pub instrument: InstrumentId,
    pub filter: PreventedFilter,
}

/// Which prevented matches of an account.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PreventedFilter {
    One(u64),
    OfOrder { order_id: OrderId, from_id: u64, limit: usize },
}

/// An account's trades in one instrument, oldest first. One that was corrected has its new price;
/// one that was busted is there still.
#[derive(Clone, Copy, Debug)]
pub struct MyTrades {
    pub account: AccountId,
    pub instrument: InstrumentId,
    pub filter: TradeFilter,
}

/// An account's trades in all instruments, oldest first, as [`MyTrades`] has them.
#[derive(Clone, Copy, Debug)]
pub struct TradesInAll {
    pub account: AccountId,
    /// When they were made.
    pub times: Times,
    /// From the first one that is wanted, if a start was named; else the last ones.
    pub limit: usize,
}

/// Which trades of an account.
#[derive(Clone, Copy, Debug, Default)]
pub struct TradeFilter {
    pub order_id: Option<OrderId>,
    pub from_id: Option<TradeId>,
    pub times: Times,
    /// From the first one that is wanted, if that was named; else the last ones.
    pub limit: usize,
}

/// All accounts' trades as they were made, oldest first: from one on, or the last ones.
#[derive(Clone, Copy, Debug)]
pub struct HistoricalTrades {
    pub instrument: InstrumentId,
    pub from_id: Option<TradeId>,
    pub limit: usize,
}

/// Aggregate trades, oldest first: from one or from a time on, or the last ones.
#[derive(Clone, Copy, Debug)]
pub struct AggTrades {
    pub instrument: InstrumentId,
    pub filter: AggFilter,
}

/// Which aggregate trades.
#[derive(Clone, Copy, Debug, Default)]
pub struct AggFilter {
    pub from_id: Option<TradeId>,
    pub times: Times,
    pub limit: usize,
}

/// An account's deposits, or its withdrawals, newest first.
#[derive(Clone, Debug)]
pub struct Transfers {
    pub account: AccountId,
    pub filter: TransferFilter,
}

/// Which transfers of an account.
#[derive(Clone, Debug)]
pub struct TransferFilter {
    pub is_deposit: bool,
    pub asset: Option<AssetId>,
    pub external_ref: Option<ExternalRef>,
    pub status: Option<WithdrawalStatus>,
    /// Sequences of the commands that began them.
    pub ids: Option<Vec<u64>>,
    /// When they were requested.
    pub times: Times,
    pub offset: usize,
    pub limit: usize,
}

/// A trade with both its sides, by its id.
#[derive(Clone, Copy, Debug)]
pub struct OneTrade {
    pub instrument: InstrumentId,
    pub trade_id: TradeId,
}

/// One side of a trade, and the account that has it.
pub type TradeSide = (AccountId, AccountTrade);

/// An order of any account, by its id.
#[derive(Clone, Copy, Debug)]
pub struct AnyOrder {
    pub instrument: InstrumentId,
    pub order_id: OrderId,
}

/// Operators' commands, oldest first.
#[derive(Clone, Debug, Default)]
pub struct AuditTrail {
    /// The first sequence.
    pub from: Option<u64>,
    /// The last sequence.
    pub until: Option<u64>,
    /// When they were sequenced.
    pub times: Times,
    pub key: Option<KeyId>,
    /// The name of the command.
    pub command: Option<String>,
    /// From the first one that is wanted, if a beginning was named; else the last ones.
    pub limit: usize,
}

/// A question that knows the type of its answer.
pub trait Ask: Into<Question> + Send {
    type Answer: Send;

    /// The answer as its own type; `None` if it answers another question.
    fn own(answer: Answer) -> Option<Self::Answer>;
}

macro_rules! questions {
    ($($question:ident => $answer:ty,)+) => {
        #[derive(Clone, Debug)]
        pub enum Question {
            $($question($question),)+
        }

        /// Each is the answer to the [`Question`] of its name.
        #[derive(Clone, Debug)]
        pub enum Answer {
            $($question($answer),)+
        }

        $(
            impl From<$question> for Question {
                fn from(question: $question) -> Self {
                    Self::$question(question)
                }
            }

            impl Ask for $question {
                type Answer = $answer;

                fn own(answer: Answer) -> Option<$answer> {
                    match answer {
                        Answer::$question(answer) => Some(answer),
                        _ => None,
                    }
                }
            }
        )+
    };
}

questions! {
    Klines => Vec<Candle>,
    WindowSince => Window,
    AllOrders => Vec<Order>,
    OrdersInAll => Vec<Order>,
    OneOrder => Option<Order>,
    ExpireCauses => Vec<((InstrumentId, OrderId), ExpireCause)>,
    Amendments => Vec<Amendment>,
    OneOrderList => Option<OrderList>,
    AllOrderLists => Vec<OrderList>,
    PreventedMatches => Vec<TradePrevented>,
    MyTrades => Vec<AccountTrade>,
    TradesInAll => Vec<AccountTrade>,
    HistoricalTrades => Vec<PublicTrade>,
    AggTrades => Vec<AggTrade>,
    Transfers => Vec<Transfer>,
    OneTrade => Vec<TradeSide>,
    AnyOrder => Option<Order>,
    AuditTrail => Vec<Audited>,
}
