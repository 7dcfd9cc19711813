//! Trades: all accounts', one account's, and aggregated.

use std::ops::Range;

use marketdata::PublicTrade;
use rusqlite::{Connection, OptionalExtension, params};
use types::{
    AccountId, AccountTrade, AggTrade, Amount, InstrumentId, Interval, OrderId, Price, Side,
    TimeZone, TradeId, TradeRevision,
};

use crate::compose::agg::{AggPage, LastBegin, Part};
use crate::question::{
    AggTrades, HistoricalTrades, MyTrades, OneTrade, TradeFilter, TradeSide, TradesInAll,
};
use crate::sqlite::column::{self, Columns, int};
use crate::sqlite::query::blocks::Direction::{self, Ascending, Descending};
use crate::sqlite::query::blocks::{self, Search, merged};
use crate::sqlite::query::bounds::{bound, bounds, page};

pub(super) fn my_trades(
    connection: &Connection,
    asked: &MyTrades,
) -> rusqlite::Result<Vec<AccountTrade>> {
    let MyTrades { account, instrument, filter } = *asked;
    let direction = if filter.from_id.is_some() { Ascending } else { Direction::of(filter.times) };
    let ids = ids_of(connection, account, instrument, &filter)?;
    let of_order = filter.order_id;
    let mut trades =
        page_of(connection, (account, instrument), ids, direction, of_order, filter.limit)?;
    if direction == Descending {
        trades.reverse();
    }
    Ok(trades)
}

pub(super) fn trades_in_all(
    connection: &Connection,
    asked: &TradesInAll,
) -> rusqlite::Result<Vec<AccountTrade>> {
    let TradesInAll { account, times, limit } = *asked;
    let filter = TradeFilter { order_id: None, from_id: None, times, limit };
    let direction = Direction::of(times);
    let at =
        |trade: &AccountTrade| (trade.traded_ns, trade.instrument, trade.trade_id, trade.is_maker);
    let page = |instrument, after: Option<&AccountTrade>, len: usize| {
        let mut ids = ids_of(connection, account, instrument, &filter)?;
        let whose = (account, instrument);
        let Some(after) = after else {
            return page_of(connection, whose, ids, direction, None, len);
        };
        // The account may be on both sides, and the page may have ended between them.
        let id = bound(after.trade_id.0);
        match direction {
            Ascending => ids.start = ids.start.max(id),
            Descending => ids.end = ids.end.min(id + 1),
        }
        let mut trades = page_of(connection, whose, ids, direction, None, len + SIDES)?;
        trades.retain(|trade| direction.is_beyond(&at(trade), &at(after)));
        trades.truncate(len);
        Ok(trades)
    };
    merged(connection, blocks::TRADES, account, (times, limit), page, at)
}

const SIDES: usize = 2;

/// The first trades of an account in one instrument, in a direction.
fn page_of(
    connection: &Connection,
    (account, instrument): (AccountId, InstrumentId),
    ids: Range<i64>,
    direction: Direction,
    order_id: Option<OrderId>,
    limit: usize,
) -> rusqlite::Result<Vec<AccountTrade>> {
    let tag = order_id.map(|id| blocks::order_tag(bound(id.0)));
    let search = Search { account, instrument, ids, tag, direction, limit };
    let mut select = connection.prepare_cached(BY_ID)?;
    search.run(connection, blocks::TRADES, |id, found: &mut Vec<AccountTrade>| {
        let sides = |row: &rusqlite::Row<'_>| sides_of(instrument, row);
        let Some(mut sides) = select.query_row(params![instrument.0, id], sides).optional()? else {
            return Ok(());
        };
        if direction == Descending {
            sides.reverse();
        }
        let is_own = |(of, side): &TradeSide| {
            *of == account && order_id.is_none_or(|id| side.order_id == id)
        };
        found.extend(sides.into_iter().filter(is_own).map(|(_, side)| side));
        Ok(())
    })
}

/// The maker's side first.
pub(super) fn one_trade(
    connection: &Connection,
    asked: &OneTrade,
) -> rusqlite::Result<Vec<TradeSide>> {
    let OneTrade { instrument, trade_id } = *asked;
    let key = params![instrument.0, bound(trade_id.0)];
    let sides = |row: &rusqlite::Row<'_>| sides_of(instrument, row);
    let sides = connection.prepare_cached(BY_ID)?.query_row(key, sides).optional()?;
    Ok(sides.map_or(Vec::new(), |[taker, maker]| vec![maker, taker]))
}

const BY_ID: &str = "SELECT * FROM trades WHERE instrument = ? AND trade_id = ?";

pub(super) fn historical_trades(
    connection: &Connection,
    asked: &HistoricalTrades,
) -> rusqlite::Result<Vec<PublicTrade>> {
    let HistoricalTrades { instrument, from_id, limit } = *asked;
    let direction = if from_id.is_some() { "ASC" } else { "DESC" };
    let select = format!(
        "SELECT * FROM trades WHERE instrument = ? AND trade_id >= ? \
         ORDER BY trade_id {direction} LIMIT ?"
    );
    let key = params![instrument.0, from_id.map_or(0, |id| bound(id.0)), page(limit)];
    let mut select = connection.prepare_cached(&select)?;
    let trades = select.query_map(key, public_trade)?;
    let mut trades: Vec<PublicTrade> = trades.collect::<Result<_, _>>()?;
    if from_id.is_none() {
        trades.reverse();
    }
    Ok(trades)
}

pub(super) fn agg_trades(
    connection: &Connection,
    asked: &AggTrades,
) -> rusqlite::Result<Vec<AggTrade>> {
    let AggTrades { instrument, filter } = *asked;
    let (start, end) = bounds(filter.times);
    let before_id = first_since(connection, instrument, end.saturating_add(1))?;
    let from_id = match (filter.from_id, filter.times.start_ns) {
        (None, None) => last_begin(connection, instrument, before_id, filter.limit)?,
        (from_id, _) => {
            let from_id = from_id.map_or(0, |id| bound(id.0));
            from_id.max(first_since(connection, instrument, start)?)
        }
    };
    put_together(connection, instrument, from_id, before_id, filter.limit)
}

/// From which id on, and before which: those of an order were made while it lived.
fn ids_of(
    connection: &Connection,
    account: AccountId,
    instrument: InstrumentId,
    filter: &TradeFilter,
) -> rusqlite::Result<Range<i64>> {
    let (mut start, mut end) = bounds(filter.times);
    if let Some(order_id) = filter.order_id {
        let find = "SELECT created_ns, updated_ns FROM orders \
                    WHERE instrument = ? AND order_id = ? AND account = ?";
        let key = params![instrument.0, bound(order_id.0), account.0];
        let lived = connection
            .prepare_cached(find)?
            .query_row(key, |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((created_ns, updated_ns)) = lived else { return Ok(0..0) };
        (start, end) = (start.max(created_ns), end.min(updated_ns));
    }
    let from_id = filter.from_id.map_or(0, |id| bound(id.0));
    let from_id = from_id.max(first_since(connection, instrument, start)?);
    Ok(from_id..first_since(connection, instrument, end.saturating_add(1))?)
}

/// The first trade that was made at that time or later; a number beyond all if there is none. Ids
/// go up with time, and the candle of the second leads to them.
pub(crate) fn first_since(
    connection: &Connection,
    instrument: InstrumentId,
    time_ns: i64,
) -> rusqlite::Result<i64> {
    let Ok(since_ns @ 1..) = u64::try_from(time_ns) else { return Ok(0) };
    let second_ns = Interval::Second1.open_ns(TimeZone::UTC, since_ns);
    let find = "SELECT first_trade FROM candles WHERE instrument = ? AND interval = ? \
                AND open_ns >= ? ORDER BY open_ns LIMIT 1";
    let key = params![instrument.0, Interval::Second1.name(), int(second_ns)];
    let found = connection.prepare_cached(find)?.query_row(key, |row| row.get(0)).optional()?;
    let Some(first_of_second): Option<i64> = found else { return Ok(i64::MAX) };
    let find = "SELECT trade_id FROM trades WHERE instrument = ? AND trade_id >= ? \
                AND traded_ns >= ? ORDER BY trade_id LIMIT 1";
    let key = params![instrument.0, first_of_second, time_ns];
    let found = connection.prepare_cached(find)?.query_row(key, |row| row.get(0)).optional()?;
    Ok(found.unwrap_or(i64::MAX))
}

/// Where the first of the last aggregate trades begins that begin before a trade.
fn last_begin(
    connection: &Connection,
    instrument: InstrumentId,
    before_id: i64,
    limit: usize,
) -> rusqlite::Result<i64> {
    let select = "SELECT * FROM trades WHERE instrument = ? AND trade_id < ? \
                  ORDER BY trade_id DESC";
    let mut select = connection.prepare_cached(select)?;
    let mut rows = select.query(params![instrument.0, before_id])?;
    let mut last = LastBegin::new(before_id, limit);
    while let Some(row) = rows.next()? {
        if !last.push(&aggregated(row)?) {
            break;
        }
    }
    Ok(last.begin())
}

/// The aggregate trades that begin with `from_id` or later, and before `before_id`.
fn put_together(
    connection: &Connection,
    instrument: InstrumentId,
    from_id: i64,
    before_id: i64,
    limit: usize,
) -> rusqlite::Result<Vec<AggTrade>> {
    let mut page = AggPage::new(from_id, before_id, limit);
    let select = "SELECT * FROM trades WHERE instrument = ? AND trade_id >= ? ORDER BY trade_id";
    let mut select = connection.prepare_cached(select)?;
    let mut rows = select.query(params![instrument.0, page.first_id()])?;
    while let Some(row) = rows.next()? {
        if !page.push(&aggregated(row)?) {
            break;
        }
    }
    Ok(page.finish())
}

fn aggregated(row: &rusqlite::Row<'_>) -> rusqlite::Result<Part> {
    Ok(Part {
        trade: public_trade(row)?,
        command: row.uint("command")?,
        taker: OrderId(row.uint("taker_order_id")?),
    })
}

fn public_trade(row: &rusqlite::Row<'_>) -> rusqlite::Result<PublicTrade> {
    Ok(PublicTrade {
        trade_id: TradeId(row.uint("trade_id")?),
        price: row.price("price")?,
        qty: row.qty("qty")?,
        quote: row.amount("quote")?,
        traded_ns: row.uint("traded_ns")?,
        is_buyer_maker: row.parsed("side", Side::from_number)? == Side::Sell,
    })
}

/// The taker's side of a trade, and the maker's.
fn sides_of(instrument: InstrumentId, row: &rusqlite::Row<'_>) -> rusqlite::Result<[TradeSide; 2]> {
    let (price, quote, revision) = revised(row)?;
    let aggressor = row.parsed("side", Side::from_number)?;
    let side_of =
        |is_maker, [account, order_id, fee, fee_asset]: [&str; 4]| -> rusqlite::Result<TradeSide> {
            let side = AccountTrade {
                instrument,
                trade_id: TradeId(row.uint("trade_id")?),
                order_id: OrderId(row.uint(order_id)?),
                side: if is_maker { aggressor.opposite() } else { aggressor },
                is_maker,
                price,
                qty: row.qty("qty")?,
                quote,
                fee: row.amount(fee)?,
                fee_asset: column::asset(row, fee_asset)?,
                traded_ns: row.uint("traded_ns")?,
                revision,
            };
            Ok((AccountId(row.get(account)?), side))
        };
    Ok([
        side_of(false, ["taker_account", "taker_order_id", "taker_fee", "taker_fee_asset"])?,
        side_of(true, ["maker_account", "maker_order_id", "maker_fee", "maker_fee_asset"])?,
    ])
}

/// A trade's price and amount as they are now, and what an operator has changed.
fn revised(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Price, Amount, TradeRevision)> {
    let time = |name| row.get::<_, Option<i64>>(name).map(|ns| ns.map_or(0, i64::unsigned_abs));
    let (busted_ns, corrected_ns) = (time("busted_ns")?, time("corrected_ns")?);
    let executed = row.price("price")?;
    Ok(if corrected_ns > 0 {
        let revision = TradeRevision { busted_ns, corrected_ns, orig_price: Some(executed) };
        (row.price("corrected_price")?, row.amount("corrected_quote")?, revision)
    } else {
        let revision = TradeRevision { busted_ns, ..TradeRevision::default() };
        (executed, row.amount("quote")?, revision)
    })
}
