//! Lists, maps and queues of orders as bytes.

use std::collections::BTreeMap;

use types::{InstrumentId, Order, Reader, Side, Wire};

use crate::book::prefetch::advise_huge;

/// A lower bound of the bytes of an order.
const ORDER_SIZE_MIN: usize = 64;

/// Its format is that of a `Vec`.
pub(super) fn write_list<T>(
    list: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    let start = out.len();
    0_u32.write(out);
    let mut count = 0_u32;
    for element in list {
        write(element, out);
        count += 1;
    }
    out[start..start + 4].copy_from_slice(&count.to_le_bytes());
}

pub(super) fn read_list<T>(
    r: &mut Reader<'_>,
    mut read: impl FnMut(&mut Reader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let count: u32 = r.read()?;
    (0..count).map(|_| read(r)).collect()
}

pub(super) fn write_map<K: Wire + Copy, V: Wire>(map: &BTreeMap<K, V>, out: &mut Vec<u8>) {
    write_list(map.iter(), out, |(key, value), out| {
        key.write(out);
        value.write(out);
    });
}

/// Reads a map whose keys ascend.
pub(super) fn read_map<K: Wire + Ord, V: Wire>(r: &mut Reader<'_>) -> Option<BTreeMap<K, V>> {
    let list: Vec<(K, V)> = r.read()?;
    list.is_sorted_by(|(one, _), (next, _)| one < next).then(|| list.into_iter().collect())
}

/// The list, if each element is greater than the one before.
pub(super) fn ascending<T: Ord>(list: Vec<T>) -> Option<Vec<T>> {
    list.is_sorted_by(|one, next| one < next).then_some(list)
}

/// The orders of one side of a book, in order of their trading.
pub(super) fn read_queue(r: &mut Reader<'_>, id: InstrumentId, side: Side) -> Option<Vec<Order>> {
    let count = r.read::<u32>()? as usize;
    // A wrong count reserves little more memory than the bytes that follow.
    let mut orders = Vec::<Order>::with_capacity(count.min(r.0.len() / ORDER_SIZE_MIN));
    advise_huge(&mut orders);
    for _ in 0..count {
        orders.push(r.read()?);
    }
    let here = orders.iter().all(|order| (order.instrument, order.side) == (id, side));
    // The book will have the same order, so that no bytes are accepted that would be written
    // differently.
    let best_first = orders.is_sorted_by(|one, next| match side {
        Side::Buy => one.price >= next.price,
        Side::Sell => one.price <= next.price,
    });
    (here && best_first).then_some(orders)
}
