//! Whatever bytes come as a message of OUCH, they are refused, or written again as the same bytes.
//!
//! The first byte chooses the direction.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::ouch::{Appendage, Inbound, Outbound, Tags};

fuzz_target!(|bytes: &[u8]| {
    let Some((direction, message)) = bytes.split_first() else { return };
    let mut again = Vec::new();
    let fixed = if direction & 1 == 0 {
        let Ok(read) = Inbound::read(message) else { return };
        write_inbound(read, &mut again)
    } else {
        let Ok(read) = Outbound::read(message) else { return };
        write_outbound(read, &mut again)
    };
    // A message may have the length of an appendage that is empty, and is written without it.
    let is_empty = message.len() == fixed + 2 && message[fixed..] == [0, 0];
    assert!(again == message || is_empty && again == message[..fixed]);
});

fn put(tags: Appendage<'_>) -> impl FnOnce(&mut Tags<'_>) {
    move |out| tags.iter().for_each(|found| out.put(found.tag, found.value))
}

/// Writes each message of a direction, and returns the size of its fixed part.
macro_rules! writers {
    ($($writer:ident of $direction:ident: $($name:ident),*;)*) => {$(
        fn $writer(read: $direction<'_>, out: &mut Vec<u8>) -> usize {
            match read {$(
                $direction::$name(message, tags) => {
                    message.write(out, put(tags));
                    let bare = &mut Vec::new();
                    message.write(bare, |_| {});
                    if bare.len() == out.len() && tags.is_empty() { bare.len() } else { out.len() }
                }
            )*}
        }
    )*};
}

writers! {
    write_inbound of Inbound: EnterOrder, ReplaceOrder, CancelOrder, ModifyOrder, MassCancel,
        DisableOrderEntry, EnableOrderEntry, AccountQuery;
    write_outbound of Outbound: SystemEvent, OrderAccepted, OrderReplaced, OrderCanceled,
        AiqCanceled, OrderExecuted, BrokenTrade, Rejected, CancelPending, CancelReject,
        OrderPriorityUpdate, OrderModified, OrderRestated, MassCancelResponse,
        DisableOrderEntryResponse, EnableOrderEntryResponse, AccountQueryResponse;
}
