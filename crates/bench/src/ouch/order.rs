//! The orders that clients of OUCH send: each buy rests, and the sell after it takes it.

use protocol::ouch::inbound::EnterOrder;

const PRICE: u64 = 60_000 * 10_000;
const QUANTITY: u32 = 100;

pub(crate) fn order(number: u32) -> EnterOrder {
    EnterOrder {
        user_ref_num: number,
        side: if number % 2 == 1 { b'B' } else { b'S' },
        quantity: QUANTITY,
        symbol: *b"BTCUSDT ",
        price: PRICE,
        time_in_force: b'0',
        display: b'Y',
        capacity: b'A',
        intermarket_sweep: b'N',
        cross_type: b'N',
        cl_ord_id: [b' '; 14],
    }
}
