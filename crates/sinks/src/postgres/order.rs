//! Orders and their amendments, written.

use std::collections::{BTreeMap, HashMap};

use projection::changes::{Amendment, ChangedOrder, Changes};
use projection::give_way;
use types::{Amount, InstrumentId, Order, OrderId};

use crate::postgres::column::{Cells, wire};
use crate::postgres::copy::{Rows, int, number};
use crate::postgres::failure::Failed;
use crate::postgres::map::Scope;
use crate::postgres::number::Wide;
use crate::postgres::session::Session;

/// The last order of each instrument that is here. Ids rise: an order beyond it is new, and need
/// not be searched for.
pub(crate) type LastOrders = BTreeMap<InstrumentId, Option<OrderId>>;

type Key = (InstrumentId, OrderId);

const COLUMNS: i16 = 21;

pub(crate) async fn write_orders(
    session: &Session,
    changes: &Changes,
    scope: &Scope,
    last_orders: &mut LastOrders,
) -> Result<(), Failed> {
    let orders = changes.orders.sorted(|order| scope.has(order.account));
    let mut known = Vec::new();
    for ChangedOrder { order, .. } in &orders {
        let last = match last_orders.get(&order.instrument) {
            Some(last) => *last,
            None => {
                let last = last_order(session, order.instrument).await?;
                *last_orders.entry(order.instrument).or_insert(last)
            }
        };
        if last.is_some_and(|last| order.order_id <= last) {
            known.push((order.instrument, order.order_id));
        }
    }
    let first_quotes = take_out(session, known).await?;
    let (mut ended, mut open) = (Rows::new(COLUMNS), Rows::new(COLUMNS));
    for (at, changed) in orders.iter().enumerate() {
        give_way(at);
        let order = &changed.order;
        let key = (order.instrument, order.order_id);
        // Of its first event: self-trade prevention lowers it.
        let quote_order_qty = first_quotes.get(&key).copied().unwrap_or(order.quote_order_qty);
        let rows = if order.status.is_open() { &mut open } else { &mut ended };
        put(rows, changed, quote_order_qty);
        let last = last_orders.entry(order.instrument).or_default();
        *last = (*last).max(Some(order.order_id));
    }
    session.copy(&copy("orders"), ended).await?;
    session.copy(&copy("open_orders"), open).await
}

async fn last_order(
    session: &Session,
    instrument: InstrumentId,
) -> Result<Option<OrderId>, Failed> {
    let select = "SELECT greatest(\
        (SELECT order_id FROM orders WHERE instrument = $1 ORDER BY order_id DESC LIMIT 1), \
        (SELECT order_id FROM open_orders WHERE instrument = $1 ORDER BY order_id DESC LIMIT 1))";
    let row = session.query_maybe(select, &[&number(instrument.0)]).await?;
    let Some(row) = row else { return Ok(None) };
    let last: Option<i64> = Cells::new(&row).get()?;
    Ok(last.map(|id| OrderId(id.unsigned_abs())))
}

/// Deletes orders that will be written anew. Returns the quote amounts that they had.
async fn take_out(session: &Session, known: Vec<Key>) -> Result<HashMap<Key, Amount>, Failed> {
    let mut quotes = take_out_of(session, "open_orders", &known).await?;
    let missing: Vec<Key> = known.into_iter().filter(|key| !quotes.contains_key(key)).collect();
    // An order that was open when history began, or that changes after its end.
    quotes.extend(take_out_of(session, "orders", &missing).await?);
    Ok(quotes)
}

async fn take_out_of(
    session: &Session,
    table: &str,
    keys: &[Key],
) -> Result<HashMap<Key, Amount>, Failed> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let delete = format!(
        "DELETE FROM {table} o USING unnest($1::integer[], $2::bigint[]) k (instrument, order_id) \
         WHERE o.instrument = k.instrument AND o.order_id = k.order_id \
         RETURNING o.instrument, o.order_id, o.quote_order_qty"
    );
    let instruments: Vec<i32> = keys.iter().map(|(instrument, _)| number(instrument.0)).collect();
    let ids: Vec<i64> = keys.iter().map(|(_, id)| int(id.0)).collect();
    let rows = session.query(&delete, &[&instruments, &ids]).await?;
    let mut quotes = HashMap::with_capacity(rows.len());
    for row in &rows {
        let mut cells = Cells::new(row);
        let key = (cells.instrument()?, OrderId(cells.uint()?));
        quotes.insert(key, Amount::from_minor(cells.get::<Wide>()?.0));
    }
    Ok(quotes)
}

fn copy(table: &str) -> String {
    format!(
        "COPY {table} (instrument, order_id, account, cl_ord_id, side, order_type, time_in_force, \
         stp_mode, status, strategy_id, strategy_type, price, order_qty, quote_order_qty, cum_qty, \
         cum_quote, created_ns, updated_ns, order_list_id, terms, expire_cause) \
         FROM STDIN (FORMAT binary)"
    )
}

fn put(rows: &mut Rows, changed: &ChangedOrder, quote_order_qty: Amount) {
    let order: &Order = &changed.order;
    rows.row()
        .small(order.instrument.0)
        .uint(order.order_id.0)
        .account(order.account)
        .text(order.cl_ord_id.as_str())
        .kind(order.side.number())
        .kind(order.order_type.number())
        .kind(order.time_in_force.number())
        .kind(order.stp_mode.number())
        .kind(order.status.number())
        .maybe(order.strategy_id, Rows::long)
        .maybe(order.strategy_type, Rows::number)
        .long(order.price.ticks())
        .uint(order.order_qty.lots())
        .amount(quote_order_qty)
        .uint(order.cum_qty.lots())
        .amount(order.cum_quote)
        .uint(order.created_ns)
        .uint(order.updated_ns)
        .uint(order.terms.map_or(0, |terms| terms.order_list.0))
        .maybe(order.terms.as_ref().map(wire), |rows, terms| rows.bytes(&terms))
        .maybe(changed.expire_cause.map(|cause| cause.number()), Rows::kind);
}

pub(crate) async fn write_amendments(
    session: &Session,
    changes: &Changes,
    scope: &Scope,
) -> Result<(), Failed> {
    let mut rows = Rows::new(12);
    for amendment in changes.amendments.iter().filter(|it| scope.has(it.account)) {
        let Amendment { instrument, order_id, account_seq, account, .. } = *amendment;
        rows.row()
            .small(instrument.0)
            .uint(order_id.0)
            .uint(account_seq)
            .account(account)
            .text(amendment.orig_cl_ord_id.as_str())
            .text(amendment.cl_ord_id.as_str())
            .uint(amendment.orig_order_qty.lots())
            .uint(amendment.order_qty.lots())
            .long(amendment.orig_price.ticks())
            .long(amendment.price.ticks())
            .uint(amendment.prevented_qty.lots())
            .uint(amendment.amended_ns);
    }
    let copy = "COPY amendments (instrument, order_id, account_seq, account, orig_cl_ord_id, \
                cl_ord_id, orig_order_qty, order_qty, orig_price, price, prevented_qty, amended_ns) \
                FROM STDIN (FORMAT binary)";
    session.copy(copy, rows).await
}
