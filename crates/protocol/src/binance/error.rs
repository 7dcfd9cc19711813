//! The errors of orders and their lists; those of any request are [`crate::signed::ApiError`]'s
//! own.

use crate::signed::{ApiError, bad, errors};

errors! {
    // Orders.
    /// `filter` as in `"LOT_SIZE"`.
    filter(filter: &str): 400, -1013, "Filter failure: {filter}";
    /// `what` as in `"Iceberg orders"`.
    not_supported_for_symbol(what: &str): 400, -1013, "{what} are not supported for this symbol.";
    unsupported_order_combination(): 400, -1014, "Unsupported order combination.";
    stp_mode_not_allowed(): 400, -1013,
        "This symbol does not allow the specified self-trade prevention mode.";
    /// The last is a word, as `"IOC"`.
    not_with(name: &str, other: &str, value: &str): 400, -1014,
        "Unsupported order combination: '{name}' is not for orders with '{other}' {value}.";
    not_together(name: &str, other: &str): 400, -1014,
        "Unsupported order combination: '{name}' and '{other}' exclude each other.";
    time_not_with_type(name: &str, value: &str, type_name: &str, order_type: &str): 400, -1014,
        "Unsupported order combination: '{name}' {value} is not for '{type_name}' {order_type}.";
    min_qty_exceeds(name: &str): 400, -1013, "'{name}' exceeds the quantity of the order.";
    good_till_date_past(): 400, -1130,
        "Data sent for parameter 'goodTillDate' is not valid: the date is not later than now.";
    iceberg_exceeds(): 400, -1013, "IcebergQty exceeds QTY.";
    peg_not_with_type(): 400, -1013, "This order type may not use pegged price.";
    peg_with_other_type(): 400, -1013, "This price peg cannot be used with this order type.";
    unknown_order(): 400, -2011, "Unknown order sent.";
    /// The answer to a query, where [`ApiError::unknown_order`] is the answer to a cancel.
    no_such_order(): 400, -2013, "Order does not exist.";
    /// Of an order that is asked for by both its ids.
    client_order_id_invalid(): 400, -2039, "Client order ID is not correct for this order ID.";
    no_reference_price(): 400, -2043, "This symbol doesn't have a reference price.";
    unknown_order_list(): 400, -2011, "Unknown order list sent.";
    no_such_order_list(): 400, -2013, "Order list does not exist.";

    // Order lists.
    not_in_oco(): 400, -1158, "Order type not supported in OCO.";
    iceberg_not_gtc(iceberg_qty: &str, time_in_force: &str): 400, -1160,
        "Parameter '{iceberg_qty}' is not supported if '{time_in_force}' is not GTC.";
    oco_of_limits(): 400, -1168, "At least one OCO order must be contingent.";
    opo_working_sells(): 400, -1222, "Working order in an OPO list must be a bid.";
    opo_pending_buys(): 400, -1223, "Pending orders in an OPO list must be asks.";
    /// `what` as in `"take profit"`; each has a code of its own.
    oco_misplaced(code: i32, what: &str, side: &str, place: &str): 400, code,
        "A {what} order in a {side} OCO must be {place}.";
}

/// What the engine refuses, with the code of what was asked for.
impl ApiError {
    pub fn new_order_rejected(msg: &'static str) -> Self {
        bad(-2010, msg)
    }

    pub fn cancel_rejected(msg: &'static str) -> Self {
        bad(-2011, msg)
    }

    pub fn amend_rejected(msg: &'static str) -> Self {
        bad(-2038, msg)
    }
}
