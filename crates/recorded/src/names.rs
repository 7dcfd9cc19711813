//! The names of columns, as the tables of all vendors have them.

/// The names under which a column occurs, in lower case, the most precise first.
pub(crate) type Names = &'static [&'static str];

/// What the tables of all vendors call it.
pub(crate) const TIME: Names = &[
    "timestamp",
    "time",
    "datetime",
    "date",
    "ts",
    "ts_event",
    "open_time",
    "open time",
    "transact_time",
    "timestamp_ns",
    "exch_ts_ns",
    "exch_ts",
    "",
];
pub(crate) const LOCAL_TIME: Names =
    &["local_timestamp", "local_ts_ns", "local_ts", "ts_recv", "received", "ts_init"];
pub(crate) const SYMBOL: Names = &["symbol", "instrument", "ticker"];
pub(crate) const SIDE: Names = &["side", "taker_side", "aggressor_side", "aggressor", "direction"];
pub(crate) const PRICE: Names = &["price", "px"];
pub(crate) const QUANTITY: Names =
    &["quantity", "qty", "size", "amount", "volume", "base_volume", "last_qty"];

/// Whether the buyer's order was resting, so that the seller was the aggressor.
pub(crate) const BUYER_IS_MAKER: Names = &["is_buyer_maker", "isbuyermaker", "buyer_maker", "m"];

/// Whether a table may have a column of this name.
pub(crate) fn is_column(name: &str) -> bool {
    const OTHERS: [&str; 9] = ["kind", "open", "o", "high", "h", "low", "l", "close", "c"];
    let name = name.to_ascii_lowercase();
    let lists =
        [TIME, LOCAL_TIME, SYMBOL, SIDE, PRICE, QUANTITY, BUYER_IS_MAKER, &["vol", "v"], &OTHERS];
    lists.iter().any(|names| names.contains(&&*name))
}
