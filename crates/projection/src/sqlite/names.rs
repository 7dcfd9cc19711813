//! Which names orders have, in a form that is small and is written once: an order that no account
//! has under a name is found to be unknown without a search of the account's blocks.
//!
//! Ids of orders are cut into generations of 65,536. Once a generation is complete, the names in it
//! become a Bloom filter of 80 KiB, in parts: a name selects one part by its hash. So a query reads
//! 1,280 bytes for each generation, and searches the newest one and those that may have the name.
//!
//! # Invariants
//! - Every generation with an order, before the newest one of its instrument, has its filter.
//! - A filter has every name that an order of its generation had when a page of events ended.

use std::collections::BTreeMap;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use types::{AccountId, ClOrdId, InstrumentId, Order, OrderId};

use crate::sqlite::column::int;

/// The number of last bits that ids of one generation differ in.
const GENERATION_BITS: u32 = 16;
const PARTS: u64 = 64;
/// Bits of a part: ten for each of 1,024 names. With seven of them set for a name, one in a hundred
/// generations is searched in vain.
const BITS: u64 = 10_240;
const BITS_PER_NAME: u64 = 7;

/// The first generation of each instrument that has no filter yet.
#[derive(Debug, Default)]
pub(crate) struct Filtered(BTreeMap<InstrumentId, i64>);

impl Filtered {
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let select = "SELECT instrument, max(generation) + 1 FROM name_filters GROUP BY instrument";
        let mut select = connection.prepare(select)?;
        let rows = select.query_map([], |row| Ok((InstrumentId(row.get(0)?), row.get(1)?)))?;
        rows.collect::<Result<_, _>>().map(Self)
    }

    /// After an order was written that is new, or has another name: adds the name where its
    /// generation has a filter.
    pub(crate) fn wrote(
        &self,
        transaction: &Transaction<'_>,
        order: &Order,
    ) -> rusqlite::Result<()> {
        let Order { instrument, account, order_id, cl_ord_id: name, .. } = *order;
        let generation = generation_of(int(order_id.0));
        let is_open = self.0.get(&instrument).is_none_or(|next| generation >= *next);
        if is_open { Ok(()) } else { add(transaction, (instrument, generation), (account, name)) }
    }

    /// After orders of an instrument up to this id were written: makes filters of the generations
    /// before it.
    pub(crate) fn complete(
        &mut self,
        transaction: &Transaction<'_>,
        instrument: InstrumentId,
        last: OrderId,
    ) -> rusqlite::Result<()> {
        let newest = generation_of(int(last.0));
        let next = match self.0.get(&instrument) {
            Some(next) => *next,
            None => first_generation(transaction, instrument)?.unwrap_or(newest),
        };
        for generation in next..newest {
            make(transaction, instrument, generation)?;
        }
        self.0.insert(instrument, next.max(newest));
        Ok(())
    }
}

/// The ids among which an account's order of this name may be, the newest first.
pub(crate) fn candidates(
    connection: &Connection,
    instrument: InstrumentId,
    (account, name): (AccountId, ClOrdId),
) -> rusqlite::Result<Vec<Range<i64>>> {
    let (part, bits) = place(account, name);
    let select = "SELECT generation, bits FROM name_filters WHERE instrument = ? AND part = ? \
                  ORDER BY generation DESC";
    let mut select = connection.prepare_cached(select)?;
    let mut rows = select.query(params![instrument.0, part])?;
    let (mut ids, mut newest) = (Vec::new(), None);
    while let Some(row) = rows.next()? {
        let generation: i64 = row.get(0)?;
        newest.get_or_insert(generation);
        let filter = row.get_ref(1)?.as_blob()?;
        if bits.iter().all(|bit| is_set(filter, *bit)) {
            ids.push(ids_of(generation));
        }
    }
    let open = newest.map_or(0, |newest| ids_of(newest).end);
    ids.insert(0, open..i64::MAX);
    Ok(ids)
}

/// Removes the filters of generations whose orders were all deleted.
pub(crate) fn forget(
    transaction: &Transaction<'_>,
    instrument: InstrumentId,
) -> rusqlite::Result<()> {
    let first = first_generation(transaction, instrument)?.unwrap_or_default();
    let delete = "DELETE FROM name_filters WHERE instrument = ? AND generation < ? \
                  AND generation < (SELECT max(generation) FROM name_filters WHERE instrument = ?1)";
    transaction.prepare_cached(delete)?.execute(params![instrument.0, first])?;
    Ok(())
}

fn generation_of(order_id: i64) -> i64 {
    order_id >> GENERATION_BITS
}

fn ids_of(generation: i64) -> Range<i64> {
    generation << GENERATION_BITS..(generation + 1) << GENERATION_BITS
}

fn first_generation(
    connection: &Connection,
    instrument: InstrumentId,
) -> rusqlite::Result<Option<i64>> {
    let select = "SELECT order_id FROM orders WHERE instrument = ? ORDER BY order_id LIMIT 1";
    let mut select = connection.prepare_cached(select)?;
    let first: Option<i64> = select.query_row([instrument.0], |row| row.get(0)).optional()?;
    Ok(first.map(generation_of))
}

/// Makes all parts of a generation.
fn make(
    transaction: &Transaction<'_>,
    instrument: InstrumentId,
    generation: i64,
) -> rusqlite::Result<()> {
    let mut filters = vec![[0_u8; BITS as usize / 8]; PARTS as usize];
    let ids = ids_of(generation);
    let select = "SELECT account, cl_ord_id FROM orders \
                  WHERE instrument = ? AND order_id >= ? AND order_id < ?";
    let mut select = transaction.prepare_cached(select)?;
    let mut rows = select.query(params![instrument.0, ids.start, ids.end])?;
    while let Some(row) = rows.next()? {
        let name = row.get_ref(1)?.as_str()?;
        let (part, bits) = place_of(row.get(0)?, name.as_bytes());
        bits.iter().for_each(|bit| set(&mut filters[part as usize], *bit));
    }
    let mut insert =
        transaction.prepare_cached("INSERT OR REPLACE INTO name_filters VALUES (?, ?, ?, ?)")?;
    for (part, filter) in filters.iter().enumerate() {
        insert.execute(params![instrument.0, part as i64, generation, &filter[..]])?;
    }
    Ok(())
}

/// Adds the name of an order to the filter of its generation, which is made if there is none.
fn add(
    transaction: &Transaction<'_>,
    (instrument, generation): (InstrumentId, i64),
    (account, name): (AccountId, ClOrdId),
) -> rusqlite::Result<()> {
    let (part, bits) = place(account, name);
    let key = params![instrument.0, part, generation];
    let find = "SELECT bits FROM name_filters WHERE instrument = ? AND part = ? AND generation = ?";
    let found = transaction.prepare_cached(find)?.query_row(key, |row| row.get(0)).optional()?;
    let Some(mut filter): Option<Vec<u8>> = found else {
        return make(transaction, instrument, generation);
    };
    if bits.iter().all(|bit| is_set(&filter, *bit)) {
        return Ok(());
    }
    bits.iter().for_each(|bit| set(&mut filter, *bit));
    let update = "UPDATE name_filters SET bits = ?4 \
                  WHERE instrument = ?1 AND part = ?2 AND generation = ?3";
    let row = params![instrument.0, part, generation, filter];
    transaction.prepare_cached(update)?.execute(row)?;
    Ok(())
}

/// The tag of an order in its block.
pub(crate) fn tag(account: AccountId, name: ClOrdId) -> u32 {
    hash(account.0, name.as_str().as_bytes()) as u32
}

fn place(account: AccountId, name: ClOrdId) -> (i64, [u64; BITS_PER_NAME as usize]) {
    place_of(account.0, name.as_str().as_bytes())
}

/// The part of a name, and its bits in that part.
fn place_of(account: u32, name: &[u8]) -> (i64, [u64; BITS_PER_NAME as usize]) {
    let hash = hash(account, name);
    let (first, step) = (hash >> 32, (hash >> 6) | 1);
    let bits = std::array::from_fn(|at| first.wrapping_add(step.wrapping_mul(at as u64)) % BITS);
    ((hash % PARTS) as i64, bits)
}

/// FNV-1a, and then all bits mixed. It is in the file: another one is another version.
fn hash(account: u32, name: &[u8]) -> u64 {
    let bytes = account.to_le_bytes();
    let fnv = bytes.iter().chain(name).fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mixed = (fnv ^ (fnv >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

fn is_set(filter: &[u8], bit: u64) -> bool {
    filter.get(bit as usize / 8).is_some_and(|byte| byte & (1 << (bit % 8)) != 0)
}

fn set(filter: &mut [u8], bit: u64) {
    filter[bit as usize / 8] |= 1 << (bit % 8);
}
