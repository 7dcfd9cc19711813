//! Queries of the running venue, one function each: no other module reads the engine.

use std::sync::Arc;

use engine::{Engine, OrderRate};
use marketdata::Views;
use projection::{Behind, Standstill};
use spool::Spool;
use tokio::time::timeout;
use types::{
    AccountId, AccountRisk, AccountTrade, AssetId, Balance, InstrumentId, NewOrder, Order,
    OrderList, OrderListId, OrderRef, Price, Refused, RejectReason, Symbol,
};
use venue::{BookFigures, Handle};

use crate::door::client_ids::ClientIds;
use crate::door::identity::Signer;
use crate::door::shared::Door;

/// Why a query has no answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum QueryError {
    Refused(Refused),
    /// The venue has stopped.
    Gone,
    TimedOut,
    /// A query of the past without a read model.
    NoHistory,
    /// The read model is behind, and an event that it lacks may change the answer.
    HistoryBehind(Behind),
    /// The read model fails; the process's log has the whole reason.
    HistoryFailed(Standstill),
}

pub(crate) type Answered<T> = Result<T, QueryError>;

/// Which results of a query are wanted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ResultLimit {
    First(usize),
    Last(usize),
}

impl ResultLimit {
    pub(crate) fn of<T>(self, found: impl DoubleEndedIterator<Item = T>) -> Vec<T> {
        match self {
            Self::First(limit) => found.take(limit).collect(),
            Self::Last(limit) => {
                let mut last: Vec<T> = found.rev().take(limit).collect();
                last.reverse();
                last
            }
        }
    }
}

/// Accounts, and the assets of each whose balances are wanted.
pub(crate) type BalanceQuery = Vec<(AccountId, Vec<AssetId>)>;

/// The engine's time, and the balances then.
pub(crate) type BalanceAnswer = (u64, Vec<(AccountId, Vec<(AssetId, Balance)>)>);

impl Door {
    /// Queries the engine. The answer includes every event acknowledged before.
    pub(super) async fn ask_engine<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Answered<R> {
        self.answered(self.handle.read(question)).await
    }

    /// Queries the views. The answer includes every event acknowledged before.
    pub(crate) async fn ask_views<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Views, &Spool) -> R + Send + 'static,
    ) -> Answered<R> {
        self.answered(self.handle.read_views(question)).await
    }

    pub(super) async fn answered<R, Gone>(
        &self,
        answer: Result<impl Future<Output = Result<R, Gone>>, Refused>,
    ) -> Answered<R> {
        let answer = answer.map_err(QueryError::Refused)?;
        match timeout(self.settings.answer_timeout, answer).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(QueryError::Gone),
            Err(_) => Err(QueryError::TimedOut),
        }
    }

    /// The signer whose API key has this hash.
    pub(crate) async fn signer(&self, hash: [u8; 16]) -> Answered<Option<Arc<Signer>>> {
        let find = || self.directory().signer(&hash);
        if let Some(signer) = find() {
            return Ok(Some(signer));
        }
        // The reply to the operator that created the key may be ahead of our listener.
        self.ask_views(|_, _| ()).await?;
        Ok(find())
    }

    /// The displayed books of the first instruments. The subscriptions are counted as well.
    pub(crate) async fn books(&self, count_max: usize) -> Answered<Vec<BookFigures>> {
        let listed: Vec<_> = {
            let directory = self.directory();
            let first = directory.markets().iter().take(count_max);
            first.map(|market| (market.instrument.id, market.instrument.spec.symbol)).collect()
        };
        // The listener counts subscriptions after this query, and so before the next.
        let readers = Arc::clone(&self.readers);
        self.ask_views(move |_, _| readers.want_count()).await?;
        self.ask_views(move |views, _| {
            let figures = |(id, symbol): &(InstrumentId, Symbol)| {
                let book = &views.instrument(*id)?.book;
                let levels = book.level_counts().map(|count| count as u64);
                let best = book.best_bid().zip(book.best_ask());
                let spread_ticks = best.map(|(bid, ask)| ask.price.ticks() - bid.price.ticks());
                Some(BookFigures {
                    symbol: *symbol,
                    levels,
                    orders: book.order_counts(),
                    spread_ticks,
                })
            };
            listed.iter().filter_map(figures).collect()
        })
        .await
    }

    /// Succeeds when the engine and the publisher answer.
    pub(crate) async fn ask_whether_ready(&self) -> Answered<()> {
        self.ask_engine(|_| ()).await?;
        self.ask_views(|_, _| ()).await
    }
}

/// Orders, trades, lists.
impl Door {
    /// An open order, or a finished one that is still kept.
    pub(crate) async fn order(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        order: OrderRef,
    ) -> Answered<Option<Order>> {
        self.ask_engine(move |engine| engine.order(account, instrument, &order)).await
    }

    pub(crate) async fn open_orders(
        &self,
        account: AccountId,
        only: Option<InstrumentId>,
    ) -> Answered<Vec<Order>> {
        self.ask_engine(move |engine| open_orders(engine, account, only).collect()).await
    }

    /// Open orders, and finished ones that are still kept, oldest first; of one instrument, or of
    /// all.
    pub(crate) async fn kept_orders(
        &self,
        account: AccountId,
        only: Option<InstrumentId>,
        is_wanted: impl Fn(&Order) -> bool + Send + 'static,
        part: ResultLimit,
    ) -> Answered<Vec<Order>> {
        self.ask_engine(move |engine| {
            let is_asked = |order: &Order| only.is_none_or(|only| only == order.instrument);
            let finished = engine.finished_orders(account).filter(is_asked);
            let all = open_orders(engine, account, only).chain(finished);
            let mut orders: Vec<Order> = all.filter(is_wanted).collect();
            orders
                .sort_unstable_by_key(|order| (order.created_ns, order.instrument, order.order_id));
            part.of(orders.into_iter())
        })
        .await
    }

    /// Trades that are still kept, oldest first.
    pub(crate) async fn kept_trades(
        &self,
        account: AccountId,
        only: Option<InstrumentId>,
        is_wanted: impl Fn(&AccountTrade) -> bool + Send + 'static,
        part: ResultLimit,
    ) -> Answered<Vec<AccountTrade>> {
        self.ask_engine(move |engine| {
            let wanted = |trade: &AccountTrade| {
                only.is_none_or(|only| only == trade.instrument) && is_wanted(trade)
            };
            part.of(engine.account_trades(account).filter(wanted))
        })
        .await
    }

    /// Each order with the time at which it was placed; `None` if its list has yet to place it. An
    /// open order is as it is now: it may have begun to trail the price since its last event.
    pub(crate) async fn when_placed(
        &self,
        account: AccountId,
        orders: Vec<Order>,
    ) -> Answered<Vec<(Order, Option<u64>)>> {
        self.ask_engine(move |engine| {
            let placed_ns = engine.placed_ns(account, &orders);
            let trailing = |order| engine.with_trailing_time(order);
            orders.into_iter().map(trailing).zip(placed_ns).collect()
        })
        .await
    }

    /// The account's lists that `choose` keeps, and the client ids of their orders. `choose` gets
    /// the done lists first.
    pub(crate) async fn order_lists(
        &self,
        account: AccountId,
        choose: impl FnOnce(Vec<OrderList>) -> Vec<OrderList> + Send + 'static,
    ) -> Answered<(Vec<OrderList>, ClientIds)> {
        self.ask_engine(move |engine| {
            let all = engine.done_order_lists(account).chain(engine.order_lists(account));
            let chosen = choose(all.collect());
            let client_ids = ClientIds::of_lists(engine, account, &chosen);
            (chosen, client_ids)
        })
        .await
    }

    /// When an order of a list was placed, its list, and the client ids of the list's orders.
    pub(crate) async fn list_of_order(
        &self,
        order: Order,
        order_list: OrderListId,
    ) -> Answered<(Option<u64>, Option<OrderList>, ClientIds)> {
        self.ask_engine(move |engine| {
            let Order { account, instrument, .. } = order;
            let placed_ns = engine.placed_ns(account, &[order])[0];
            let list = engine.order_list(account, instrument, Some(order_list), None);
            let client_ids = ClientIds::of_lists(engine, account, list.as_slice());
            (placed_ns, list, client_ids)
        })
        .await
    }

    pub(crate) async fn client_ids_of_lists(
        &self,
        account: AccountId,
        lists: Vec<OrderList>,
    ) -> Answered<ClientIds> {
        self.ask_engine(move |engine| ClientIds::of_lists(engine, account, &lists)).await
    }

    /// Runs the checks of a new order; nothing changes.
    pub(crate) async fn check_new_order(
        &self,
        account: AccountId,
        order: NewOrder,
    ) -> Answered<Result<(), RejectReason>> {
        self.ask_engine(move |engine| engine.check_new_order(account, &order)).await
    }
}

/// Balances, fees, limits, prices.
impl Door {
    /// The number of the account's last event, published or about to be.
    pub(crate) async fn account_seq(&self, account: AccountId) -> Answered<u64> {
        self.ask_engine(move |engine| engine.account_seq(account).unwrap_or_default()).await
    }

    pub(crate) async fn balances(&self, account: AccountId) -> Answered<Vec<Balance>> {
        self.ask_engine(move |engine| engine.balances(account).collect()).await
    }

    /// The account's current fees in each of these instruments, as maker and as taker, in
    /// hundredths of a basis point.
    pub(crate) async fn account_fees(
        &self,
        account: AccountId,
        instruments: Vec<InstrumentId>,
    ) -> Answered<Vec<(i32, i32)>> {
        self.ask_engine(move |engine| {
            let fees = |id: &InstrumentId| engine.account_fees(account, *id).unwrap_or_default();
            instruments.iter().map(fees).collect()
        })
        .await
    }

    /// The limits of an account, and the orders it has sent in the current windows.
    pub(crate) async fn order_rate(
        &self,
        account: AccountId,
    ) -> Answered<Option<(AccountRisk, OrderRate)>> {
        self.ask_engine(move |engine| engine.account_risk(account).zip(engine.order_rate(account)))
            .await
    }

    /// Whether the whole venue is halted.
    pub(crate) async fn is_halted(&self) -> Answered<bool> {
        self.ask_engine(Engine::is_halted).await
    }

    pub(crate) async fn avg_price(&self, id: InstrumentId) -> Answered<Option<Price>> {
        self.ask_engine(move |engine| engine.avg_price(id)).await
    }
}

/// Open orders of an account, of one instrument or of all.
fn open_orders(
    engine: &Engine,
    account: AccountId,
    only: Option<InstrumentId>,
) -> impl Iterator<Item = Order> {
    let all = only.is_none().then(|| engine.instruments().map(|instrument| instrument.id));
    let asked = only.into_iter().chain(all.into_iter().flatten());
    asked.flat_map(move |id| engine.open_orders(account, id))
}

/// Order lists open when the venue opens, each with its orders.
pub(crate) fn open_lists(engine: &Engine) -> Vec<(OrderList, Vec<Order>)> {
    let with_orders = |list: OrderList| {
        let find = |id| engine.order(list.account, list.instrument, &OrderRef::by_id(id));
        (list, list.orders.into_iter().flatten().filter_map(find).collect())
    };
    let lists = engine.accounts().flat_map(|(account, _)| engine.order_lists(account));
    lists.map(with_orders).collect()
}

/// Queries balances, without the timeout of a request: the caller waits for nothing else.
pub(crate) fn ask_balances(
    handle: &Handle,
    query: BalanceQuery,
) -> Result<impl Future<Output = Option<BalanceAnswer>> + use<>, Refused> {
    let answer = handle.read(move |engine| {
        let of = |(account, assets): (AccountId, Vec<AssetId>)| {
            let balance = |asset: AssetId| (asset, engine.balance(account, asset));
            (account, assets.into_iter().map(balance).collect())
        };
        (engine.now_ns(), query.into_iter().map(of).collect())
    })?;
    Ok(async move { answer.await.ok() })
}
