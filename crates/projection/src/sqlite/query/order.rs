//! Orders, their amendments and lists, and the trades that were prevented.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};
use types::{
    AccountId, ClOrdId, ExpireCause, InstrumentId, Order, OrderId, OrderList, Price, Qty, StpMode,
    TradePrevented,
};

use crate::changes::Amendment;
use crate::question::{
    AllOrderLists, AllOrders, Amendments, AnyOrder, ExpireCauses, OneOrder, OneOrderList,
    OrderFilter, OrdersInAll, PreventedFilter, PreventedMatches,
};
use crate::sqlite::column::{self, Columns, read_wire};
use crate::sqlite::names::{self, candidates};
use crate::sqlite::query::blocks::Direction::{self, Ascending, Descending};
use crate::sqlite::query::blocks::{self, Search, first_created_since, merged};
use crate::sqlite::query::bounds::{bound, bounds, page};

pub(super) fn all_orders(
    connection: &Connection,
    asked: &AllOrders,
) -> rusqlite::Result<Vec<Order>> {
    let AllOrders { account, instrument, filter } = *asked;
    let direction = if filter.from_id.is_some() { Ascending } else { Direction::of(filter.times) };
    let ids = ids_of(connection, instrument, &filter)?;
    let mut orders = page_of(connection, (account, instrument), ids, direction, filter.limit)?;
    if direction == Descending {
        orders.reverse();
    }
    Ok(orders)
}

pub(super) fn orders_in_all(
    connection: &Connection,
    asked: &OrdersInAll,
) -> rusqlite::Result<Vec<Order>> {
    let OrdersInAll { account, times, limit } = *asked;
    let filter = OrderFilter { from_id: None, times, limit };
    let direction = Direction::of(times);
    let at = |order: &Order| (order.created_ns, order.instrument, order.order_id);
    let page = |instrument, after: Option<&Order>, len| {
        let mut ids = ids_of(connection, instrument, &filter)?;
        match (after.map(|after| bound(after.order_id.0)), direction) {
            (Some(id), Ascending) => ids.start = ids.start.max(id + 1),
            (Some(id), Descending) => ids.end = ids.end.min(id),
            (None, _) => {}
        }
        page_of(connection, (account, instrument), ids, direction, len)
    };
    merged(connection, blocks::ORDERS, account, (times, limit), page, at)
}

/// The first orders of an account in one instrument, in a direction.
fn page_of(
    connection: &Connection,
    (account, instrument): (AccountId, InstrumentId),
    ids: Range<i64>,
    direction: Direction,
    limit: usize,
) -> rusqlite::Result<Vec<Order>> {
    let search = Search { account, instrument, ids, tag: None, direction, limit };
    let mut select = connection.prepare_cached(BY_ID)?;
    search.run(connection, blocks::ORDERS, |id, found: &mut Vec<Order>| {
        let order = select.query_row(params![instrument.0, id], column::order).optional()?;
        found.extend(order);
        Ok(())
    })
}

pub(super) fn order(connection: &Connection, asked: &OneOrder) -> rusqlite::Result<Option<Order>> {
    let OneOrder { account, instrument, order } = *asked;
    match order.order_id {
        Some(order_id) => {
            let select = "SELECT * FROM orders WHERE instrument = ? AND order_id = ? \
                          AND account = ? AND cl_ord_id = coalesce(?, cl_ord_id)";
            let name = order.cl_ord_id.map(|name| name.as_str().to_owned());
            let key = params![instrument.0, bound(order_id.0), account.0, name];
            connection.prepare_cached(select)?.query_row(key, column::order).optional()
        }
        None => {
            let Some(name) = order.cl_ord_id else { return Ok(None) };
            let created = created_as(connection, account, instrument, name)?;
            let renamed = renamed_to(connection, account, instrument, name)?;
            Ok(created
                .into_iter()
                .chain(renamed)
                .max_by_key(|order| (order.status.is_open(), order.updated_ns, order.order_id)))
        }
    }
}

pub(super) fn expire_causes(
    connection: &Connection,
    asked: &ExpireCauses,
) -> rusqlite::Result<Vec<((InstrumentId, OrderId), ExpireCause)>> {
    let select = "SELECT expire_cause FROM orders WHERE instrument = ? AND order_id = ? \
                  AND expire_cause IS NOT NULL";
    let mut select = connection.prepare_cached(select)?;
    let mut causes = Vec::new();
    for (instrument, order_id) in &asked.orders {
        let key = params![instrument.0, bound(order_id.0)];
        let cause = |row: &rusqlite::Row<'_>| row.parsed("expire_cause", ExpireCause::from_number);
        let cause = select.query_row(key, cause).optional()?;
        causes.extend(cause.map(|cause| ((*instrument, *order_id), cause)));
    }
    Ok(causes)
}

pub(super) fn any_order(
    connection: &Connection,
    asked: &AnyOrder,
) -> rusqlite::Result<Option<Order>> {
    let key = params![asked.instrument.0, bound(asked.order_id.0)];
    connection.prepare_cached(BY_ID)?.query_row(key, column::order).optional()
}

pub(super) fn amendments(
    connection: &Connection,
    asked: &Amendments,
) -> rusqlite::Result<Vec<Amendment>> {
    let Amendments { account, instrument, order_id, from_seq, limit } = *asked;
    let select = "SELECT * FROM amendments WHERE instrument = ? AND order_id = ? \
                  AND account = ? AND account_seq >= ? ORDER BY account_seq LIMIT ?";
    let key = params![instrument.0, bound(order_id.0), account.0, bound(from_seq), page(limit)];
    connection.prepare_cached(select)?.query_map(key, amendment)?.collect()
}

pub(super) fn order_list(
    connection: &Connection,
    asked: &OneOrderList,
) -> rusqlite::Result<Option<OrderList>> {
    let OneOrderList { account, instrument, order_list, cl_ord_id } = *asked;
    let select = "SELECT list FROM order_lists WHERE account = ?1 \
                  AND instrument = coalesce(?2, instrument) \
                  AND order_list_id = coalesce(?3, order_list_id) \
                  AND cl_ord_id = coalesce(?4, cl_ord_id) \
                  ORDER BY created_ns DESC, order_list_id DESC LIMIT 1";
    let id = order_list.map(|id| bound(id.0));
    let name = cl_ord_id.map(|name| name.as_str().to_owned());
    let key = params![account.0, instrument.map(|id| id.0), id, name];
    connection.prepare_cached(select)?.query_row(key, order_list_of).optional()
}

pub(super) fn all_order_lists(
    connection: &Connection,
    asked: &AllOrderLists,
) -> rusqlite::Result<Vec<OrderList>> {
    let AllOrderLists { account, filter } = asked;
    let from_the_first = filter.from_id.is_some() || filter.times.start_ns.is_some();
    let direction = if from_the_first { "ASC" } else { "DESC" };
    let (start, end) = bounds(filter.times);
    let select = format!(
        "SELECT list FROM order_lists WHERE account = ? \
         AND instrument = coalesce(?, instrument) AND order_list_id >= ? \
         AND created_ns BETWEEN ? AND ? \
         ORDER BY created_ns {direction}, order_list_id {direction} LIMIT ?"
    );
    let key = params![
        account.0,
        filter.instrument.map(|id| id.0),
        filter.from_id.map_or(0, |id| bound(id.0)),
        start,
        end,
        page(filter.limit)
    ];
    let mut select = connection.prepare_cached(&select)?;
    let lists = select.query_map(key, order_list_of)?;
    let mut lists: Vec<OrderList> = lists.collect::<Result<_, _>>()?;
    if !from_the_first {
        lists.reverse();
    }
    Ok(lists)
}

pub(super) fn prevented_matches(
    connection: &Connection,
    asked: &PreventedMatches,
) -> rusqlite::Result<Vec<TradePrevented>> {
    let PreventedMatches { account, instrument, filter } = *asked;
    let (select, id, from_id, limit) = match filter {
        PreventedFilter::One(id) => ("prevented_match_id = ?3", id, 0, 1),
        PreventedFilter::OfOrder { order_id, from_id, limit } => {
            (OF_ORDER, order_id.0, from_id, limit)
        }
    };
    let select = format!(
        "SELECT * FROM prevented_matches WHERE instrument = ?1 \
         AND (maker_account = ?2 OR taker_account = ?2) AND {select} \
         AND +prevented_match_id >= ?4 ORDER BY prevented_match_id LIMIT ?5"
    );
    let key = params![instrument.0, account.0, bound(id), bound(from_id), page(limit)];
    connection.prepare_cached(&select)?.query_map(key, prevented)?.collect()
}

/// From which id on, and before which.
fn ids_of(
    connection: &Connection,
    instrument: InstrumentId,
    filter: &OrderFilter,
) -> rusqlite::Result<Range<i64>> {
    let (start, end) = bounds(filter.times);
    let from_id = filter.from_id.map_or(0, |id| bound(id.0));
    let from_id = from_id.max(first_created_since(connection, instrument, start)?);
    let before_id = match filter.times.end_ns {
        Some(_) => first_created_since(connection, instrument, end.saturating_add(1))?,
        None => i64::MAX,
    };
    Ok(from_id..before_id)
}

/// The last order that has that name and was created with it: while one is open, no other can be
/// created with its name.
fn created_as(
    connection: &Connection,
    account: AccountId,
    instrument: InstrumentId,
    name: ClOrdId,
) -> rusqlite::Result<Option<Order>> {
    let mut select = connection.prepare_cached(BY_ID)?;
    let mut look = |id, found: &mut Vec<Order>| {
        let order = select.query_row(params![instrument.0, id], column::order).optional()?;
        // It may have had the name before, or share its tag.
        found.extend(order.filter(|order| order.cl_ord_id == name));
        Ok(())
    };
    for ids in candidates(connection, instrument, (account, name))? {
        let search = Search {
            account,
            instrument,
            ids,
            tag: Some(names::tag(account, name)),
            direction: Descending,
            limit: 1,
        };
        let found = search.run(connection, blocks::ORDERS, &mut look)?;
        if !found.is_empty() {
            return Ok(found.into_iter().next());
        }
    }
    Ok(None)
}

/// Orders that were given that name later, and have it still: they may be older than the last that
/// was created with it, and have been open after it.
fn renamed_to(
    connection: &Connection,
    account: AccountId,
    instrument: InstrumentId,
    name: ClOrdId,
) -> rusqlite::Result<Vec<Order>> {
    let select = "SELECT * FROM orders WHERE instrument = ?2 AND cl_ord_id = ?3 AND order_id IN (\
                  SELECT order_id FROM amendments INDEXED BY amendments_by_cl_ord_id \
                  WHERE account = ?1 AND instrument = ?2 AND cl_ord_id = ?3)";
    let key = params![account.0, instrument.0, name.as_str()];
    connection.prepare_cached(select)?.query_map(key, column::order)?.collect()
}

const BY_ID: &str = "SELECT * FROM orders WHERE instrument = ? AND order_id = ?";

/// The planner would read all of the instrument's.
const OF_ORDER: &str = "prevented_match_id IN (\
    SELECT prevented_match_id FROM prevented_matches INDEXED BY prevented_by_maker \
    WHERE instrument = ?1 AND maker_order_id = ?3 \
    UNION SELECT prevented_match_id FROM prevented_matches INDEXED BY prevented_by_taker \
    WHERE instrument = ?1 AND taker_order_id = ?3)";

fn amendment(row: &rusqlite::Row<'_>) -> rusqlite::Result<Amendment> {
    let name = |text: String| ClOrdId::parse(&text);
    Ok(Amendment {
        instrument: InstrumentId(row.get("instrument")?),
        order_id: OrderId(row.uint("order_id")?),
        account: AccountId(row.get("account")?),
        account_seq: row.uint("account_seq")?,
        orig_cl_ord_id: row.parsed("orig_cl_ord_id", name)?,
        cl_ord_id: row.parsed("cl_ord_id", name)?,
        orig_order_qty: row.qty("orig_order_qty")?,
        order_qty: row.qty("order_qty")?,
        orig_price: row.price("orig_price")?,
        price: row.price("price")?,
        prevented_qty: row.qty("prevented_qty")?,
        amended_ns: row.uint("amended_ns")?,
    })
}

fn order_list_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<OrderList> {
    row.parsed("list", |bytes: Vec<u8>| read_wire(&bytes))
}

fn prevented(row: &rusqlite::Row<'_>) -> rusqlite::Result<TradePrevented> {
    Ok(TradePrevented {
        // Market data's number of it is not kept.
        instrument_seq: 0,
        instrument: InstrumentId(row.get("instrument")?),
        prevented_match_id: row.uint("prevented_match_id")?,
        price: Price::from_ticks(row.get("price")?),
        qty: Qty::from_lots(row.uint("qty")?),
        stp_mode: row.parsed("stp_mode", StpMode::from_number)?,
        stp_group: row.get("stp_group")?,
        maker_account: AccountId(row.get("maker_account")?),
        maker_order_id: OrderId(row.uint("maker_order_id")?),
        maker_prevented_qty: row.qty("maker_prevented_qty")?,
        taker_account: AccountId(row.get("taker_account")?),
        taker_order_id: OrderId(row.uint("taker_order_id")?),
        taker_prevented_qty: row.qty("taker_prevented_qty")?,
        prevented_ns: row.uint("prevented_ns")?,
    })
}
