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
    "exch_ts",
    "",
];
pub(crate) const LOCAL_TIME: Names =
    &["local_timestamp", "local_ts", "ts_recv", "received", "ts_init"];
pub(crate) const SYMBOL: Names = &["symbol", "instrument", "ticker"];
pub(crate) const SIDE: Names = &["side", "taker_side", "aggressor_side", "aggressor", "direction"];
pub(crate) const PRICE: Names = &["price", "px"];
pub(crate) const QUANTITY: Names =
    &["quantity", "qty", "size", "amount", "volume", "base_volume", "last_qty"];

/// Whether the buyer's order was resting, so that the seller was the aggressor.
pub(crate) const BUYER_IS_MAKER: Names = &["is_buyer_maker", "isbuyermaker", "buyer_maker", "m"];

/// Binance numbers the trades of an instrument one by one.
pub(crate) const TRADE_ID: Names = &["id", "trade_id", "agg_trade_id", "a"];

/// A name of a column of times without the unit at its end, and that unit in nanoseconds.
pub(crate) fn without_unit(name: &str) -> (&str, Option<i64>) {
    const UNITS: [(&str, i64); 3] = [("_ns", 1), ("_us", 1_000), ("_ms", 1_000_000)];
    let stated = |(suffix, unit_ns): (&str, i64)| Some((name.strip_suffix(suffix)?, unit_ns));
    match UNITS.into_iter().find_map(stated) {
        Some((name, unit_ns)) => (name, Some(unit_ns)),
        None => (name, None),
    }
}

/// Whether a table may have a column of this name.
pub(crate) fn is_column(name: &str) -> bool {
    const OTHERS: [&str; 9] = ["kind", "open", "o", "high", "h", "low", "l", "close", "c"];
    let name = name.to_ascii_lowercase();
    let lists = [SYMBOL, SIDE, PRICE, QUANTITY, BUYER_IS_MAKER, TRADE_ID, &["vol", "v"], &OTHERS];
    let is_time = [TIME, LOCAL_TIME].iter().any(|names| names.contains(&without_unit(&name).0));
    is_time || lists.iter().any(|names| names.contains(&&*name))
}
