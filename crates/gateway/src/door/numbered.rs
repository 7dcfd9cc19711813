//! The open orders of logins, when the venue opens.

use std::collections::BTreeSet;

use engine::Engine;
use types::{LoginId, NumberedName, Order};

/// Calls `each` with the numbered orders that are open, of this numbering day or another.
pub(crate) fn each_numbered_order(engine: &Engine, mut each: impl FnMut(NumberedName, &Order)) {
    let accounts: BTreeSet<_> = engine.logins().map(|(_, spec)| spec.account).collect();
    for account in accounts {
        for instrument in engine.instruments() {
            for order in engine.open_orders(account, instrument.id) {
                if let Some((name, _)) = order.cl_ord_id.numbered() {
                    each(name, &order);
                }
            }
        }
    }
}

/// The logins that there are.
pub(crate) fn logins(engine: &Engine) -> Vec<LoginId> {
    engine.logins().map(|(login, _)| login).collect()
}
