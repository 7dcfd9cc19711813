//! Numbered commands: open orders of logins when the venue opens, and numbers of the intake.

use std::collections::BTreeSet;

use engine::Engine;
#[cfg(feature = "redis")]
use types::SessionId;
use types::{LoginId, NumberedName, Order};

#[cfg(feature = "redis")]
use crate::door::query::Answered;
#[cfg(feature = "redis")]
use crate::door::shared::Door;

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

#[cfg(feature = "redis")]
impl Door {
    /// The oldest number that an open session remembers, and its highest; `None` if it is not open.
    pub(crate) async fn numbers_of_session(
        &self,
        session: SessionId,
    ) -> Answered<Option<(u64, u64)>> {
        self.ask_engine(move |engine| engine.numbers_of_session(session)).await
    }
}
