//! Orders and their amendments, written.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Row, Transaction, params};
use types::{Amount, ExpireCause, InstrumentId, Order};

use crate::changes::{Amendment, ChangedOrder, Changes};
use crate::give_way::give_way;
use crate::sqlite::column::{Columns, Wide, int, wire};
use crate::sqlite::names::{self, Filtered};
use crate::sqlite::query::blocks::{self, Ids};
use crate::sqlite::rows;

/// What is written of an order.
struct Written<'a> {
    order: &'a Order,
    /// Of its first event: self-trade prevention lowers it.
    quote_order_qty: Amount,
    expire_cause: Option<ExpireCause>,
}

impl Written<'_> {
    fn is_plain(&self) -> bool {
        let Order { terms, strategy_id, strategy_type, .. } = self.order;
        terms.is_none()
            && strategy_id.is_none()
            && strategy_type.is_none()
            && self.quote_order_qty.is_zero()
    }
}

pub(super) fn write_orders(
    transaction: &Transaction<'_>,
    changes: &Changes,
    filtered: &mut Filtered,
) -> rusqlite::Result<()> {
    let (mut written, mut named, mut ids) = (Vec::new(), Vec::new(), Ids::default());
    let mut last: BTreeMap<InstrumentId, Option<i64>> = BTreeMap::new();
    let mut newest = BTreeMap::new();
    for (at, changed) in changes.orders.sorted(|_| true).into_iter().enumerate() {
        give_way(at);
        let ChangedOrder { order, expire_cause } = changed;
        let Order { instrument, order_id, .. } = *order;
        newest.insert(instrument, order_id);
        let last = match last.get(&instrument) {
            Some(last) => *last,
            None => *last.entry(instrument).or_insert(last_order(transaction, instrument)?),
        };
        // Ids rise: most orders have not been here, and need not be searched for.
        let known = if last.is_some_and(|last| int(order_id.0) <= last) {
            find(transaction, order)?
        } else {
            None
        };
        if known.is_none_or(|(has_name, _)| !has_name) {
            let whose = (order.account, instrument);
            ids.insert(whose, int(order_id.0), names::tag(order.account, order.cl_ord_id));
            named.push(order);
        }
        written.push(Written {
            order,
            quote_order_qty: known.map_or(order.quote_order_qty, |(_, first)| first),
            expire_cause: *expire_cause,
        });
    }
    for amendment in changes.amendments.iter().filter(|it| it.orig_cl_ord_id != it.cl_ord_id) {
        let Amendment { instrument, order_id, account, orig_cl_ord_id, cl_ord_id, .. } = *amendment;
        for name in [orig_cl_ord_id, cl_ord_id] {
            ids.insert((account, instrument), int(order_id.0), names::tag(account, name));
        }
    }
    let (plain, special): (Vec<_>, Vec<_>) = written.into_iter().partition(Written::is_plain);
    write(transaction, &plain, true)?;
    write(transaction, &special, false)?;
    ids.add(transaction, blocks::ORDERS)?;
    for order in named {
        filtered.wrote(transaction, order)?;
    }
    for (instrument, last) in newest {
        filtered.complete(transaction, instrument, last)?;
    }
    Ok(())
}

fn last_order(
    transaction: &Transaction<'_>,
    instrument: InstrumentId,
) -> rusqlite::Result<Option<i64>> {
    let last = "SELECT order_id FROM orders WHERE instrument = ? ORDER BY order_id DESC LIMIT 1";
    let mut last = transaction.prepare_cached(last)?;
    last.query_row([instrument.0], |row| row.get(0)).optional()
}

/// Whether an order is here with its name, and the quote amount that it is here with.
fn find(transaction: &Transaction<'_>, order: &Order) -> rusqlite::Result<Option<(bool, Amount)>> {
    let find =
        "SELECT quote_order_qty, cl_ord_id FROM orders WHERE instrument = ? AND order_id = ?";
    let key = params![order.instrument.0, int(order.order_id.0)];
    let mut find = transaction.prepare_cached(find)?;
    let found = |row: &Row<'_>| {
        let has_name = row.get_ref(1)?.as_str()? == order.cl_ord_id.as_str();
        Ok((has_name, row.amount(0)?))
    };
    find.query_row(key, found).optional()
}

/// All of them plain, or none: what a plain order does not have need not be bound.
fn write(
    transaction: &Transaction<'_>,
    written: &[Written<'_>],
    is_plain: bool,
) -> rusqlite::Result<()> {
    let [strategy, quote, terms] =
        if is_plain { ["NULL, NULL", "0", "0, NULL"] } else { ["?, ?", "?", "?, ?"] };
    let values =
        format!("(?, ?, ?, ?, ?, ?, ?, ?, ?, {strategy}, ?, ?, {quote}, ?, ?, ?, ?, {terms}, ?)");
    rows::insert(transaction, "orders", &values, written, |row, written| {
        let Written { order, quote_order_qty, expire_cause } = written;
        row.bind(params![
            order.instrument.0,
            int(order.order_id.0),
            order.account.0,
            order.cl_ord_id.as_str(),
            order.side.number(),
            order.order_type.number(),
            order.time_in_force.number(),
            order.stp_mode.number(),
            order.status.number(),
        ])?;
        if !is_plain {
            row.bind(params![order.strategy_id, order.strategy_type])?;
        }
        row.bind(params![order.price.ticks(), int(order.order_qty.lots())])?;
        if !is_plain {
            row.bind(params![Wide::from(*quote_order_qty)])?;
        }
        row.bind(params![
            int(order.cum_qty.lots()),
            Wide::from(order.cum_quote),
            int(order.created_ns),
            int(order.updated_ns),
        ])?;
        if !is_plain {
            let order_list_id = order.terms.map_or(0, |terms| terms.order_list.0);
            row.bind(params![int(order_list_id), order.terms.as_ref().map(wire)])?;
        }
        row.bind(params![expire_cause.map(|cause| cause.number())])
    })
}

pub(super) fn write_amendments(
    transaction: &Transaction<'_>,
    changes: &Changes,
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT OR REPLACE INTO amendments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for amendment in &changes.amendments {
        insert.execute(params![
            amendment.instrument.0,
            int(amendment.order_id.0),
            int(amendment.account_seq),
            amendment.account.0,
            amendment.orig_cl_ord_id.as_str(),
            amendment.cl_ord_id.as_str(),
            int(amendment.orig_order_qty.lots()),
            int(amendment.order_qty.lots()),
            amendment.orig_price.ticks(),
            amendment.price.ticks(),
            int(amendment.prevented_qty.lots()),
            int(amendment.amended_ns),
        ])?;
    }
    Ok(())
}
