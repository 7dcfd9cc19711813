//! Orders and their amendments, written.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Transaction, params};
use types::{AccountId, InstrumentId};

use crate::changes::Changes;
use crate::give_way::give_way;
use crate::sqlite::column::{Wide, int, wire};
use crate::sqlite::names::Filtered;
use crate::sqlite::query::blocks::block_of;

/// Returns the blocks that the orders are in.
pub(super) fn write_orders(
    transaction: &Transaction<'_>,
    changes: &Changes,
    filtered: &mut Filtered,
) -> rusqlite::Result<BTreeSet<(AccountId, InstrumentId, i64)>> {
    // What the index has of an order is left alone, as long as it is the same. So is its quote
    // amount: only self-trade prevention changes it, and the order was entered with the first one.
    let mut insert = transaction.prepare_cached(
        "INSERT INTO orders VALUES \
         (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
         ON CONFLICT DO UPDATE SET side = excluded.side, order_type = excluded.order_type, \
         time_in_force = excluded.time_in_force, stp_mode = excluded.stp_mode, \
         status = excluded.status, strategy_id = excluded.strategy_id, \
         strategy_type = excluded.strategy_type, price = excluded.price, \
         order_qty = excluded.order_qty, cum_qty = excluded.cum_qty, \
         cum_quote = excluded.cum_quote, created_ns = excluded.created_ns, \
         updated_ns = excluded.updated_ns, order_list_id = excluded.order_list_id, \
         terms = excluded.terms, expire_cause = excluded.expire_cause",
    )?;
    let mut rename = transaction.prepare_cached(RENAME)?;
    let mut blocks = BTreeSet::new();
    for (at, (key, order)) in changes.orders.iter().enumerate() {
        give_way(at);
        blocks.insert((order.account, order.instrument, block_of(int(order.order_id.0))));
        insert.execute(params![
            order.instrument.0,
            int(order.order_id.0),
            order.account.0,
            order.cl_ord_id.as_str(),
            order.side.number(),
            order.order_type.number(),
            order.time_in_force.number(),
            order.stp_mode.number(),
            order.status.number(),
            order.strategy_id,
            order.strategy_type,
            order.price.ticks(),
            int(order.order_qty.lots()),
            Wide::from(order.quote_order_qty),
            int(order.cum_qty.lots()),
            Wide::from(order.cum_quote),
            int(order.created_ns),
            int(order.updated_ns),
            int(order_list_id(order)),
            order.terms.as_ref().map(wire),
            changes.expire_causes.get(key).map(|cause| cause.number()),
        ])?;
        if order.updated_ns > order.created_ns {
            let name = order.cl_ord_id.as_str();
            rename.execute(params![order.instrument.0, int(order.order_id.0), name])?;
        }
        let id = (order.instrument, order.order_id);
        filtered.wrote(transaction, id, (order.account, order.cl_ord_id))?;
    }
    let newest: BTreeMap<_, _> = changes.orders.keys().copied().collect();
    for (instrument, last) in newest {
        filtered.complete(transaction, instrument, last)?;
    }
    Ok(blocks)
}

/// Gives an order another name. What the index has of it is left alone if it is the same.
const RENAME: &str = "UPDATE orders SET cl_ord_id = ?3 \
                      WHERE instrument = ?1 AND order_id = ?2 AND cl_ord_id <> ?3";

pub(super) fn write_amendments(
    transaction: &Transaction<'_>,
    changes: &Changes,
) -> rusqlite::Result<()> {
    let mut rename = transaction.prepare_cached(RENAME)?;
    let mut insert = transaction.prepare_cached(
        "INSERT OR REPLACE INTO amendments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for amendment in &changes.amendments {
        let name = amendment.cl_ord_id.as_str();
        rename.execute(params![amendment.instrument.0, int(amendment.order_id.0), name])?;
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

/// Zero if it is in none.
fn order_list_id(order: &types::Order) -> u64 {
    order.terms.map_or(0, |terms| terms.order_list.0)
}
