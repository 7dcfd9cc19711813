//! States with other bytes, and commands that follow on one.

use engine::Engine;
use types::{
    AccountId, CancelAll, ClOrdId, Command, Entry, Envelope, NewOrder, OrderSize, Origin, Qty, Side,
};

use crate::market::order;

const INSTRUMENTS_MAX: usize = 3;

/// Puts bytes into others: place, place, place, byte, and so on.
pub fn patch(bytes: &mut [u8], patches: &[u8]) {
    let len = bytes.len();
    for patch in patches.chunks_exact(4) {
        let at = u32::from_le_bytes([patch[0], patch[1], patch[2], 0]) as usize;
        bytes[at % len] = patch[3];
    }
}

/// Orders that trade with all there is, the end of all orders, and time: no state that was read may
/// come to a contradiction by them.
pub fn go_on(engine: &mut Engine) {
    engine.assert_consistent();
    let cl_ord_id = ClOrdId::parse("fuzz").expect("a valid name");
    let mut commands = vec![(0, Command::Continue(()))];
    for instrument in engine.instruments().take(INSTRUMENTS_MAX) {
        let spec = &instrument.spec;
        let size = OrderSize::Base(spec.max_qty.min(Qty::from_lots(1_000)));
        for (side, price) in [(Side::Buy, spec.max_price), (Side::Sell, spec.min_price)] {
            let order = NewOrder { size, ..order(instrument.id, side, price) };
            commands.push((1, Command::NewOrder(order)));
        }
    }
    commands.push((0, Command::Tick(())));
    for instrument in engine.instruments().take(INSTRUMENTS_MAX).map(|instrument| instrument.id) {
        commands.push((1, Command::CancelAll(CancelAll { instrument, cl_ord_id })));
    }
    let (now_ns, mut events) = (engine.now_ns(), Vec::new());
    for (after_ns, (account, command)) in (0_u64..).map(|at| at << 40).zip(commands) {
        let envelope = Envelope { account: AccountId(account), ..Envelope::venue(Origin::Rest, 0) };
        events.clear();
        engine.apply(now_ns.saturating_add(after_ns), &Entry { envelope, command }, &mut events);
        engine.assert_consistent();
    }
}
