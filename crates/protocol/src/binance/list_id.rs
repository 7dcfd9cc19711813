//! The ids of order lists. The engine counts them by instrument, and clients ask for a list by its
//! id alone: so what they see is the engine's id and the instrument in one number.

use types::{InstrumentId, Order, OrderListId};

/// More instruments than a venue can list.
const INSTRUMENTS_END: u64 = 100_000;

pub fn list_id(instrument: InstrumentId, order_list: OrderListId) -> u64 {
    order_list.0.saturating_mul(INSTRUMENTS_END).saturating_add(u64::from(instrument.0))
}

/// The list that a client means. Whether there is one is for the engine to say.
pub fn parse_list_id(id: u64) -> (InstrumentId, OrderListId) {
    let instrument = u32::try_from(id % INSTRUMENTS_END).expect("below INSTRUMENTS_END");
    (InstrumentId(instrument), OrderListId(id / INSTRUMENTS_END))
}

/// As an order shows it: -1 when it is in none.
pub(crate) fn list_id_of(order: &Order) -> i64 {
    match order.terms.map(|terms| terms.order_list) {
        None | Some(OrderListId(0)) => -1,
        Some(order_list) => i64::try_from(list_id(order.instrument, order_list)).unwrap_or(-1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_instrument_and_list() {
        assert_eq!(list_id(InstrumentId(7), OrderListId(3)), 300_007);
        assert_eq!(parse_list_id(300_007), (InstrumentId(7), OrderListId(3)));
        assert_eq!(parse_list_id(u64::MAX).0, InstrumentId((u64::MAX % 100_000) as u32));
    }
}
