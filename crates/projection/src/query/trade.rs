//! Trades: everybody's, one account's, and aggregated.

use marketdata::PublicTrade;
use rusqlite::{OptionalExtension, params};
use types::{AccountId, AccountTrade, AggTrade, InstrumentId, OrderId, Side, TradeId};

use crate::column::{self, Columns};
use crate::error::ProjectionError;
use crate::history::History;
use crate::query::{Times, bound, page};
use crate::store::agg_trade;

/// Which trades of an account.
#[derive(Clone, Copy, Debug, Default)]
pub struct TradeFilter {
    pub order_id: Option<OrderId>,
    pub from_id: Option<TradeId>,
    pub times: Times,
    /// From the first one that is wanted, if that was named; else the last ones.
    pub limit: usize,
}

/// Which aggregate trades.
#[derive(Clone, Copy, Debug, Default)]
pub struct AggFilter {
    pub from_id: Option<TradeId>,
    pub times: Times,
    pub limit: usize,
}

impl History {
    /// An account's trades in one instrument, oldest first. One that was corrected has its new
    /// price; one that was busted is there still.
    pub fn my_trades(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        filter: &TradeFilter,
    ) -> Result<Vec<AccountTrade>, ProjectionError> {
        let from_the_first = filter.from_id.is_some() || filter.times.start_ns.is_some();
        let direction = if from_the_first { "ASC" } else { "DESC" };
        // The planner would read all of the account's.
        let (by_order, of_order) = match filter.order_id {
            Some(_) => ("INDEXED BY fills_by_order", "AND order_id = ?3"),
            None => ("", ""),
        };
        let (start, end) = filter.times.bounds();
        self.ask(|connection| {
            // Ids go up with time.
            let first = |time: i64| -> rusqlite::Result<i64> {
                let find = "SELECT trade_id FROM trades WHERE instrument = ? AND traded_ns >= ? \
                            ORDER BY traded_ns, trade_id LIMIT 1";
                let mut find = connection.prepare_cached(find)?;
                let found = find.query_row(params![instrument.0, time], |row| row.get(0));
                Ok(found.optional()?.unwrap_or(i64::MAX))
            };
            let mut from_id = filter.from_id.map_or(0, |id| bound(id.0));
            if start > i64::MIN {
                from_id = from_id.max(first(start)?);
            }
            let before_id = if end < i64::MAX { first(end + 1)? } else { i64::MAX };
            let select = format!(
                "SELECT fills.*, traded_ns, price, qty, quote, corrected_price, corrected_quote \
                 FROM fills {by_order} CROSS JOIN trades USING (instrument, trade_id) WHERE account = ?1 AND fills.instrument = ?2 {of_order} \
                 AND fills.trade_id >= ?4 AND fills.trade_id < ?5 \
                 ORDER BY fills.trade_id {direction}, is_maker {direction} LIMIT ?6"
            );
            let order_id = filter.order_id.map_or(0, |id| bound(id.0));
            let limit = page(filter.limit);
            let key = params![account.0, instrument.0, order_id, from_id, before_id, limit];
            let mut select = connection.prepare_cached(&select)?;
            let trades = select.query_map(key, |row| account_trade(instrument, row))?;
            let mut trades: Vec<AccountTrade> = trades.collect::<Result<_, _>>()?;
            if !from_the_first {
                trades.reverse();
            }
            Ok(trades)
        })
    }

    /// Everybody's trades as they were made, oldest first: from one on, or the last ones.
    pub fn historical_trades(
        &self,
        instrument: InstrumentId,
        from_id: Option<TradeId>,
        limit: usize,
    ) -> Result<Vec<PublicTrade>, ProjectionError> {
        let direction = if from_id.is_some() { "ASC" } else { "DESC" };
        self.ask(|connection| {
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
        })
    }

    /// Aggregate trades, oldest first: from one or from a time on, or the last ones.
    pub fn agg_trades(
        &self,
        instrument: InstrumentId,
        filter: &AggFilter,
    ) -> Result<Vec<AggTrade>, ProjectionError> {
        let from_the_first = filter.from_id.is_some() || filter.times.start_ns.is_some();
        let direction = if from_the_first { "ASC" } else { "DESC" };
        let (start, end) = filter.times.bounds();
        self.ask(|connection| {
            let from = filter.from_id.map_or(0, |id| bound(id.0));
            let order = match filter.from_id {
                Some(_) => "first_trade ASC".to_owned(),
                None => format!("traded_ns {direction}, first_trade {direction}"),
            };
            let select = format!(
                "SELECT * FROM agg_trades WHERE instrument = ?1 AND first_trade >= ?2 \
                 AND traded_ns BETWEEN ?3 AND ?4 ORDER BY {order} LIMIT ?5"
            );
            let key = params![instrument.0, from, start, end, page(filter.limit)];
            let mut select = connection.prepare_cached(&select)?;
            let mut trades: Vec<AggTrade> =
                select.query_map(key, agg_trade)?.collect::<Result<_, _>>()?;
            if !from_the_first {
                trades.reverse();
            }
            Ok(trades)
        })
    }
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

/// Of a fill joined with its trade.
fn account_trade(
    instrument: InstrumentId,
    row: &rusqlite::Row<'_>,
) -> rusqlite::Result<AccountTrade> {
    let (price, quote) = match row.get::<_, Option<i64>>("corrected_price")? {
        Some(_) => (row.price("corrected_price")?, row.amount("corrected_quote")?),
        None => (row.price("price")?, row.amount("quote")?),
    };
    Ok(AccountTrade {
        instrument,
        trade_id: TradeId(row.uint("trade_id")?),
        order_id: OrderId(row.uint("order_id")?),
        side: row.parsed("side", Side::from_number)?,
        is_maker: row.get("is_maker")?,
        price,
        qty: row.qty("qty")?,
        quote,
        fee: row.amount("fee")?,
        fee_asset: column::asset(row, "fee_asset")?,
        traded_ns: row.uint("traded_ns")?,
    })
}
