//! The errors of orders and their lists; those of any request are [`crate::signed::ApiError`]'s
//! own.

use crate::signed::{ApiError, bad};

/// Orders.
impl ApiError {
    /// `filter` as in `"LOT_SIZE"`.
    pub fn filter(filter: &str) -> Self {
        bad(-1013, format!("Filter failure: {filter}"))
    }

    /// `what` as in `"Iceberg orders"`.
    pub fn not_supported_for_symbol(what: &str) -> Self {
        bad(-1013, format!("{what} are not supported for this symbol."))
    }

    pub fn unsupported_order_combination() -> Self {
        bad(-1014, "Unsupported order combination.")
    }

    pub fn stp_mode_not_allowed() -> Self {
        bad(-1013, "This symbol does not allow the specified self-trade prevention mode.")
    }

    pub fn iceberg_exceeds() -> Self {
        bad(-1013, "IcebergQty exceeds QTY.")
    }

    pub fn peg_not_with_type() -> Self {
        bad(-1013, "This order type may not use pegged price.")
    }

    pub fn peg_with_other_type() -> Self {
        bad(-1013, "This price peg cannot be used with this order type.")
    }

    pub fn new_order_rejected(msg: &'static str) -> Self {
        bad(-2010, msg)
    }

    pub fn cancel_rejected(msg: &'static str) -> Self {
        bad(-2011, msg)
    }

    pub fn unknown_order() -> Self {
        Self::cancel_rejected("Unknown order sent.")
    }

    /// The answer to a question, where [`ApiError::unknown_order`] is the answer to a cancel.
    pub fn no_such_order() -> Self {
        bad(-2013, "Order does not exist.")
    }

    pub fn unknown_order_list() -> Self {
        Self::cancel_rejected("Unknown order list sent.")
    }

    pub fn no_such_order_list() -> Self {
        bad(-2013, "Order list does not exist.")
    }

    pub fn amend_rejected(msg: &'static str) -> Self {
        bad(-2038, msg)
    }
}

/// Order lists.
impl ApiError {
    pub fn not_in_oco() -> Self {
        bad(-1158, "Order type not supported in OCO.")
    }

    pub fn iceberg_not_gtc(iceberg_qty: &str, time_in_force: &str) -> Self {
        bad(
            -1160,
            format!("Parameter '{iceberg_qty}' is not supported if '{time_in_force}' is not GTC."),
        )
    }

    pub fn oco_of_limits() -> Self {
        bad(-1168, "At least one OCO order must be contingent.")
    }

    /// `what` as in `"take profit"`; each has a code of its own.
    pub fn oco_misplaced(code: i32, what: &str, side: &str, place: &str) -> Self {
        bad(code, format!("A {what} order in a {side} OCO must be {place}."))
    }
}
