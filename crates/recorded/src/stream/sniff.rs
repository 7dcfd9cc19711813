//! Detection of the formats that only a [stream](super::Stream) reads.

use super::table::{LOCAL_TIME, PRICE, QUANTITY, SIDE, SYMBOL, TIME, find, header_names};
use super::trades::BUYER_IS_MAKER;
use crate::format::Format;

pub(crate) use super::itch::is_itch;
pub(crate) use super::npz::MAGIC as NPY_MAGIC;
pub(crate) use super::trades::is_lean;

/// Whether a table may have a column of this name.
pub(crate) fn is_column(name: &str) -> bool {
    const OTHERS: [&str; 9] = ["kind", "open", "o", "high", "h", "low", "l", "close", "c"];
    let name = name.to_ascii_lowercase();
    let lists =
        [TIME, LOCAL_TIME, SYMBOL, SIDE, PRICE, QUANTITY, BUYER_IS_MAKER, &["vol", "v"], &OTHERS];
    lists.iter().any(|names| names.contains(&&*name))
}

/// The format of a table whose first line has these names of columns.
pub(crate) fn table(header: &[u8]) -> Option<Format> {
    let names = header_names(header);
    let has = |column| find(&names, column).is_some();
    if !has(TIME) {
        return None;
    }
    if has(&["open", "o"]) && has(&["high", "h"]) && has(&["low", "l"]) && has(&["close", "c"]) {
        return Some(Format::Bars);
    }
    if !has(PRICE) || !has(QUANTITY) {
        return None;
    }
    Some(if has(&["kind"]) && has(SIDE) { Format::Depth } else { Format::Trades })
}
