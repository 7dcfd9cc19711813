//! Detection of the formats that only a [stream](super::Stream) reads.

use super::table::{find, find_time, header_names};
use crate::format::Format;
use crate::names::{PRICE, QUANTITY, SIDE, TIME};

pub(crate) use super::itch::is_itch;
pub(crate) use super::npz::MAGIC as NPY_MAGIC;
pub(crate) use super::trades::is_lean;

/// The format of a table whose first line has these names of columns.
pub(crate) fn table(header: &[u8]) -> Option<Format> {
    let names = header_names(header);
    let has = |column| find(&names, column).is_some();
    find_time(&names, TIME)?;
    if has(&["open", "o"]) && has(&["high", "h"]) && has(&["low", "l"]) && has(&["close", "c"]) {
        return Some(Format::Bars);
    }
    if !has(PRICE) || !has(QUANTITY) {
        return None;
    }
    Some(if has(&["kind"]) && has(SIDE) { Format::Depth } else { Format::Trades })
}
