//! The ladder of refusals for a new order: what is checked, in which order.

use types::{
    AccountId, Amount, Instrument, NewOrder, OrderSize, OrderType, Phase, Price, Qty, RejectReason,
    Side, Terms, TimeInForce,
};

use crate::account::{Account, held};
use crate::book::NodeId;
use crate::engine::Engine;
use crate::fee::fee;
use crate::market::Market;
use crate::phase::check_phase;

/// Each part of an iceberg is a trade of its own: with more of them, one order could keep the venue
/// busy for as long as it likes.
const ICEBERG_PARTS_MAX: u64 = 1_000;

impl Engine {
    /// Whether an order would be taken on now. Reads only; `order/test` asks it too.
    pub fn check_new_order(
        &self,
        account: AccountId,
        order: &NewOrder,
    ) -> Result<(), RejectReason> {
        self.check_order(account, order, None)
    }

    /// Whether an order would be taken on, in the place of `own` if that is one: what this holds
    /// counts as free, and it is not counted itself.
    ///
    /// The ladder is the specification: one rung per reason, in the order of [`RejectReason`].
    pub(crate) fn check_order(
        &self,
        account: AccountId,
        order: &NewOrder,
        own: Option<NodeId>,
    ) -> Result<(), RejectReason> {
        let account_id = account;
        let account = self.account(account_id).ok_or(RejectReason::UnknownAccount)?;
        let market = self.market(order.instrument).ok_or(RejectReason::UnknownInstrument)?;
        let instrument = &market.instrument;
        let best = market.best_price(order.side.opposite());

        if account.is_killed() {
            return Err(RejectReason::AccountKilled);
        }
        self.check_open(market)?;
        check_phase(market.trading.phase, order)?;
        if own.is_none() && !account.order_rate_allows(1, self.now_ns) {
            return Err(RejectReason::OrderRateAboveMax);
        }
        if !terms_valid(order) || (self.rules < 2 && is_special(order)) {
            return Err(RejectReason::OrderTermsInvalid);
        }
        let price = match takes_reference(order) {
            true => self.reference_price(order),
            false => Some(order.price),
        };
        check_price(instrument, order, price)?;
        let limited = self.limited(account, order, price, best, own);
        if let Some(limited) = &limited {
            limited.check_collar(market.trading.last_price)?;
        }
        let price = price.ok_or(RejectReason::NoPegReference)?;
        check_qty(instrument, order)?;
        if let Some(limited) = &limited {
            limited.check_qty()?;
        }
        check_notional(instrument, account, order, price, best)?;
        if let Some(limited) = &limited {
            limited.check_notional()?;
        }
        let stays = !order.order_type.is_market() && order.time_in_force.may_rest();
        if stays && own.is_none() {
            let here = account.market(order.instrument).open_orders;
            if here >= instrument.spec.max_open_orders || market.special.pegs.are_full(order) {
                return Err(RejectReason::TooManyOpenOrders);
            }
            if account.open_orders >= account.spec.max_open_orders {
                return Err(RejectReason::TooManyAccountOrders);
            }
            if let Some(limited) = &limited {
                limited.check_open_orders(here)?;
            }
        }
        if stays && let Some(limited) = &limited {
            limited.check_open_notional()?;
        }
        let same_name = self.orders.by_cl_ord_id(account_id, order.instrument, &order.cl_ord_id);
        if same_name.is_some() && same_name != own {
            return Err(RejectReason::DuplicateClOrdId);
        }
        let paid = own.map_or((Amount::ZERO, Qty::ZERO), |own| self.paid_by_open(own));
        if !can_pay(market, account, order, price, best, paid, self.now_ns) {
            return Err(RejectReason::InsufficientBalance);
        }
        if let Some(limited) = &limited {
            limited.check_position()?;
        }
        let crosses = best.is_some_and(|best| order.side.crosses(price, best));
        let trades = market.trading.phase == Phase::Continuous;
        if order.order_type == OrderType::LimitMaker && crosses && trades {
            return Err(RejectReason::WouldTakeLiquidity);
        }
        Ok(())
    }

    /// What an open order holds, and how much of it has traded.
    #[cold]
    fn paid_by_open(&self, node: NodeId) -> (Amount, Qty) {
        let order = self.orders.order(node);
        let instrument = &self.markets[order.instrument.0 as usize].instrument;
        let account = &self.accounts[order.account.0 as usize];
        let holds = match order.order_type.is_market() {
            true => Amount::ZERO,
            false => {
                let (_, amount) = held(instrument, &order, order.leaves_qty());
                amount + account.fee_held(instrument, &order)
            }
        };
        (holds, order.cum_qty)
    }

    /// The price at which an order comes that names none itself: the best opposite one, or where
    /// its peg is.
    #[cold]
    pub(crate) fn reference_price(&self, order: &NewOrder) -> Option<Price> {
        match order.special().peg {
            Some(peg) => self.peg_price(order.instrument, order.side, order.order_type, &peg),
            None => self.market(order.instrument)?.best_price(order.side.opposite()),
        }
    }
}

/// Whether the rules of version 1 do not know such an order.
fn is_special(order: &NewOrder) -> bool {
    use OrderType::{Limit, LimitMaker, Market};
    use TimeInForce::{Fok, Gtc, Ioc};
    order.terms.is_some()
        || !matches!(order.order_type, Limit | LimitMaker | Market)
        || !matches!(order.time_in_force, Gtc | Ioc | Fok)
}

/// Whether an order names no price, but takes it from the book.
pub(crate) fn takes_reference(order: &NewOrder) -> bool {
    order.order_type == OrderType::MarketToLimit
        || order.terms.is_some_and(|terms| terms.peg.is_some())
}

/// A price, a size, a time in force and special terms that go with the order's type.
fn terms_valid(order: &NewOrder) -> bool {
    use TimeInForce::{AtClose, AtOpen, Day, Gtc, Gtd};
    let by_base = matches!(order.size, OrderSize::Base(_));
    if order.time_in_force == Gtd {
        return false;
    }
    let plain = match order.order_type {
        OrderType::Limit => by_base,
        OrderType::LimitMaker => by_base && matches!(order.time_in_force, Gtc | Day | Gtd),
        OrderType::Market => order.price == Price::default() && order.time_in_force == Gtc,
        OrderType::MarketToLimit => {
            by_base
                && order.price == Price::default()
                && !matches!(order.time_in_force, AtOpen | AtClose)
        }
        _ => false,
    };
    plain && order.terms.as_ref().is_none_or(|terms| special_terms_valid(order, terms))
}

#[cold]
fn special_terms_valid(order: &NewOrder, terms: &Terms) -> bool {
    use OrderType::{Limit, LimitMaker};
    use TimeInForce::{Day, Gtc, Gtd};
    let stays = !order.order_type.is_market() && order.time_in_force.may_rest();
    let pegged = terms.peg.is_none()
        || (matches!(order.order_type, Limit | LimitMaker)
            && matches!(order.time_in_force, Gtc | Day | Gtd)
            && order.price == Price::default());
    let displayed = terms.display_qty.is_zero() || (stays && !terms.hidden);
    let hidden = !terms.hidden || stays;
    let least = terms.min_qty.is_zero() || order.order_type != LimitMaker;
    let others =
        terms.stop_price.is_none() && terms.trailing_delta_bps == 0 && terms.expire_ns == 0;
    pegged && displayed && hidden && least && others
}

/// The price of a pegged order is within the bounds by itself; its limit must be, too.
fn check_price(
    instrument: &Instrument,
    order: &NewOrder,
    price: Option<Price>,
) -> Result<(), RejectReason> {
    let limit = match &order.terms {
        Some(Terms { peg: Some(peg), .. }) => peg.limit,
        _ => price,
    };
    let Some(price) = limit.filter(|_| !order.order_type.is_market()) else { return Ok(()) };
    if price < instrument.spec.min_price {
        return Err(RejectReason::PriceBelowMin);
    }
    if price > instrument.spec.max_price {
        return Err(RejectReason::PriceAboveMax);
    }
    Ok(())
}

fn check_qty(instrument: &Instrument, order: &NewOrder) -> Result<(), RejectReason> {
    let OrderSize::Base(qty) = order.size else { return Ok(()) };
    let spec = &instrument.spec;
    match order.order_type {
        OrderType::Market if qty < spec.min_qty => Err(RejectReason::MarketQtyBelowMin),
        OrderType::Market if qty > spec.market_max_qty => Err(RejectReason::MarketQtyAboveMax),
        OrderType::Market => Ok(()),
        _ if qty < spec.min_qty => Err(RejectReason::OrderQtyBelowMin),
        _ if qty > spec.max_qty => Err(RejectReason::OrderQtyAboveMax),
        _ => Ok(()),
    }?;
    match &order.terms {
        Some(terms) => check_special_qty(instrument, terms, qty),
        None => Ok(()),
    }
}

#[cold]
fn check_special_qty(instrument: &Instrument, terms: &Terms, qty: Qty) -> Result<(), RejectReason> {
    let displays = instrument.spec.min_qty <= terms.display_qty && terms.display_qty < qty;
    if !terms.display_qty.is_zero() && !displays {
        return Err(RejectReason::DisplayQtyOutOfRange);
    }
    if displays && qty.lots().div_ceil(terms.display_qty.lots()) > ICEBERG_PARTS_MAX {
        return Err(RejectReason::TooManyIcebergParts);
    }
    if terms.min_qty > qty {
        return Err(RejectReason::MinQtyAboveOrderQty);
    }
    Ok(())
}

/// A market order is measured at the best price; where there is none, it will not trade. An
/// account that owns balances has to buy for something; of others, the size alone counts.
fn check_notional(
    instrument: &Instrument,
    account: &Account,
    order: &NewOrder,
    price: Price,
    best: Option<Price>,
) -> Result<(), RejectReason> {
    let notional = match (order.size, order.order_type, best) {
        (OrderSize::Quote(amount), _, _) => amount,
        (OrderSize::Base(qty), OrderType::Market, Some(best)) => instrument.notional(best, qty),
        (OrderSize::Base(_), OrderType::Market, None) => return Ok(()),
        (OrderSize::Base(qty), _, _) => instrument.notional(price, qty),
    };
    let notional = match order.size {
        OrderSize::Base(_) if !account.is_cash() => Amount::from_minor(notional.minor().abs()),
        _ if notional <= Amount::ZERO => return Err(RejectReason::NotionalBelowMin),
        _ => notional,
    };
    if notional < instrument.spec.min_notional {
        return Err(RejectReason::NotionalBelowMin);
    }
    if notional > instrument.spec.max_notional {
        return Err(RejectReason::NotionalAboveMax);
    }
    Ok(())
}

/// A limit order must be able to hold all that it may cost. A market order pays as it goes, so it
/// must own what it names, or at least enough for one lot. What the order that this one replaces
/// holds counts as free, and what that has traded is paid.
fn can_pay(
    market: &Market,
    account: &Account,
    order: &NewOrder,
    price: Price,
    best: Option<Price>,
    (held, traded): (Amount, Qty),
    now_ns: u64,
) -> bool {
    if !account.is_cash() {
        return true;
    }
    let instrument = &market.instrument;
    let free_base = account.balance(instrument.spec.base).free + held;
    let free_quote = account.balance(instrument.spec.quote).free + held;
    let one_lot = Qty::from_lots(1);
    let rate = account.fee_rate_on_top(market, order.side, now_ns);
    let pays = |notional: Amount| notional + fee(notional, rate) <= free_quote;
    match (order.side, order.size, order.order_type) {
        (Side::Sell, OrderSize::Base(qty), _) => instrument.base_amount(qty - traded) <= free_base,
        (Side::Sell, OrderSize::Quote(_), _) => instrument.base_amount(one_lot) <= free_base,
        (Side::Buy, OrderSize::Quote(amount), _) => amount <= free_quote && pays(amount),
        (Side::Buy, OrderSize::Base(_), OrderType::Market) => {
            best.is_none_or(|best| pays(instrument.notional(best, one_lot)))
        }
        (Side::Buy, OrderSize::Base(qty), _) => pays(instrument.notional(price, qty - traded)),
    }
}
