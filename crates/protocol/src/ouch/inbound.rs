//! Messages of a client.

use crate::ouch::Alpha;
use crate::ouch::layout::{direction, messages};

/// Why a message cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unreadable {
    UnknownKind(u8),
    /// It is too short or too long, or its appendage is.
    Malformed,
}

messages! {
    /// A new order.
    EnterOrder = b'O', 45, required {
        1 user_ref_num: u32,
        5 side: u8,
        6 quantity: u32,
        10 symbol: Alpha<8>,
        18 price: u64,
        26 time_in_force: u8,
        27 display: u8,
        28 capacity: u8,
        29 intermarket_sweep: u8,
        30 cross_type: u8,
        31 cl_ord_id: Alpha<14>,
    }

    /// Gives an open order another quantity or price, and another number.
    ReplaceOrder = b'U', 38, required {
        1 orig_user_ref_num: u32,
        5 user_ref_num: u32,
        /// In total, with what was executed before.
        9 quantity: u32,
        13 price: u64,
        21 time_in_force: u8,
        22 display: u8,
        23 intermarket_sweep: u8,
        24 cl_ord_id: Alpha<14>,
    }

    CancelOrder = b'X', 9, optional {
        1 user_ref_num: u32,
        /// What the order may execute in total from now on; zero cancels it.
        5 quantity: u32,
    }

    /// Lowers an order's quantity.
    ModifyOrder = b'M', 10, optional {
        1 user_ref_num: u32,
        5 side: u8,
        /// In total, with what was executed before.
        6 quantity: u32,
    }

    /// Cancels all orders, of one symbol or of one side.
    MassCancel = b'C', 17, required {
        1 user_ref_num: u32,
        5 firm: Alpha<4>,
        /// Blank for all.
        9 symbol: Alpha<8>,
    }

    DisableOrderEntry = b'D', 9, required {
        1 user_ref_num: u32,
        5 firm: Alpha<4>,
    }

    EnableOrderEntry = b'E', 9, required {
        1 user_ref_num: u32,
        5 firm: Alpha<4>,
    }

    /// Asks for the next number.
    AccountQuery = b'Q', 1, optional {
    }
}

direction! {
    /// A message of a client.
    Inbound {
        EnterOrder,
        ReplaceOrder,
        CancelOrder,
        ModifyOrder,
        MassCancel,
        DisableOrderEntry,
        EnableOrderEntry,
        AccountQuery,
    }
}
