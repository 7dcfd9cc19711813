//! Absurd values in the terms beyond a plain order: zero, negative, the largest.

use types::{
    AccountId, AccountLimits, AccountMode, AccountRisk, AmendOrder, Command, CorrectTrade,
    InstrumentId, ModifyOrder, NewOrder, OrderRef, OrderType, Peg, PegReference, ReceivableId,
    RejectReason, SetAccountLimits, SetAccountRisk, SettleReceivable, Side, Terms, TimeInForce,
    TradeId,
};

use crate::house::{Driver, House, limit, lots, market, minor, name, state_bytes, ticks};

const HERE: InstrumentId = InstrumentId(0);

/// Account 1 has balances, account 2 has limits; account 3 quotes 10 and 20.
fn venue() -> Driver {
    let balances = (0..3).map(|asset| ((2, asset), 0)).collect();
    let mut venue = House { balances, ..House::default() }.open();
    let risk = AccountRisk { mode: AccountMode::Limits, ..AccountRisk::PLAIN };
    let account = AccountId(2);
    venue.apply(0, Command::SetAccountRisk(SetAccountRisk { account, risk }));
    venue.apply(3, Command::NewOrder(limit("bid", Side::Buy, 5, 10)));
    venue.apply(3, Command::NewOrder(limit("ask", Side::Sell, 5, 20)));
    venue
}

fn peg(offset_ticks: i32, limit: Option<i64>) -> Option<Peg> {
    let reference = PegReference::Primary;
    Some(Peg { reference, offset_ticks, limit: limit.map(ticks) })
}

#[test]
fn special_terms() {
    use OrderType::{Limit, StopLoss, StopLossLimit};
    use RejectReason::*;
    use TimeInForce::{Gtc, Gtd};
    let none = Terms::default();
    let at = |stop_price: i64| Terms { stop_price: Some(ticks(stop_price)), ..none };
    let by = |trailing_delta_bps| Terms { trailing_delta_bps, ..none };
    let pegged = |offset, limit| Terms { peg: peg(offset, limit), ..none };
    let shows = |qty| Terms { display_qty: lots(qty), ..none };
    let least = |qty| Terms { min_qty: lots(qty), ..none };
    let till = |expire_ns| Terms { expire_ns, ..none };
    for (order_type, time_in_force, price, terms, expect) in [
        (StopLoss, Gtc, 0, at(0), Some(StopPriceOutOfRange)),
        (StopLoss, Gtc, 0, at(-1), Some(StopPriceOutOfRange)),
        (StopLoss, Gtc, 0, at(1001), Some(StopPriceOutOfRange)),
        (StopLoss, Gtc, 0, at(i64::MAX), Some(StopPriceOutOfRange)),
        (StopLossLimit, Gtc, 9, at(i64::MIN), Some(StopPriceOutOfRange)),
        (StopLossLimit, Gtc, i64::MIN, at(5), Some(PriceBelowMin)),
        (StopLossLimit, Gtc, i64::MAX, at(5), Some(PriceAboveMax)),
        (StopLoss, Gtc, 0, by(0), Some(OrderTermsInvalid)),
        (StopLoss, Gtc, 0, by(10_000), Some(TrailingDeltaOutOfRange)),
        (StopLoss, Gtc, 0, by(u32::MAX), Some(TrailingDeltaOutOfRange)),
        (Limit, Gtc, 0, pegged(i32::MIN, None), None),
        (Limit, Gtc, 0, pegged(i32::MAX, None), None),
        (Limit, Gtc, 0, pegged(0, Some(i64::MIN)), Some(PriceBelowMin)),
        (Limit, Gtc, 0, pegged(0, Some(0)), Some(PriceBelowMin)),
        (Limit, Gtc, 0, pegged(0, Some(i64::MAX)), Some(PriceAboveMax)),
        (Limit, Gtc, 9, shows(u64::MAX), Some(DisplayQtyOutOfRange)),
        (Limit, Gtc, 9, shows(4), Some(DisplayQtyOutOfRange)),
        (Limit, Gtc, 9, least(u64::MAX), Some(MinQtyAboveOrderQty)),
        (Limit, Gtc, 9, least(5), Some(MinQtyAboveOrderQty)),
        (Limit, Gtd, 9, till(0), Some(OrderTermsInvalid)),
        (Limit, Gtd, 9, till(1), Some(ExpireTimePast)),
        (Limit, Gtc, 9, till(u64::MAX), Some(OrderTermsInvalid)),
        (Limit, Gtd, 9, till(u64::MAX), None),
    ] {
        for (account, side) in [(1, Side::Buy), (1, Side::Sell), (2, Side::Buy), (2, Side::Sell)] {
            let mut venue = venue();
            let plain = limit("a", side, 4, price);
            let order = NewOrder { order_type, time_in_force, terms: Some(terms), ..plain };
            let before = state_bytes(&venue.engine);
            let reason = venue.reason(account, Command::NewOrder(order));
            assert_eq!(reason, expect, "{order:?}");
            if expect.is_some() {
                assert_eq!(before[18..], state_bytes(&venue.engine)[18..], "{order:?}");
            }
            venue.restart();
        }
    }
}

#[test]
fn sizes_of_orders_that_are_not_paid_for() {
    use RejectReason::*;
    use types::OrderSize::{Base, Quote};
    for (size, expect) in [
        (Base(lots(0)), Some(MarketQtyBelowMin)),
        (Base(lots(u64::MAX)), Some(MarketQtyAboveMax)),
        (Quote(minor(0)), Some(NotionalBelowMin)),
        (Quote(minor(-1)), Some(NotionalBelowMin)),
        (Quote(minor(i128::MIN)), Some(NotionalBelowMin)),
        (Quote(minor(i128::MAX)), Some(NotionalAboveMax)),
        (Quote(minor(100_000)), None),
    ] {
        for side in [Side::Buy, Side::Sell] {
            let order = market("a", side, size);
            assert_eq!(venue().reason(2, Command::NewOrder(order)), expect, "{order:?}");
        }
    }
}

#[test]
fn quantities_and_prices_that_an_order_is_changed_to() {
    use RejectReason::*;
    let order = OrderRef::by_cl_ord_id(name("bid"));
    for (qty, expect) in
        [(0, OrderQtyBelowMin), (5, AmendQtyUnchanged), (u64::MAX, AmendQtyNotLower)]
    {
        let amend = AmendOrder { instrument: HERE, order, cl_ord_id: None, order_qty: lots(qty) };
        assert_eq!(venue().reason(3, Command::AmendOrder(amend)), Some(expect), "{qty}");
    }
    for (qty, price, expect) in [
        (u64::MAX, None, Some(OrderQtyAboveMax)),
        (5, Some(0), Some(PriceBelowMin)),
        (5, Some(-1), Some(PriceBelowMin)),
        (5, Some(i64::MIN), Some(PriceBelowMin)),
        (5, Some(i64::MAX), Some(PriceAboveMax)),
        (u64::MAX, Some(i64::MAX), Some(PriceAboveMax)),
        (1000, Some(1000), Some(NotionalAboveMax)),
    ] {
        let (order_qty, price) = (lots(qty), price.map(ticks));
        let modify = ModifyOrder { instrument: HERE, order, cl_ord_id: None, order_qty, price };
        assert_eq!(venue().reason(3, Command::ModifyOrder(modify)), expect, "{modify:?}");
    }
}

#[test]
fn settings_of_operators() {
    use RejectReason::*;
    let account = AccountId(1);
    let limits = |limits| {
        let set = SetAccountLimits { account, instrument: HERE, limits };
        venue().reason(0, Command::SetAccountLimits(set))
    };
    let none = AccountLimits::default();
    for amount in [-1, i128::MIN] {
        let max = minor(amount);
        assert_eq!(
            limits(AccountLimits { max_order_notional: max, ..none }),
            Some(AmountNotPositive)
        );
        assert_eq!(
            limits(AccountLimits { max_open_notional: max, ..none }),
            Some(AmountNotPositive)
        );
    }
    let most = AccountLimits {
        max_order_qty: lots(u64::MAX),
        max_order_notional: minor(i128::MAX),
        max_open_orders: u32::MAX,
        max_open_notional: minor(i128::MAX),
        max_position: lots(u64::MAX),
        collar_bps: u32::MAX,
    };
    let mut venue = venue();
    for account in [1, 2] {
        let account = AccountId(account);
        let set = SetAccountLimits { account, instrument: HERE, limits: most };
        assert_eq!(venue.reason(0, Command::SetAccountLimits(set)), None);
    }
    for account in [1, 2] {
        let order = limit("a", Side::Buy, 5, 20);
        assert_eq!(venue.reason(account, Command::NewOrder(order)), None);
        venue.restart();
    }
    for (price, expect) in [
        (0, PriceBelowMin),
        (i64::MIN, PriceBelowMin),
        (1001, PriceAboveMax),
        (i64::MAX, PriceAboveMax),
    ] {
        let (trade_id, buyer, seller) = (TradeId(1), AccountId(1), AccountId(3));
        let price = ticks(price);
        let correct = CorrectTrade { instrument: HERE, trade_id, buyer, seller, price };
        assert_eq!(venue.reason(0, Command::CorrectTrade(correct)), Some(expect));
    }
    for receivable in [0, 1, u64::MAX] {
        let receivable = ReceivableId(receivable);
        let settle = Command::SettleReceivable(SettleReceivable { receivable });
        assert_eq!(venue.reason(0, settle), Some(ReceivableNotFound));
    }
}
