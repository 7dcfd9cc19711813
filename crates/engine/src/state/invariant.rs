//! Invariants between commands. Tests, long runs and every restored state check them: a state with
//! contradictions would make the engine panic later.

mod check;
mod lists;
mod logins;
mod sessions;
mod triggers;

use std::collections::BTreeSet;

use types::{AccountId, AccountMode, Amount, AssetId, InstrumentId, Order, Phase, Side};

use crate::book::node::NodeId;
use crate::state::Engine;
use crate::state::account::Account;
use crate::state::account::risk::Exposure;
use crate::state::deferred::Deferred;
use crate::state::holds::held;
use crate::state::invariant::check::check;
use crate::state::market::Market;
use crate::state::orders::record::Standing;

impl Engine {
    /// Panics if the state contradicts itself.
    pub fn assert_consistent(&self) {
        if let Err(contradiction) = self.check_consistent() {
            panic!("{contradiction}");
        }
    }

    fn check_consistent(&self) -> Result<(), String> {
        let mut open_orders = 0;
        for (id, account) in (0..).map(AccountId).zip(&self.accounts) {
            // An account's orders are scattered in memory: the checks for each order share one
            // pass.
            self.prefetch_names(id, account);
            open_orders += self.check_orders(id, account)?;
        }
        let are_all = open_orders == self.orders.nodes.len();
        check(are_all, || "an order rests without an account".to_owned())?;
        self.check_parts_agree()
    }

    /// [`Engine::check_consistent`] for a restored state. Restoring has linked each order to its
    /// account, id and name, so this check does not look them up again. For a million orders that
    /// would take as long as all other checks.
    pub(super) fn check_parts_agree(&self) -> Result<(), String> {
        self.check_money()?;
        let mut waiting = vec![0; self.markets.len()];
        for (id, account) in (0..).map(AccountId).zip(&self.accounts) {
            self.check_holds(id, account)?;
            self.check_stops(account, &mut waiting)?;
            for instrument in account.instruments() {
                let mut nodes = self.orders.of_account(account, instrument);
                nodes.try_for_each(|node| {
                    self.check_special(node)?;
                    self.check_in_list(node)
                })?;
            }
        }
        self.markets.iter().try_for_each(|market| self.check_book(market))?;
        self.deferred.iter().try_for_each(|work| self.check_deferred(work))?;
        self.check_entering()?;
        self.check_sessions()?;
        self.check_logins()?;
        self.check_triggers(&waiting)?;
        self.check_lists()
    }

    fn prefetch_names(&self, id: AccountId, account: &Account) {
        for instrument in account.instruments() {
            let Some(market) = self.market(instrument) else { continue };
            for node in self.orders.of_account(account, instrument) {
                let Order { order_id, cl_ord_id, .. } = self.orders.order(node);
                let name = self.orders.sought(id, instrument, &cl_ord_id);
                self.orders.prefetch_name(name.hash);
                market.index.prefetch(order_id.0);
            }
        }
    }

    /// All balances of an asset and its clearing add up to all deposits minus withdrawals.
    fn check_money(&self) -> Result<(), String> {
        let mut owned: Vec<i128> = self.clearing.iter().map(|cleared| cleared.minor()).collect();
        for balance_of in self.accounts.iter().map(|account| &account.balances) {
            for (owned, balance) in owned.iter_mut().zip(balance_of.iter()) {
                let total = owned.checked_add(balance.total().minor());
                *owned = total.ok_or("the balances of an asset overflow")?;
            }
        }
        for (id, (owned, supply)) in (0..).map(AssetId).zip(owned.iter().zip(&self.supply)) {
            check(*owned == supply.minor(), || {
                format!("asset {id}: {owned} owned, {} deposited", supply.minor())
            })?;
        }
        Ok(())
    }

    /// Locked balances equal the holds of open orders, withdrawals and a suspended order, and the
    /// counters agree with them.
    fn check_holds(&self, id: AccountId, account: &Account) -> Result<(), String> {
        let mut holds = vec![0_i128; account.balances.len()];
        let mut fee_holds = 0;
        let suspended = self.deferred.iter().filter_map(|work| work.held_by(id));
        let instruments = account.instruments();
        let open = instruments.flat_map(|instrument| self.holding_orders(id, instrument));
        let holds_any = |order: &Order| !order.order_type.is_market();
        for order in open.chain(suspended.copied()).filter(holds_any) {
            let instrument = &self.markets[order.instrument.0 as usize].instrument;
            if let Some(hold) = account.fee_hold(&order) {
                check(hold.qty == order.leaves_qty() && order.side == Side::Buy, || {
                    format!("account {id}: order {} holds a wrong fee", order.order_id)
                })?;
                fee_holds += 1;
            }
            check(!account.is_cash() || order.price.ticks() > 0, || {
                format!(
                    "account {id}: order {} has a negative price in an account with balances",
                    order.order_id
                )
            })?;
            let (asset, amount) = held(instrument, &order, order.leaves_qty());
            let amount = if account.is_cash() {
                amount + account.fee_held(instrument, &order)
            } else {
                Amount::ZERO
            };
            if !amount.is_zero() {
                let hold =
                    holds.get_mut(usize::from(asset.0)).ok_or("a hold of an unknown asset")?;
                *hold = hold.checked_add(amount.minor()).ok_or("the holds of an asset overflow")?;
            }
        }
        for withdrawal in self.open_withdrawals(id) {
            let asset = usize::from(withdrawal.asset.0);
            let hold = holds.get_mut(asset).ok_or("a hold of an unknown asset")?;
            *hold = hold
                .checked_add(withdrawal.amount.minor())
                .ok_or("the holds of an asset overflow")?;
        }
        for (asset, shared) in self.shared_holds(id) {
            let hold = holds.get_mut(usize::from(asset.0)).ok_or("a hold of an unknown asset")?;
            *hold -= shared.minor();
        }
        for (asset, received) in self.received_in_lists(id).filter(|_| account.is_cash()) {
            let hold = holds.get_mut(usize::from(asset.0)).ok_or("a hold of an unknown asset")?;
            *hold = hold.checked_add(received.minor()).ok_or("the holds of an asset overflow")?;
        }
        for (asset, (hold, balance)) in
            (0..).map(AssetId).zip(holds.iter().zip(account.balances.iter()))
        {
            check(balance.locked.minor() == *hold && balance.free >= Amount::ZERO, || {
                format!("account {id}, asset {asset}: {hold} is held, it has {balance:?}")
            })?;
        }
        self.check_extra(id, account, fee_holds)
    }

    /// Exposures and positions agree with open orders, and `fee_holds` is the number of fee holds.
    fn check_extra(
        &self,
        id: AccountId,
        account: &Account,
        fee_holds: usize,
    ) -> Result<(), String> {
        let Some(extra) = &account.extra else { return Ok(()) };
        check(fee_holds == extra.fee_holds.len(), || {
            format!("account {id}: a fee hold without an order")
        })?;
        if extra.risk.mode == AccountMode::Limits {
            let uncounted = (0..).map(InstrumentId).take(self.markets.len());
            for instrument in uncounted.filter(|instrument| !extra.markets.contains_key(instrument))
            {
                check(self.exposure(id, instrument) == Exposure::default(), || {
                    format!("account {id}: no counters for its orders in {instrument}")
                })?;
            }
        }
        for (instrument, risk) in &extra.markets {
            let is_counted = risk.exposure == self.exposure(id, *instrument);
            check(is_counted, || format!("account {id}: orders in {instrument} miscounted"))?;
            check(risk.position == 0 || !account.is_cash(), || {
                format!("account {id} has balances and a position")
            })?;
        }
        let owns_any = account.balances.iter().any(|balance| !balance.total().is_zero());
        check(account.is_cash() || !owns_any, || format!("account {id}: balances of another mode"))
    }

    /// An account's orders are in its lists, oldest first, and are found by their ids and names.
    fn check_orders(&self, id: AccountId, account: &Account) -> Result<usize, String> {
        let mut open_orders = 0;
        for instrument in account.instruments() {
            let list = account.market(instrument);
            let mut last = None;
            let (mut count, mut icebergs) = (0, 0);
            for node in self.orders.of_account(account, instrument) {
                let Order { account, order_id, cl_ord_id, .. } = self.orders.order(node);
                let by_name = self.orders.by_cl_ord_id(id, instrument, &cl_ord_id);
                let by_id = self.find_by_id(instrument, order_id);
                let found = by_name == Some(node) && by_id == Some(node);
                check(found && account == id && last < Some(order_id), || {
                    format!("account {id}: order {order_id} is missing in a list or index")
                })?;
                last = Some(order_id);
                count += 1;
                icebergs += u32::from(!self.orders.terms(node).terms.display_qty.is_zero());
            }
            let is_counted = count == list.open_orders && icebergs == list.iceberg_orders;
            check(is_counted, || format!("account {id}: orders miscounted"))?;
            open_orders += count;
        }
        for Order { instrument, order_id, .. } in account.finished.iter(id) {
            check(self.find_by_id(instrument, order_id).is_none(), || {
                format!("account {id}: finished order {order_id} is open")
            })?;
        }
        check(open_orders == account.open_orders, || format!("account {id}: orders miscounted"))?;
        Ok(open_orders as usize)
    }

    /// A suspended order is not on the book yet.
    fn check_deferred(&self, work: &Deferred) -> Result<(), String> {
        let Deferred::Trade(order) = work else { return Ok(()) };
        let Order { instrument, account, order_id, ref cl_ord_id, .. } = *order;
        let by_name = self.orders.by_cl_ord_id(account, instrument, cl_ord_id);
        let by_id = self.find_by_id(instrument, order_id);
        check(by_name.is_none() && by_id.is_none(), || {
            format!("account {account}: order {order_id} is suspended and open")
        })
    }

    /// No book is crossed, and its levels are the sums of its orders.
    fn check_book(&self, market: &Market) -> Result<(), String> {
        let symbol = market.instrument.spec.symbol;
        if let (Some(bid), Some(ask)) =
            (market.best_price(Side::Buy), market.best_price(Side::Sell))
        {
            let gathers = market.trading.phase != Phase::Continuous;
            let uncrossed = bid < ask || gathers || self.has_deferred();
            check(uncrossed, || format!("the book of {symbol} is crossed"))?;
        }
        let mut hidden_count = 0;
        for (book, standing) in
            [(&market.book, Standing::Book), (&market.special.dark, Standing::Dark)]
        {
            for side in [Side::Buy, Side::Sell] {
                let mut by_orders = 0_u64;
                for node in book.orders(&self.orders.nodes, side) {
                    let order = self.orders.record(node);
                    let lots = self.orders.nodes[node].leaves_qty().lots();
                    let here = order.instrument == market.instrument.id
                        && order.price == book.price(&self.orders.nodes, node)
                        && lots > 0;
                    check(here && self.orders.standing(node) == standing, || {
                        format!(
                            "{symbol}: the book has another order {}",
                            self.orders.order_id(node)
                        )
                    })?;
                    by_orders = by_orders.wrapping_add(lots);
                    hidden_count += usize::from(standing == Standing::Dark);
                }
                let lots = book.levels(side).map(|(_, qty)| qty.lots());
                let by_levels = lots.fold(0, u64::wrapping_add);
                check(by_orders == by_levels, || format!("{symbol}: a level is miscounted"))?;
            }
        }
        check(hidden_count == market.special.hidden_count, || {
            format!("{symbol}: hidden orders are miscounted")
        })?;
        for order_id in market.special.pegs.ids() {
            let node = market.index.get(order_id.0);
            check(node.is_some_and(|node| self.orders.peg(node).is_some()), || {
                format!("{symbol}: order {order_id} is not pegged")
            })?;
        }
        Ok(())
    }

    /// An iceberg shows at most its display quantity and has the rest in reserve; a pegged order is
    /// in the list of pegs.
    fn check_special(&self, node: NodeId) -> Result<(), String> {
        let Some(extra) = self.orders.extra(node) else { return Ok(()) };
        let order_id = self.orders.order_id(node);
        let shown = self.orders.nodes[node].leaves_qty();
        let terms = extra.terms.unwrap_or_default().terms;
        let on_book = extra.standing == Standing::Book;
        let is_shown = if on_book && !terms.display_qty.is_zero() {
            shown <= terms.display_qty
        } else {
            extra.reserve.is_zero()
        };
        let is_hidden = !terms.hidden || !on_book;
        let instrument = self.orders.record(node).instrument;
        let own = (instrument, order_id);
        let enters =
            |work: &Deferred| matches!(work, Deferred::Reenter(of, id) if (*of, *id) == own);
        let is_expected = extra.standing != Standing::Entering || self.deferred.iter().any(enters);
        let pegs = &self.markets[instrument.0 as usize].special.pegs;
        let is_pegged = terms.peg.is_none() || pegs.has(order_id);
        check(is_shown && is_hidden && is_pegged && is_expected, || {
            format!("order {order_id} has a standing that contradicts its terms")
        })
    }

    /// Orders in [`Standing::Entering`] are those with deferred work.
    fn check_entering(&self) -> Result<(), String> {
        let mut entering = BTreeSet::new();
        for work in &self.deferred {
            if let Deferred::Reenter(instrument, order_id) = work {
                let node = self.find_by_id(*instrument, *order_id);
                let is_entering = node.is_some_and(|node| {
                    entering.insert(node) && self.orders.standing(node) == Standing::Entering
                });
                check(is_entering, || {
                    format!("order {order_id} has deferred work but is not entering")
                })?;
            }
        }
        Ok(())
    }
}
