//! Chapter 6: amend, modify, cancel.

use types::*;

use super::{Key, Model, Open, Standing};

impl Model {
    pub(super) fn cancel_order(
        &mut self,
        account: AccountId,
        request: &CancelOrder,
    ) -> Result<(), RejectReason> {
        let key = self.cancelable(account, request)?;
        self.cancel(key, request.cl_ord_id, CancelCause::Requested);
        Ok(())
    }

    pub(super) fn cancel_all(
        &mut self,
        account: AccountId,
        request: &CancelAll,
    ) -> Result<(), RejectReason> {
        self.trader(account)?;
        self.known(request.instrument)?;
        let own: Vec<Key> =
            self.of_account(account, request.instrument).iter().map(Open::key).collect();
        if own.is_empty() {
            return Err(RejectReason::OrderNotFound);
        }
        self.cancel_each(own, request.cl_ord_id, CancelCause::CancelAll);
        Ok(())
    }

    /// By instrument, within it by side, within it oldest first.
    pub(super) fn mass_cancel(
        &mut self,
        account: AccountId,
        request: &MassCancel,
    ) -> Result<(), RejectReason> {
        self.trader(account)?;
        if let Some(instrument) = request.instrument {
            self.known(instrument)?;
        }
        let mut own: Vec<(InstrumentId, Side, OrderId)> = Vec::new();
        for open in self.open.iter().filter(|open| open.order.account == account) {
            let Order { instrument, side, order_id, .. } = open.order;
            if request.instrument.is_none_or(|only| only == instrument)
                && request.side.is_none_or(|only| only == side)
            {
                own.push((instrument, side, order_id));
            }
        }
        if own.is_empty() {
            return Err(RejectReason::OrderNotFound);
        }
        self.answer_mass_cancel(account, request.instrument);
        own.sort();
        let own = own.into_iter().map(|(instrument, _, id)| (instrument, id)).collect();
        self.cancel_each(own, request.cl_ord_id, CancelCause::CancelAll);
        Ok(())
    }

    /// An order of a list may end earlier, with another order of the list.
    pub(super) fn cancel_each(&mut self, keys: Vec<Key>, cl_ord_id: ClOrdId, cause: CancelCause) {
        for key in keys {
            if self.find(key).is_some() {
                self.cancel(key, cl_ord_id, cause);
            }
        }
    }

    /// The checks that need not wait for the cancel precede it; the others follow it.
    pub(super) fn replace_order(
        &mut self,
        envelope: &Envelope,
        request: &ReplaceOrder,
    ) -> Result<(), RejectReason> {
        let account = envelope.account;
        let found = self.cancelable(account, &request.cancel);
        let leaving = found.map_or(Vec::new(), |key| self.ended_with(key));
        let mut faults = self.faults_without(account, &request.order, &leaving)?;
        let over_rate = RejectReason::OrderRateAboveMax;
        let is_over_rate = request.cancel_when_limited && self.is_above_rate(account, 1);
        if is_over_rate {
            // The rungs beyond the rate count as well, so it is lifted for a moment.
            let mut unlimited = self.for_questions();
            let risk = &mut unlimited.owner_mut(account).risk;
            (risk.max_orders_per_10s, risk.max_orders_per_day) = (0, 0);
            faults = unlimited.faults_without(account, &request.order, &leaving)?;
        }
        let follows_the_cancel = [
            RejectReason::DuplicateClOrdId,
            RejectReason::InsufficientBalance,
            RejectReason::NoLiquidity,
            RejectReason::WouldTakeLiquidity,
            RejectReason::WouldTriggerImmediately,
        ];
        faults.retain(|fault| !follows_the_cancel.contains(fault));
        if let Some(reason) = faults.into_iter().min() {
            return Err(reason);
        }
        match found {
            Ok(key) => {
                self.replaced_in = Some(key.0);
                self.cancel(key, request.cancel.cl_ord_id, CancelCause::Replaced);
            }
            Err(reason) => {
                self.refuse(account, reason, true);
                if request.mode == ReplaceMode::StopOnFailure && !is_over_rate {
                    self.count_rate(account, 1);
                    return Err(RejectReason::NotAttempted);
                }
            }
        }
        if is_over_rate { Err(over_rate) } else { self.new_order(envelope, &request.order) }
    }

    /// The orders that end with a cancel of one: the open ones of its list too.
    fn ended_with(&self, key: Key) -> Vec<Key> {
        let list_of = |open: &Open| {
            let id = open.order.terms.unwrap_or_default().order_list;
            (id != OrderListId(0)).then_some((open.order.instrument, id))
        };
        let list = list_of(self.at(key));
        let ends = |open: &&Open| open.key() == key || (list.is_some() && list_of(open) == list);
        self.open.iter().filter(ends).map(Open::key).collect()
    }

    fn cancelable(&self, account: AccountId, request: &CancelOrder) -> Result<Key, RejectReason> {
        self.trader(account)?;
        self.known(request.instrument)?;
        let meant = self.meant(account, request.instrument, &request.order);
        let key = meant.ok_or(RejectReason::OrderNotFound)?;
        match (request.restriction, self.at(key).order.cum_qty.is_zero()) {
            (CancelRestriction::OnlyNew, false)
            | (CancelRestriction::OnlyPartiallyFilled, true) => Err(RejectReason::CancelRestricted),
            _ => Ok(key),
        }
    }

    pub(super) fn amend_order(
        &mut self,
        account: AccountId,
        request: &AmendOrder,
    ) -> Result<(), RejectReason> {
        self.trader(account)?;
        let market = self.known(request.instrument)?;
        let (spec, max_amends) = (market.instrument.spec, market.rules.max_amends);
        if request.order_qty < spec.min_qty {
            return Err(RejectReason::OrderQtyBelowMin);
        }
        let found = self.meant(account, request.instrument, &request.order);
        self.check_new_name(account, request.instrument, request.cl_ord_id, found)?;
        let key = found.ok_or(RejectReason::OrderNotFound)?;
        let orig = *self.at(key);
        // Both count from the original quantity.
        let prevented_qty = orig.order.terms.unwrap_or_default().prevented_qty;
        let orig_qty = orig.order.order_qty + prevented_qty;
        if orig_qty.is_zero() {
            return Err(RejectReason::AmendNotAllowed);
        }
        if request.order_qty == orig_qty {
            return Err(RejectReason::AmendQtyUnchanged);
        }
        if request.order_qty > orig_qty {
            return Err(RejectReason::AmendQtyNotLower);
        }
        if request.order_qty <= orig.order.cum_qty + prevented_qty {
            return Err(RejectReason::AmendQtyNotAboveCum);
        }
        let instrument = &self.market(key.0).instrument;
        let limited = !orig.order.order_type.is_market();
        let notional = instrument.notional(orig.order.price, request.order_qty);
        if limited && notional < spec.min_notional {
            return Err(RejectReason::NotionalBelowMin);
        }
        if max_amends > 0 && orig.amends >= max_amends {
            return Err(RejectReason::TooManyAmends);
        }
        let order_qty = request.order_qty - prevented_qty;
        self.lower(key, request.cl_ord_id, order_qty, LoweringRequest::Amend);
        self.at_mut(key).amends += 1;
        Ok(())
    }

    fn check_new_name(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        cl_ord_id: Option<ClOrdId>,
        found: Option<Key>,
    ) -> Result<(), RejectReason> {
        let own = self.of_account(account, instrument);
        let taken = own.iter().find(|open| Some(open.order.cl_ord_id) == cl_ord_id);
        match taken {
            Some(taken) if Some(taken.key()) != found => Err(RejectReason::DuplicateClOrdId),
            _ => Ok(()),
        }
    }

    /// A lower quantity at the same price keeps its place. Both legs of an OCO are lowered.
    fn lower(
        &mut self,
        key: Key,
        cl_ord_id: Option<ClOrdId>,
        order_qty: Qty,
        request: LoweringRequest,
    ) {
        let orig = self.at(key).order;
        self.lower_one(key, cl_ord_id, order_qty, request);
        if let Some(other) = self.other_leg(&orig) {
            let less = orig.order_qty - order_qty;
            self.lower_one(other, None, self.at(other).order.order_qty - less, request);
        }
        if cl_ord_id.is_some_and(|name| name != orig.cl_ord_id) {
            self.list_order_renamed(&orig);
        }
    }

    fn lower_one(
        &mut self,
        key: Key,
        cl_ord_id: Option<ClOrdId>,
        order_qty: Qty,
        request: LoweringRequest,
    ) {
        let now_ns = self.now_ns;
        let open = self.at_mut(key);
        let orig = *open;
        open.order.cl_ord_id = cl_ord_id.unwrap_or(orig.order.cl_ord_id);
        open.order.order_qty = order_qty;
        open.order.updated_ns = now_ns;
        open.shown = open.shown.min(open.leaves());
        let (order, reduced) = (open.order, orig.shown - open.shown);
        if reduced > 0 && order.terms.is_some() {
            self.emit_reduced(key, reduced);
        }
        self.market_mut(key.0).indication_due = true;
        let account_seq = self.account_seq(order.account);
        let instrument_seq = self.instrument_seq(key.0);
        self.events.push(Event::OrderAmended(OrderAmended {
            account_seq,
            instrument_seq,
            order,
            orig_cl_ord_id: orig.order.cl_ord_id,
            orig_order_qty: orig.order.order_qty,
            request,
        }));
    }

    pub(super) fn modify_order(
        &mut self,
        account: AccountId,
        request: &ModifyOrder,
    ) -> Result<(), RejectReason> {
        let killed = self.trader(account)?.killed;
        let market = self.known(request.instrument)?;
        let forbidden = [
            (killed, RejectReason::AccountKilled),
            (market.delisted, RejectReason::InstrumentDelisted),
            (self.halted.is_some(), RejectReason::VenueHalted),
            (!market.phase.takes_orders(), RejectReason::PhaseForbids),
        ];
        if let Some((_, reason)) = forbidden.iter().find(|(applies, _)| *applies) {
            return Err(*reason);
        }
        let meant = self.meant(account, request.instrument, &request.order);
        let key = meant.ok_or(RejectReason::OrderNotFound)?;
        let orig = *self.at(key);
        let price = request.price.unwrap_or(orig.order.price);
        let same_price = price == orig.order.price;
        let lowers_only = orig.terms().peg.is_some() || self.is_in_list(&orig.order);
        let prevented_qty = orig.order.terms.unwrap_or_default().prevented_qty;
        let order_qty = request.order_qty.max(prevented_qty) - prevented_qty;
        let raises = order_qty > orig.order.order_qty;
        let by_market = orig.order.order_type.is_market();
        if (lowers_only && (raises || !same_price)) || (by_market && request.price.is_some()) {
            return Err(RejectReason::AmendNotAllowed);
        }
        let name = request.cl_ord_id.unwrap_or(orig.order.cl_ord_id);
        if order_qty <= orig.order.cum_qty {
            self.cancel(key, name, CancelCause::Modified);
            return Ok(());
        }
        self.check_modified(key, name, order_qty, price)?;
        if same_price && !raises {
            self.lower(key, request.cl_ord_id, order_qty, LoweringRequest::Modify);
            return Ok(());
        }
        self.leave_book(key, false);
        let now_ns = self.now_ns;
        let held_rate = self.rate_to_hold(account, key.0);
        let open = self.at_mut(key);
        open.order.cl_ord_id = request.cl_ord_id.unwrap_or(orig.order.cl_ord_id);
        open.order.order_qty = order_qty;
        open.order.price = price;
        open.order.updated_ns = now_ns;
        open.held_rate = held_rate;
        let order = open.order;
        let account_seq = self.account_seq(account);
        let instrument_seq = self.instrument_seq(key.0);
        self.events.push(Event::OrderModified(OrderModified {
            account_seq,
            instrument_seq,
            order,
            orig_cl_ord_id: orig.order.cl_ord_id,
            orig_order_qty: orig.order.order_qty,
            orig_price: orig.order.price,
        }));
        if orig.place == Standing::Book {
            match self.market(key.0).phase {
                Phase::Continuous => self.trade_all(key),
                _ => self.rest(key),
            }
        }
        Ok(())
    }
}
