//! Cancels: their packet, and the errors of those that cancel nothing.

use protocol::ouch::inbound::CancelOrder;
use protocol::soup::Client as Soup;

use crate::Error;

/// That of a cancel that cancels nothing.
const UNKNOWN_ORDER: i32 = -2011;

pub(super) fn put_cancel(number: u32, out: &mut Vec<u8>) {
    let cancel = CancelOrder { user_ref_num: number, quantity: 0 };
    Soup::message(out, |out| cancel.write(out, |_| {}));
}

pub(super) fn unknown_order() -> Error {
    not_canceled("the order is not open")
}

pub(super) fn refused_cancel() -> Error {
    not_canceled("the venue refuses the cancel")
}

fn not_canceled(msg: &str) -> Error {
    Error::Api { status: 400, code: UNKNOWN_ORDER, msg: msg.to_owned() }
}
