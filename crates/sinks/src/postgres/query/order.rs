//! Orders, their amendments and lists, and the trades that were prevented.

use projection::{
    AllOrderLists, AllOrders, Amendment, Amendments, AnyOrder, ExpireCauses, OneOrder,
    OneOrderList, OrdersInAll, PreventedFilter, PreventedMatches,
};
use tokio_postgres::Row;
use types::{
    AccountId, ClOrdId, ExpireCause, InstrumentId, Order, OrderId, OrderList, StpMode,
    TradePrevented,
};

use crate::postgres::column::{self, Cells, ORDER};
use crate::postgres::failure::Failed;
use crate::postgres::query::select::{Direction, Select, bound, page, small};
use crate::postgres::session::Session;

/// Where an order may be: with those that have ended, or with those that are open.
const TABLES: [&str; 2] = ["orders", "open_orders"];

pub(super) async fn all_orders(session: &Session, asked: &AllOrders) -> Result<Vec<Order>, Failed> {
    let AllOrders { account, instrument, filter } = *asked;
    let direction = Direction::of(filter.from_id.is_some() || filter.times.start_ns.is_some());
    let mut times = filter.times;
    if let Some(from_id) = filter.from_id {
        // Ids go up with time, and the index has times.
        let Some(created_ns) = created_from(session, instrument, from_id).await? else {
            return Ok(Vec::new());
        };
        times.start_ns = times.start_ns.max(Some(created_ns));
    }
    let mut orders = Vec::new();
    for table in TABLES {
        let mut select = Select::new(&format!("SELECT {ORDER} FROM {table} WHERE"));
        select
            .with(" account = ", i64::from(account.0))
            .with(" AND instrument = ", small(instrument.0))
            .within("created_ns", times)
            .maybe(" AND order_id >= ", filter.from_id.map(|id| bound(id.0)))
            .maybe(ENDS_SINCE, times.start_ns.map(bound))
            .text(&direction.by(&["created_ns", "order_id"]))
            .with(" LIMIT ", page(filter.limit));
        orders.extend(select.all(session, column::order).await?);
    }
    let at = |order: &Order| (order.created_ns, order.order_id);
    Ok(one_page(orders, direction, filter.limit, at))
}

pub(super) async fn orders_in_all(
    session: &Session,
    asked: &OrdersInAll,
) -> Result<Vec<Order>, Failed> {
    let OrdersInAll { account, times, limit } = *asked;
    let direction = Direction::of(times.start_ns.is_some());
    let mut orders = Vec::new();
    for table in TABLES {
        let mut select = Select::default();
        instruments_of(&mut select, table, account);
        select
            .text(&format!(
                " SELECT {ORDER} FROM (SELECT o.* FROM i CROSS JOIN LATERAL (\
                 SELECT * FROM {table} t WHERE t.instrument = i.instrument AND t.account = $1"
            ))
            .within("t.created_ns", times)
            .maybe(ENDS_SINCE, times.start_ns.map(bound))
            .text(&direction.by(&["t.created_ns", "t.order_id"]))
            .with(" LIMIT ", page(limit))
            .text(") o WHERE i.instrument IS NOT NULL) all_of_them")
            .text(&direction.by(&["created_ns", "instrument", "order_id"]))
            .with(" LIMIT ", page(limit));
        orders.extend(select.all(session, column::order).await?);
    }
    let at = |order: &Order| (order.created_ns, order.instrument, order.order_id);
    Ok(one_page(orders, direction, limit, at))
}

/// The account's instruments, as `i`: the index is read once for each, not for each row. The
/// account is the first parameter.
pub(super) fn instruments_of(select: &mut Select, table: &str, account: AccountId) {
    select
        .with(
            &format!(
                "WITH RECURSIVE i (instrument) AS ((SELECT instrument FROM {table} WHERE account = "
            ),
            i64::from(account.0),
        )
        .text(&format!(
            " ORDER BY instrument LIMIT 1) UNION ALL SELECT (SELECT n.instrument FROM {table} n \
             WHERE n.account = $1 AND n.instrument > i.instrument ORDER BY n.instrument LIMIT 1) \
             FROM i WHERE i.instrument IS NOT NULL)"
        ));
}

/// An order ends after its creation: earlier partitions need not be read.
const ENDS_SINCE: &str = " AND updated_ns >= ";

/// Rows of both tables as one page, oldest first.
fn one_page<K: Ord>(
    mut orders: Vec<Order>,
    direction: Direction,
    limit: usize,
    at: impl Fn(&Order) -> K,
) -> Vec<Order> {
    orders.sort_unstable_by_key(at);
    match direction {
        Direction::Ascending => orders.truncate(limit),
        Direction::Descending => drop(orders.drain(..orders.len().saturating_sub(limit))),
    }
    orders
}

/// When the first order of an instrument from this id on was created.
async fn created_from(
    session: &Session,
    instrument: InstrumentId,
    from_id: OrderId,
) -> Result<Option<u64>, Failed> {
    let mut first: Option<(u64, u64)> = None;
    for table in TABLES {
        let mut select = Select::new(&format!("SELECT order_id, created_ns FROM {table} WHERE"));
        select
            .with(" instrument = ", small(instrument.0))
            .with(" AND order_id >= ", bound(from_id.0))
            .text(" ORDER BY order_id LIMIT 1");
        let pair = |row: &Row| {
            let mut cells = Cells::new(row);
            Ok((cells.uint()?, cells.uint()?))
        };
        first = first.into_iter().chain(select.first(session, pair).await?).min();
    }
    Ok(first.map(|(_, created_ns)| created_ns))
}

pub(super) async fn order(session: &Session, asked: &OneOrder) -> Result<Option<Order>, Failed> {
    let OneOrder { account, instrument, order } = *asked;
    match (order.order_id, order.cl_ord_id) {
        (Some(order_id), name) => {
            for table in TABLES {
                let mut select = by_id(table, instrument, order_id);
                select
                    .with(" AND account = ", i64::from(account.0))
                    .maybe(" AND cl_ord_id = ", name.map(|name| name.as_str().to_owned()));
                if let Some(order) = select.first(session, column::order).await? {
                    return Ok(Some(order));
                }
            }
            Ok(None)
        }
        (None, Some(name)) => named(session, account, instrument, name).await,
        (None, None) => Ok(None),
    }
}

fn by_id(table: &str, instrument: InstrumentId, order_id: OrderId) -> Select {
    let mut select = Select::new(&format!("SELECT {ORDER} FROM {table} WHERE"));
    select.with(" instrument = ", small(instrument.0)).with(" AND order_id = ", bound(order_id.0));
    select
}

/// The open order of that name, or else the last one: of all that were given the name later, and
/// the last that was created with it. While one is open, no other can be created with its name.
async fn named(
    session: &Session,
    account: AccountId,
    instrument: InstrumentId,
    name: ClOrdId,
) -> Result<Option<Order>, Failed> {
    let mut last: Option<Order> = None;
    let mut found = Vec::new();
    for table in TABLES {
        let mut select = Select::new(&format!("SELECT {ORDER} FROM {table} WHERE"));
        select
            .with(" account = ", i64::from(account.0))
            .with(" AND instrument = ", small(instrument.0))
            .with(" AND cl_ord_id = ", name.as_str().to_owned())
            .text(" ORDER BY order_id DESC LIMIT 1");
        let one = select.first(session, column::order).await?;
        last = last.into_iter().chain(one).max_by_key(|order| order.order_id);
        let mut select = Select::new(&format!("SELECT {ORDER} FROM {table} WHERE"));
        select
            .with(" instrument = ", small(instrument.0))
            .with(" AND cl_ord_id = ", name.as_str().to_owned())
            .text(" AND order_id IN (SELECT order_id FROM amendments a WHERE")
            .with(" a.account = ", i64::from(account.0))
            .with(" AND a.instrument = ", small(instrument.0))
            .with(" AND a.cl_ord_id = ", name.as_str().to_owned())
            .text(")");
        found.extend(select.all(session, column::order).await?);
    }
    found.extend(last);
    Ok(found
        .into_iter()
        .max_by_key(|order| (order.status.is_open(), order.updated_ns, order.order_id)))
}

pub(super) async fn expire_causes(
    session: &Session,
    asked: &ExpireCauses,
) -> Result<Vec<((InstrumentId, OrderId), ExpireCause)>, Failed> {
    let instruments: Vec<i32> = asked.orders.iter().map(|(it, _)| small(it.0)).collect();
    let ids: Vec<i64> = asked.orders.iter().map(|(_, id)| bound(id.0)).collect();
    let mut select = Select::new("SELECT o.instrument, o.order_id, o.expire_cause FROM unnest(");
    select.with("", instruments).with("::integer[], ", ids).text(
        "::bigint[]) WITH ORDINALITY k (instrument, order_id, number) \
         JOIN orders o ON o.instrument = k.instrument AND o.order_id = k.order_id \
         WHERE o.expire_cause IS NOT NULL ORDER BY k.number",
    );
    select
        .all(session, |row| {
            let mut cells = Cells::new(row);
            let key = (cells.instrument()?, OrderId(cells.uint()?));
            Ok((key, cells.choice(ExpireCause::from_number)?))
        })
        .await
}

pub(super) async fn any_order(
    session: &Session,
    asked: &AnyOrder,
) -> Result<Option<Order>, Failed> {
    for table in TABLES {
        let select = by_id(table, asked.instrument, asked.order_id);
        if let Some(order) = select.first(session, column::order).await? {
            return Ok(Some(order));
        }
    }
    Ok(None)
}

pub(super) async fn amendments(
    session: &Session,
    asked: &Amendments,
) -> Result<Vec<Amendment>, Failed> {
    let Amendments { account, instrument, order_id, from_seq, limit } = *asked;
    let mut select = Select::new(
        "SELECT instrument, order_id, account, account_seq, orig_cl_ord_id, cl_ord_id, \
         orig_order_qty, order_qty, orig_price, price, prevented_qty, amended_ns \
         FROM amendments WHERE",
    );
    select
        .with(" instrument = ", small(instrument.0))
        .with(" AND order_id = ", bound(order_id.0))
        .with(" AND account = ", i64::from(account.0))
        .with(" AND account_seq >= ", bound(from_seq))
        .with(" ORDER BY account_seq LIMIT ", page(limit));
    select.all(session, amendment).await
}

pub(super) async fn order_list(
    session: &Session,
    asked: &OneOrderList,
) -> Result<Option<OrderList>, Failed> {
    let OneOrderList { account, instrument, order_list, cl_ord_id } = *asked;
    let mut select = Select::new("SELECT list FROM order_lists WHERE");
    select
        .with(" account = ", i64::from(account.0))
        .maybe(" AND instrument = ", instrument.map(|id| small(id.0)))
        .maybe(" AND order_list_id = ", order_list.map(|id| bound(id.0)))
        .maybe(" AND cl_ord_id = ", cl_ord_id.map(|name| name.as_str().to_owned()))
        .text(" ORDER BY created_ns DESC, order_list_id DESC LIMIT 1");
    select.first(session, |row| Cells::new(row).stored()).await
}

pub(super) async fn all_order_lists(
    session: &Session,
    asked: &AllOrderLists,
) -> Result<Vec<OrderList>, Failed> {
    let AllOrderLists { account, filter } = asked;
    let direction = Direction::of(filter.from_id.is_some() || filter.times.start_ns.is_some());
    let mut select = Select::new("SELECT list FROM order_lists WHERE");
    select
        .with(" account = ", i64::from(account.0))
        .maybe(" AND instrument = ", filter.instrument.map(|id| small(id.0)))
        .maybe(" AND order_list_id >= ", filter.from_id.map(|id| bound(id.0)))
        .within("created_ns", filter.times)
        .text(&direction.by(&["created_ns", "order_list_id"]))
        .with(" LIMIT ", page(filter.limit));
    let lists = select.all(session, |row| Cells::new(row).stored()).await?;
    Ok(direction.oldest_first(lists))
}

pub(super) async fn prevented_matches(
    session: &Session,
    asked: &PreventedMatches,
) -> Result<Vec<TradePrevented>, Failed> {
    let PreventedMatches { account, instrument, filter } = *asked;
    let mut select = Select::new(&format!("SELECT {PREVENTED} FROM prevented_matches WHERE"));
    let account = i64::from(account.0);
    select
        .with(" instrument = ", small(instrument.0))
        .with(" AND (maker_account = ", account)
        .with(" OR taker_account = ", account)
        .text(")");
    let limit = match filter {
        PreventedFilter::One(id) => {
            select.with(" AND prevented_match_id = ", bound(id));
            1
        }
        PreventedFilter::OfOrder { order_id, from_id, limit } => {
            let id = bound(order_id.0);
            select
                .with(" AND (maker_order_id = ", id)
                .with(" OR taker_order_id = ", id)
                .with(") AND prevented_match_id >= ", bound(from_id));
            limit
        }
    };
    select.with(" ORDER BY prevented_match_id LIMIT ", page(limit));
    select.all(session, prevented).await
}

fn amendment(row: &Row) -> Result<Amendment, Failed> {
    let mut cells = Cells::new(row);
    Ok(Amendment {
        instrument: cells.instrument()?,
        order_id: OrderId(cells.uint()?),
        account: cells.account()?,
        account_seq: cells.uint()?,
        orig_cl_ord_id: cells.cl_ord_id()?,
        cl_ord_id: cells.cl_ord_id()?,
        orig_order_qty: cells.qty()?,
        order_qty: cells.qty()?,
        orig_price: cells.price()?,
        price: cells.price()?,
        prevented_qty: cells.qty()?,
        amended_ns: cells.uint()?,
    })
}

/// The columns of [`prevented`].
pub(crate) const PREVENTED: &str = "instrument, prevented_match_id, price, qty, stp_mode, \
    stp_group, maker_account, maker_order_id, maker_prevented_qty, taker_account, taker_order_id, \
    taker_prevented_qty, prevented_ns";

pub(crate) fn prevented(row: &Row) -> Result<TradePrevented, Failed> {
    let mut cells = Cells::new(row);
    Ok(TradePrevented {
        // Market data's number of it is not kept.
        instrument_seq: 0,
        instrument: cells.instrument()?,
        prevented_match_id: cells.uint()?,
        price: cells.price()?,
        qty: cells.qty()?,
        stp_mode: cells.choice(StpMode::from_number)?,
        stp_group: cells.u32()?,
        maker_account: cells.account()?,
        maker_order_id: OrderId(cells.uint()?),
        maker_prevented_qty: cells.qty()?,
        taker_account: cells.account()?,
        taker_order_id: OrderId(cells.uint()?),
        taker_prevented_qty: cells.qty()?,
        prevented_ns: cells.uint()?,
    })
}
