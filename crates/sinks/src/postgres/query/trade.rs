//! Trades: all accounts', one account's, and aggregated.

use marketdata::PublicTrade;
use projection::compose::agg::{AggPage, LastBegin, Part};
use projection::{AggTrades, HistoricalTrades, MyTrades, OneTrade, Times, TradeSide, TradesInAll};
use tokio_postgres::Row;
use types::{
    AccountId, AccountTrade, AggTrade, InstrumentId, Order, OrderId, Price, Side, TradeId,
    TradeRevision,
};

use crate::postgres::column::Cells;
use crate::postgres::failure::Failed;
use crate::postgres::number::Wide;
use crate::postgres::query::order::{any_order, instruments_of};
use crate::postgres::query::select::{Direction, Select, bound, page, small};
use crate::postgres::session::Session;
use projection::AnyOrder;

/// The columns of [`side`].
const SIDE: &str = "instrument, account, trade_id, order_id, side, is_maker, price, qty, quote, fee, \
    fee_asset, traded_ns, corrected_price, corrected_quote, corrected_ns, busted_ns";

/// The columns of [`part`].
const PART: &str = "trade_id, price, qty, quote, traded_ns, side, command, taker_order_id";

/// Trades that are read at a time, where it is not known how many make up an answer.
const CHUNK: usize = 1_000;

pub(super) async fn my_trades(
    session: &Session,
    asked: &MyTrades,
) -> Result<Vec<AccountTrade>, Failed> {
    let MyTrades { account, instrument, filter } = *asked;
    let direction = Direction::of(filter.from_id.is_some() || filter.times.start_ns.is_some());
    let mut times = filter.times;
    if let Some(order_id) = filter.order_id {
        // Its trades were made while it lived.
        let order = any_order(session, &AnyOrder { instrument, order_id }).await?;
        let Some(order) = order.filter(|order: &Order| order.account == account) else {
            return Ok(Vec::new());
        };
        times.start_ns = times.start_ns.max(Some(order.created_ns));
        times.end_ns = Some(times.end_ns.map_or(order.updated_ns, |ns| ns.min(order.updated_ns)));
    }
    if let Some(from_id) = filter.from_id {
        // Ids go up with time, and the index has times.
        let Some(traded_ns) = traded_from(session, instrument, from_id).await? else {
            return Ok(Vec::new());
        };
        times.start_ns = times.start_ns.max(Some(traded_ns));
    }
    let mut select = Select::new(&format!("SELECT {SIDE} FROM fills WHERE"));
    select
        .with(" account = ", i64::from(account.0))
        .with(" AND instrument = ", small(instrument.0))
        .within("traded_ns", times)
        .maybe(" AND trade_id >= ", filter.from_id.map(|id| bound(id.0)))
        .maybe(" AND order_id = ", filter.order_id.map(|id| bound(id.0)))
        .text(&direction.by(&["traded_ns", "trade_id", "is_maker"]))
        .with(" LIMIT ", page(filter.limit));
    let sides = select.all(session, side).await?;
    Ok(direction.oldest_first(sides.into_iter().map(|(_, side)| side).collect()))
}

pub(super) async fn trades_in_all(
    session: &Session,
    asked: &TradesInAll,
) -> Result<Vec<AccountTrade>, Failed> {
    let TradesInAll { account, times, limit } = *asked;
    let direction = Direction::of(times.start_ns.is_some());
    let mut select = Select::default();
    instruments_of(&mut select, "fills", account);
    select
        .text(&format!(
            " SELECT {SIDE} FROM (SELECT f.* FROM i CROSS JOIN LATERAL (\
             SELECT * FROM fills t WHERE t.instrument = i.instrument AND t.account = $1"
        ))
        .within("t.traded_ns", times)
        .text(&direction.by(&["t.traded_ns", "t.trade_id", "t.is_maker"]))
        .with(" LIMIT ", page(limit))
        .text(") f WHERE i.instrument IS NOT NULL) all_of_them")
        .text(&direction.by(&["traded_ns", "instrument", "trade_id", "is_maker"]))
        .with(" LIMIT ", page(limit));
    let sides = select.all(session, side).await?;
    Ok(direction.oldest_first(sides.into_iter().map(|(_, side)| side).collect()))
}

/// The maker's side first.
pub(super) async fn one_trade(
    session: &Session,
    asked: &OneTrade,
) -> Result<Vec<TradeSide>, Failed> {
    let mut select = Select::new(&format!("SELECT {SIDE} FROM fills WHERE"));
    select
        .with(" instrument = ", small(asked.instrument.0))
        .with(" AND trade_id = ", bound(asked.trade_id.0))
        .text(" ORDER BY is_maker DESC");
    select.all(session, side).await
}

pub(super) async fn historical_trades(
    session: &Session,
    asked: &HistoricalTrades,
) -> Result<Vec<PublicTrade>, Failed> {
    let HistoricalTrades { instrument, from_id, limit } = *asked;
    let direction = Direction::of(from_id.is_some());
    let mut select = Select::new(&format!("SELECT {PART} FROM trades WHERE"));
    select
        .with(" instrument = ", small(instrument.0))
        .maybe(" AND trade_id >= ", from_id.map(|id| bound(id.0)))
        .text(&direction.by(&["trade_id"]))
        .with(" LIMIT ", page(limit));
    let parts = select.all(session, part).await?;
    Ok(direction.oldest_first(parts.into_iter().map(|part| part.trade).collect()))
}

pub(super) async fn agg_trades(
    session: &Session,
    asked: &AggTrades,
) -> Result<Vec<AggTrade>, Failed> {
    let AggTrades { instrument, filter } = *asked;
    let Times { start_ns, end_ns } = filter.times;
    let before_id = match end_ns {
        Some(end_ns) => first_since(session, instrument, bound(end_ns).saturating_add(1)).await?,
        None => i64::MAX,
    };
    let from_id = if filter.from_id.is_none() && start_ns.is_none() {
        last_begin(session, instrument, before_id, filter.limit).await?
    } else {
        let since = match start_ns {
            Some(start_ns) => first_since(session, instrument, bound(start_ns)).await?,
            None => 0,
        };
        since.max(filter.from_id.map_or(0, |id| bound(id.0)))
    };
    let mut aggregates = AggPage::new(from_id, before_id, filter.limit);
    let mut next = aggregates.first_id();
    loop {
        let mut select = Select::new(&format!("SELECT {PART} FROM trades WHERE"));
        select
            .with(" instrument = ", small(instrument.0))
            .with(" AND trade_id >= ", next)
            .with(" ORDER BY trade_id LIMIT ", page(CHUNK));
        let parts = select.all(session, part).await?;
        let wants_more = parts.iter().all(|part| aggregates.push(part));
        match parts.last() {
            Some(last) if wants_more && parts.len() == CHUNK => {
                next = bound(last.trade.trade_id.0).saturating_add(1);
            }
            _ => return Ok(aggregates.finish()),
        }
    }
}

/// Where the first of the last aggregate trades begins that begin before a trade.
async fn last_begin(
    session: &Session,
    instrument: InstrumentId,
    before_id: i64,
    limit: usize,
) -> Result<i64, Failed> {
    let mut begin = LastBegin::new(before_id, limit);
    let mut before = before_id;
    loop {
        let mut select = Select::new(&format!("SELECT {PART} FROM trades WHERE"));
        select
            .with(" instrument = ", small(instrument.0))
            .with(" AND trade_id < ", before)
            .with(" ORDER BY trade_id DESC LIMIT ", page(CHUNK));
        let parts = select.all(session, part).await?;
        let wants_more = parts.iter().all(|part| begin.push(part));
        match parts.last() {
            Some(last) if wants_more && parts.len() == CHUNK => {
                before = bound(last.trade.trade_id.0);
            }
            _ => return Ok(begin.begin()),
        }
    }
}

/// The first trade that was made at that time or later; a number beyond all if there is none. Ids
/// go up with time, and the candle of the second leads to them.
async fn first_since(
    session: &Session,
    instrument: InstrumentId,
    time_ns: i64,
) -> Result<i64, Failed> {
    if time_ns < 1 {
        return Ok(0);
    }
    let second_ns = time_ns - time_ns % 1_000_000_000;
    let mut select = Select::new("SELECT first_trade FROM candles WHERE \"interval\" = '1s'");
    select
        .with(" AND instrument = ", small(instrument.0))
        .with(" AND open_ns >= ", second_ns)
        .text(" ORDER BY open_ns LIMIT 1");
    let id = |row: &Row| Cells::new(row).get::<i64>();
    let Some(first_of_second) = select.first(session, id).await? else { return Ok(i64::MAX) };
    let mut select = Select::new("SELECT trade_id FROM trades WHERE");
    select
        .with(" instrument = ", small(instrument.0))
        .with(" AND trade_id >= ", first_of_second)
        .with(" AND traded_ns >= ", time_ns)
        .text(" ORDER BY trade_id LIMIT 1");
    Ok(select.first(session, id).await?.unwrap_or(i64::MAX))
}

/// When the first trade of an instrument from this id on was made that is here with a side.
async fn traded_from(
    session: &Session,
    instrument: InstrumentId,
    from_id: TradeId,
) -> Result<Option<u64>, Failed> {
    let mut select = Select::new("SELECT traded_ns FROM fills WHERE");
    select
        .with(" instrument = ", small(instrument.0))
        .with(" AND trade_id >= ", bound(from_id.0))
        .text(" ORDER BY trade_id LIMIT 1");
    select.first(session, |row| Cells::new(row).uint()).await
}

fn part(row: &Row) -> Result<Part, Failed> {
    let mut cells = Cells::new(row);
    let trade = PublicTrade {
        trade_id: TradeId(cells.uint()?),
        price: cells.price()?,
        qty: cells.qty()?,
        quote: cells.amount()?,
        traded_ns: cells.uint()?,
        is_buyer_maker: cells.choice(Side::from_number)? == Side::Sell,
    };
    Ok(Part { trade, command: cells.uint()?, taker: OrderId(cells.uint()?) })
}

fn side(row: &Row) -> Result<(AccountId, AccountTrade), Failed> {
    let mut cells = Cells::new(row);
    let instrument = cells.instrument()?;
    let account = cells.account()?;
    let mut side = AccountTrade {
        instrument,
        trade_id: TradeId(cells.uint()?),
        order_id: OrderId(cells.uint()?),
        side: cells.choice(Side::from_number)?,
        is_maker: cells.get()?,
        price: cells.price()?,
        qty: cells.qty()?,
        quote: cells.amount()?,
        fee: cells.amount()?,
        fee_asset: cells.asset()?,
        traded_ns: cells.uint()?,
        revision: TradeRevision::default(),
    };
    revise(&mut side, &mut cells)?;
    Ok((account, side))
}

/// The price and amount as they are now, and what an operator has changed.
fn revise(side: &mut AccountTrade, cells: &mut Cells<'_>) -> Result<(), Failed> {
    let price: Option<i64> = cells.get()?;
    let quote: Option<Wide> = cells.get()?;
    let corrected_ns: Option<i64> = cells.get()?;
    let busted_ns: Option<i64> = cells.get()?;
    side.revision.busted_ns = busted_ns.map_or(0, i64::unsigned_abs);
    if let (Some(price), Some(quote), Some(corrected_ns)) = (price, quote, corrected_ns) {
        side.revision.corrected_ns = corrected_ns.unsigned_abs();
        side.revision.orig_price = Some(side.price);
        side.price = Price::from_ticks(price);
        side.quote = types::Amount::from_minor(quote.0);
    }
    Ok(())
}
