//! What must hold of each part of a state that is read, before anything indexes by it.

use types::{
    AMOUNT_MAX, AccountId, AccountTrade, Amount, Balance, Instrument, InstrumentId, Order,
    OrderStatus, OrderTerms, OrderType, Price, QTY_MAX, Qty, TimeInForce,
};

use crate::state::Engine;
use crate::state::account::retries::RETRY_KEYS_PER_ACCOUNT;
use crate::state::account::{Account, Transferred, check_account_spec};
use crate::state::deferred::{Deferred, Settling, Uncrossing};
use crate::state::fee::schedule_valid;
use crate::state::lists::is_in_list;
use crate::state::market::Market;
use crate::state::market::trading::rules_valid;
use crate::state::orders::record::Standing;
use crate::state::orders::terms::Requested;
use crate::state::snapshot::place::Place;

/// No sequence and no id comes near this.
const COUNT_MAX: u64 = 1 << 53;

impl Engine {
    /// Refers every part to others that are there, and keeps all numbers within what the engine
    /// counts with, so that what follows can go by them.
    pub(super) fn parts_are_sound(&self, resting: &[Vec<Order>], finished: &[Place]) -> bool {
        let counts = self.markets.iter().flat_map(|market| {
            let special = &market.special;
            let of_special = [special.last_prevented_id, special.pegs.cursor.0];
            let Market { last_order_id, last_trade_id, instrument_seq, .. } = *market;
            [last_order_id, last_trade_id, instrument_seq].into_iter().chain(of_special)
        });
        let counts = counts.chain(self.accounts.iter().map(|account| account.account_seq));
        let counts = counts.chain([self.sequence, self.receivables.last_id]);
        let amounts = |balance: Balance| [balance.free, balance.locked];
        let balances = self.accounts.iter().flat_map(|account| account.balances.iter());
        let mut amounts = balances.flat_map(amounts);
        // What accounts without balances owe, others own, beyond what was deposited.
        let (least, most) = if self.has_clearing {
            (Amount::ZERO - AMOUNT_MAX, AMOUNT_MAX + AMOUNT_MAX)
        } else {
            (Amount::ZERO, AMOUNT_MAX)
        };
        let mut supply = self.supply.iter();
        let has_given = |place: &Place| {
            let market = self.market(place.instrument);
            market.is_some_and(|market| (1..=market.last_order_id).contains(&place.order_id.0))
        };
        self.supply.len() == self.assets.len()
            && self.clearing.len() == self.assets.len()
            && self.clearing.iter().all(is_amount)
            && !self.accounts.is_empty()
            && self.accounts.iter().all(|account| self.account_is_sound(account))
            && (0..).zip(&self.markets).all(|(id, market)| self.market_is_sound(id, market))
            && self.keys.iter().all(|key| self.account(key.spec.account).is_some())
            && self.logins_are_sound()
            && self.numbers_are_sound()
            && counts.into_iter().all(|count| count < COUNT_MAX)
            && amounts.all(|amount| (Amount::ZERO..=most).contains(&amount))
            && supply.all(|supply| (least..=AMOUNT_MAX).contains(supply))
            && resting.iter().flatten().all(|order| self.resting_is_sound(order))
            && self.halts_are_sound()
            && self.receivables.open.values().all(|open| self.receivable_is_sound(open))
            && self.withdrawals.values().all(|known| self.withdrawals_are_sound(known))
            && self.deferred.iter().all(|work| self.deferred_is_sound(work))
            && finished.iter().all(has_given)
    }

    fn account_is_sound(&self, account: &Account) -> bool {
        let trade_is_sound = |trade: &AccountTrade| {
            let Some(market) = self.market(trade.instrument) else { return false };
            let widest = market.trading.widest_spec(&market.instrument.spec);
            self.asset(trade.fee_asset).is_some()
                && trade.qty <= widest.max_qty.max(widest.market_max_qty)
                && is_amount(&trade.quote)
                && is_amount(&trade.fee)
                && trade.revision.is_sound()
        };
        check_account_spec(&account.spec).is_ok()
            && account.balances.len() <= self.assets.len()
            && account.retries.len() <= RETRY_KEYS_PER_ACCOUNT
            && account.external_refs.values().all(|first| self.transferred_is_sound(first))
            && account.trades.iter(AccountId::VENUE).all(|trade| trade_is_sound(&trade))
            && account.extra.as_deref().is_none_or(|extra| self.extra_is_sound(extra))
    }

    fn transferred_is_sound(&self, first: &Transferred) -> bool {
        self.asset(first.asset).is_some()
            && Amount::ZERO < first.amount
            && first.amount <= AMOUNT_MAX
            && first.sequence <= self.sequence
    }

    fn market_is_sound(&self, id: u32, market: &Market) -> bool {
        let spec = market.instrument.spec;
        let (Some(base), Some(quote)) = (self.asset(spec.base), self.asset(spec.quote)) else {
            return false;
        };
        let widest = market.trading.widest_spec(&spec);
        Instrument::new(InstrumentId(id), spec, base, quote) == Ok(market.instrument)
            && Instrument::new(InstrumentId(id), widest, base, quote).is_ok()
            && rules_valid(&market.trading.rules)
            && market.trading.prices_are_sound(&spec, self.now_ns)
            && market.fee_schedule.as_deref().is_none_or(schedule_valid)
    }

    fn resting_is_sound(&self, order: &Order) -> bool {
        !order.order_type.is_market() && order.time_in_force.may_rest() && self.open_is_sound(order)
    }

    pub(super) fn hidden_is_sound(&self, order: &Order) -> bool {
        order.terms.is_some_and(|terms| terms.terms.hidden && terms.terms.display_qty.is_zero())
            && self.resting_is_sound(order)
    }

    /// An order that is still to trade, on the book or suspended.
    fn open_is_sound(&self, order: &Order) -> bool {
        let Some(market) = self.market(order.instrument) else { return false };
        let widest = market.trading.widest_spec(&market.instrument.spec);
        let by_quote = !order.quote_order_qty.is_zero();
        let size_is_sound = match (order.order_type, by_quote) {
            (OrderType::Market, true) => {
                order.order_qty.is_zero()
                    && order.cum_qty <= QTY_MAX
                    && order.cum_quote <= order.quote_order_qty
            }
            (OrderType::Market | OrderType::StopLoss | OrderType::TakeProfit, false) => {
                order.cum_qty < order.order_qty && order.order_qty <= widest.market_max_qty
            }
            (_, true) => false,
            (_, false) => {
                order.cum_qty < order.order_qty
                    && order.order_qty <= widest.max_qty
                    && (widest.min_price..=widest.max_price).contains(&order.price)
            }
        };
        let status =
            if order.cum_qty.is_zero() { OrderStatus::New } else { OrderStatus::PartiallyFilled };
        let OrderTerms { terms, prevented_qty, prevented_match_id, trailing_ns, .. } =
            order.terms.unwrap_or_default();
        let requested = Requested::from(order);
        size_is_sound
            && requested.is_valid()
            && (!is_in_list(order) || requested.fits_list())
            && prevented_qty <= QTY_MAX
            && prevented_match_id <= market.special.last_prevented_id
            && (prevented_match_id == 0) == prevented_qty.is_zero()
            && trailing_ns <= self.now_ns.max(1)
            && (trailing_ns == 0 || terms.trailing_delta_bps > 0)
            && order.status == status
            && self.account(order.account).is_some()
            && (1..=market.last_order_id).contains(&order.order_id.0)
            && cum_quote_is_sound(order, widest.min_price)
    }

    fn deferred_is_sound(&self, work: &Deferred) -> bool {
        match work {
            // It is still the newest, since nothing comes between the parts of a command.
            Deferred::Trade(order) => {
                self.open_is_sound(order)
                    && self.markets[order.instrument.0 as usize].last_order_id == order.order_id.0
            }
            Deferred::CancelAll(account, request) => {
                self.account(*account).is_some() && self.market(request.instrument).is_some()
            }
            Deferred::Sweep(_) | Deferred::EndSession(_) | Deferred::Due => true,
            Deferred::SettleDebts(account, asset) => {
                let known = (account.0 as usize) < self.accounts.len();
                known && self.asset(*asset).is_some()
            }
            Deferred::Reenter(instrument, _) | Deferred::FollowUp(instrument) => {
                self.market(*instrument).is_some()
            }
            Deferred::Delist(instrument) => self.is_delisted(*instrument),
            Deferred::Uncross(Uncrossing { then, .. }) => self.market(then.instrument).is_some(),
            Deferred::SettlePhase(Settling { instrument, done, .. }) => {
                let market = self.market(*instrument);
                market.is_some_and(|market| done.0 <= market.last_order_id)
            }
        }
    }

    /// Open orders that are on no book, account by account.
    pub(super) fn off_book_is_sound(&self, off_book: &[(Standing, Order)]) -> bool {
        let is_sound = |(standing, order): &(Standing, Order)| {
            let is_entering = *standing == Standing::Entering;
            // An order that another one pays has no quantity until then.
            let is_unsized = *standing == Standing::List && order.order_qty.is_zero();
            let order_qty = if is_unsized { Qty::from_lots(1) } else { order.order_qty };
            let trails = order.terms.is_some_and(|terms| terms.trailing_ns > 0);
            standing.is_off_book()
                && !(*standing == Standing::List && trails)
                && (is_entering || order.terms.is_some())
                && (order.order_type != OrderType::Market || is_in_list(order))
                && (*standing != Standing::Close || waits_for_close(order))
                && self.open_is_sound(&Order { order_qty, ..*order })
        };
        off_book.iter().all(is_sound)
            && off_book
                .is_sorted_by_key(|(_, order)| (order.account, order.instrument, order.order_id))
    }
}

fn is_amount(amount: &Amount) -> bool {
    amount.minor().unsigned_abs() <= AMOUNT_MAX.minor().unsigned_abs()
}

/// The sum of fills; below zero only where prices are.
fn cum_quote_is_sound(order: &Order, min_price: Price) -> bool {
    let least = if min_price.ticks() < 0 { Amount::ZERO - AMOUNT_MAX } else { Amount::ZERO };
    (least..=AMOUNT_MAX).contains(&order.cum_quote)
}

fn waits_for_close(order: &Order) -> bool {
    !order.order_type.is_market() && order.time_in_force == TimeInForce::AtClose
}
