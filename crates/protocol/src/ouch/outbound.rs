//! Messages of the venue. A timestamp is in nanoseconds since midnight (UTC).

use crate::ouch::Alpha;
use crate::ouch::layout::{direction, messages};

messages! {
    SystemEvent = b'S', 10, optional {
        1 timestamp: u64,
        9 event: u8,
    }

    OrderAccepted = b'A', 62, required {
        1 timestamp: u64,
        9 user_ref_num: u32,
        13 side: u8,
        14 quantity: u32,
        18 symbol: Alpha<8>,
        26 price: u64,
        34 time_in_force: u8,
        35 display: u8,
        36 order_ref_num: u64,
        44 capacity: u8,
        45 intermarket_sweep: u8,
        46 cross_type: u8,
        47 order_state: u8,
        48 cl_ord_id: Alpha<14>,
    }

    OrderReplaced = b'U', 66, required {
        1 timestamp: u64,
        9 orig_user_ref_num: u32,
        13 user_ref_num: u32,
        17 side: u8,
        /// What is left of the order.
        18 quantity: u32,
        22 symbol: Alpha<8>,
        30 price: u64,
        38 time_in_force: u8,
        39 display: u8,
        40 order_ref_num: u64,
        48 capacity: u8,
        49 intermarket_sweep: u8,
        50 cross_type: u8,
        51 order_state: u8,
        52 cl_ord_id: Alpha<14>,
    }

    OrderCanceled = b'C', 18, optional {
        1 timestamp: u64,
        9 user_ref_num: u32,
        /// What was taken off the order.
        13 quantity: u32,
        17 reason: u8,
    }

    /// Prevention of a trade with oneself took quantity off an order.
    AiqCanceled = b'D', 32, optional {
        1 timestamp: u64,
        9 user_ref_num: u32,
        /// What was taken off the order.
        13 decrement: u32,
        17 reason: u8,
        18 prevented: u32,
        /// The price at which it would have traded.
        22 price: u64,
        30 liquidity: u8,
        31 strategy: u8,
    }

    OrderExecuted = b'E', 34, required {
        1 timestamp: u64,
        9 user_ref_num: u32,
        13 quantity: u32,
        17 price: u64,
        25 liquidity: u8,
        26 match_number: u64,
    }

    BrokenTrade = b'B', 36, optional {
        1 timestamp: u64,
        9 user_ref_num: u32,
        13 match_number: u64,
        21 reason: u8,
        22 cl_ord_id: Alpha<14>,
    }

    Rejected = b'J', 29, optional {
        1 timestamp: u64,
        9 user_ref_num: u32,
        13 reason: u16,
        15 cl_ord_id: Alpha<14>,
    }

    CancelPending = b'P', 13, optional {
        1 timestamp: u64,
        9 user_ref_num: u32,
    }

    CancelReject = b'I', 13, optional {
        1 timestamp: u64,
        9 user_ref_num: u32,
    }

    /// An order has another price, or another place in the queue.
    OrderPriorityUpdate = b'T', 30, optional {
        1 timestamp: u64,
        9 user_ref_num: u32,
        13 price: u64,
        21 display: u8,
        22 order_ref_num: u64,
    }

    OrderModified = b'M', 18, optional {
        1 timestamp: u64,
        9 user_ref_num: u32,
        13 side: u8,
        /// What is left of the order.
        14 quantity: u32,
    }

    OrderRestated = b'R', 14, required {
        1 timestamp: u64,
        9 user_ref_num: u32,
        13 reason: u8,
    }

    /// A mass cancel was carried out; the orders' own messages follow.
    MassCancelResponse = b'X', 25, required {
        1 timestamp: u64,
        9 user_ref_num: u32,
        13 firm: Alpha<4>,
        17 symbol: Alpha<8>,
    }

    DisableOrderEntryResponse = b'G', 17, required {
        1 timestamp: u64,
        9 user_ref_num: u32,
        13 firm: Alpha<4>,
    }

    EnableOrderEntryResponse = b'K', 17, required {
        1 timestamp: u64,
        9 user_ref_num: u32,
        13 firm: Alpha<4>,
    }

    AccountQueryResponse = b'Q', 13, optional {
        1 timestamp: u64,
        9 next_user_ref_num: u32,
    }
}

direction! {
    /// A message of the venue.
    Outbound {
        SystemEvent,
        OrderAccepted,
        OrderReplaced,
        OrderCanceled,
        AiqCanceled,
        OrderExecuted,
        BrokenTrade,
        Rejected,
        CancelPending,
        CancelReject,
        OrderPriorityUpdate,
        OrderModified,
        OrderRestated,
        MassCancelResponse,
        DisableOrderEntryResponse,
        EnableOrderEntryResponse,
        AccountQueryResponse,
    }
}
