//! The largest position of an instrument's rules: at the bound, and one beyond.

use types::{InstrumentRules, OrderSize, QTY_MAX, RejectReason, Side};

use crate::filter::{NO_RULES, below_zero, modify, order, set, trade, would};
use crate::house::{House, limit, lots, market, minor};

#[test]
fn position_and_open_buys_of_an_account_are_bounded() {
    use RejectReason::{InsufficientBalance, PositionAboveMax};
    let balances = [((1, 0), 900), ((1, 1), 5_000)].into();
    let mut venue = House { balances, ..House::default() }.open();
    let rules = |max_position| InstrumentRules { max_position: lots(max_position), ..NO_RULES() };
    set(&mut venue, rules(1000));
    let buy = |qty| limit("c", Side::Buy, qty, 9);
    assert_eq!(would(&venue, 1, buy(100)), None);
    assert_eq!(would(&venue, 1, buy(101)), Some(PositionAboveMax));
    assert_eq!(would(&venue, 1, limit("c", Side::Buy, 900, 9)), Some(InsufficientBalance));
    // The quantity that it offers is still its own; the quantity of its bids may become its own.
    assert_eq!(order(&mut venue, 1, limit("a", Side::Sell, 500, 20)), None);
    assert_eq!(order(&mut venue, 1, limit("b", Side::Buy, 60, 9)), None);
    venue.restart();
    assert_eq!(would(&venue, 1, buy(40)), None);
    assert_eq!(order(&mut venue, 1, buy(41)), Some(PositionAboveMax));
    assert_eq!(would(&venue, 1, limit("c", Side::Sell, 400, 9)), None);
    assert_eq!(modify(&mut venue, 1, "b", 101, 9), Some(PositionAboveMax));
    assert_eq!(order(&mut venue, 2, limit("take", Side::Sell, 10, 9)), None);
    assert_eq!(modify(&mut venue, 1, "b", 101, 9), Some(PositionAboveMax));
    assert_eq!(modify(&mut venue, 1, "b", 100, 9), None, "ten of it are owned by now");
    assert_eq!(would(&venue, 1, buy(1)), Some(PositionAboveMax));
    assert_eq!(modify(&mut venue, 1, "b", 60, 9), None);

    // A market order counts its lots, or the lots that its amount buys at the best price.
    assert_eq!(order(&mut venue, 2, limit("offer", Side::Sell, 90, 10)), None);
    let size = |size| market("c", Side::Buy, size);
    assert_eq!(would(&venue, 1, size(OrderSize::Base(lots(40)))), None);
    assert_eq!(would(&venue, 1, size(OrderSize::Base(lots(41)))), Some(PositionAboveMax));
    assert_eq!(would(&venue, 1, size(OrderSize::Quote(minor(409)))), None);
    assert_eq!(would(&venue, 1, size(OrderSize::Quote(minor(410)))), Some(PositionAboveMax));

    // An account above the limit can only sell.
    set(&mut venue, rules(1));
    assert_eq!(would(&venue, 1, buy(1)), Some(PositionAboveMax));
    assert_eq!(would(&venue, 1, limit("c", Side::Sell, 1, 9)), None);
    set(&mut venue, rules(QTY_MAX.lots()));
    assert_eq!(would(&venue, 1, buy(100)), None);
}

#[test]
fn a_short_account_may_buy_more() {
    let mut venue = below_zero();
    trade(&mut venue, 5, 100);
    set(&mut venue, InstrumentRules { max_position: lots(10), ..NO_RULES() });
    let buy = |qty| limit("a", Side::Buy, qty, 9);
    let refused = Some(RejectReason::PositionAboveMax);
    assert_eq!((would(&venue, 3, buy(15)), would(&venue, 3, buy(16))), (None, refused));
    assert_eq!((would(&venue, 4, buy(5)), would(&venue, 4, buy(6))), (None, refused));
}

/// Every buy reads each of them.
#[test]
fn a_position_limit_bounds_open_orders_to_a_thousand() {
    use RejectReason::{PositionAboveMax, TooManyOpenOrders};
    let mut venue = House::default().open();
    venue.unchecked = true;
    let max_position = lots(1_001_500);
    set(&mut venue, InstrumentRules { max_position, ..NO_RULES() });
    assert_eq!(order(&mut venue, 2, limit("offer", Side::Sell, 1, 9)), None);
    for number in 0..1_000 {
        assert_eq!(order(&mut venue, 1, limit(&format!("b{number}"), Side::Buy, 1, 1)), None);
    }
    assert_eq!(would(&venue, 1, limit("more", Side::Buy, 1, 1)), Some(TooManyOpenOrders));
    assert_eq!(would(&venue, 1, limit("more", Side::Sell, 1, 1)), Some(TooManyOpenOrders));
    assert_eq!(would(&venue, 1, market("more", Side::Buy, OrderSize::Base(lots(500)))), None);
    let above = market("more", Side::Buy, OrderSize::Base(lots(501)));
    assert_eq!(would(&venue, 1, above), Some(PositionAboveMax));
    set(&mut venue, NO_RULES());
    assert_eq!(order(&mut venue, 1, limit("more", Side::Buy, 1, 1)), None);
}
