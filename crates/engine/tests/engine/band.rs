//! Price bands: the largest distance of trades from a reference, and the consequences of a breach.

use types::{
    Command, InstrumentId, InstrumentRules, PercentPrice, QTY_MAX, Qty, RejectReason,
    SetInstrumentRules,
};

use crate::house::House;
use crate::script::{check, play};

/// The events of these lines after a trade at `price` under these bands.
fn after_trade(bands: &str, price: i64, lines: &str) -> Vec<String> {
    let before = format!("bands {bands}\n1 sell 1 @ {price}\n2 buy 1 @ {price}");
    let (_, output_before) = play(&before);
    let (_, output) = play(&format!("{before}\n{lines}"));
    output[output_before.len()..].to_vec()
}

/// Whether a trade at `at` is allowed after one at `price`.
fn allowed(bands: &str, price: i64, at: i64) -> bool {
    let trades = |lines: &str| {
        let output = after_trade(bands, price, lines);
        output.iter().any(|line| line.starts_with("trade"))
    };
    let by_a_buy = trades(&format!("1 sell 1 @ {at} \n 2 buy market 1"));
    let by_a_sell = trades(&format!("1 buy 1 @ {at} \n 2 sell market 1"));
    assert_eq!(by_a_buy, by_a_sell, "{bands}: {at} after {price}");
    by_a_buy
}

#[test]
fn bands_are_rounded_inwards() {
    for bands in ["static=500", "dynamic=500"] {
        // Five percent of 100 are 5, of 99 are 4.95, of 19 less than one tick.
        for (price, lowest, highest) in [(100, 95, 105), (99, 95, 103), (19, 19, 19)] {
            assert!(allowed(bands, price, lowest), "{bands}: {lowest} after {price}");
            assert!(allowed(bands, price, highest), "{bands}: {highest} after {price}");
            assert!(!allowed(bands, price, lowest - 1), "{bands}: {lowest} - 1 after {price}");
            assert!(!allowed(bands, price, highest + 1), "{bands}: {highest} + 1 after {price}");
        }
    }
}

#[test]
fn a_market_order_pays_nothing_beyond_the_bands() {
    check(
        "with balance 3 0B 120Q
         bands static=500
         1 sell 1 @ 100
         2 buy 1 @ 100
         1 sell 9 @ 110
         3 buy market 5",
        &[
            "rules 0",
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "accepted 3 9",
            "rested 3 9@110",
            "accepted 4 5",
            "expired 4 0/5 PriceBand",
            "phase 0 VolatilityAuction BandBreached",
        ],
    );
}

#[test]
fn the_static_band_stays_and_the_dynamic_band_moves_along() {
    let lines = "1 sell 1 @ 105
                 1 sell 1 @ 110
                 2 buy 2 @ 110";
    assert_eq!(
        after_trade("static=500", 100, lines),
        [
            "accepted 3 1",
            "rested 3 1@105",
            "accepted 4 1",
            "rested 4 1@110",
            "accepted 5 2",
            "trade 3!<5 1@105",
            "rested 5 1@110",
            "phase 0 VolatilityAuction BandBreached",
        ]
    );
    assert_eq!(
        after_trade("dynamic=500", 100, lines),
        [
            "accepted 3 1",
            "rested 3 1@105",
            "accepted 4 1",
            "rested 4 1@110",
            "accepted 5 2",
            "trade 3!<5 1@105",
            "trade 4!<5! 1@110",
        ]
    );
    assert!(!allowed("static=500 dynamic=100", 100, 102), "both bands hold");
}

#[test]
fn the_first_trade_is_the_reference_of_the_next() {
    check(
        "bands static=500
         1 sell 1 @ 200
         1 sell 1 @ 100
         2 buy 2 @ 200",
        &[
            "rules 0",
            "accepted 1 1",
            "rested 1 1@200",
            "accepted 2 1",
            "rested 2 1@100",
            "accepted 3 2",
            "trade 2!<3 1@100",
            "rested 3 1@200",
            "phase 0 VolatilityAuction BandBreached",
        ],
    );
}

#[test]
fn an_auctions_price_is_the_new_static_reference() {
    check(
        "bands static=500
         1 sell 1 @ 100
         2 buy 1 @ 100
         1 sell 2 @ 120
         2 buy 3 @ 120
         restart
         phase Continuous
         3 sell 1 @ 114
         4 sell 1 @ 113
         book",
        &[
            "rules 0",
            "accepted 1 1",
            "rested 1 1@100",
            "accepted 2 1",
            "trade 1!<2! 1@100",
            "accepted 3 2",
            "rested 3 2@120",
            "accepted 4 3",
            "rested 4 3@120",
            "phase 0 VolatilityAuction BandBreached",
            "uncrossed 2@120 left 1 to buy",
            "trade 3!<4 2@120",
            "reduced 4 2@120 left 1",
            "phase 0 Continuous",
            "accepted 5 1",
            "trade 4!<5! 1@120",
            "accepted 6 1",
            "rested 6 1@113",
            "book | 1@113",
        ],
    );
}

#[test]
fn in_a_breach_orders_that_can_rest_do_and_others_expire() {
    let breach = |order: &str| {
        let output = after_trade("static=500", 100, &format!("1 sell 1 @ 106 \n 2 {order}"));
        output[2..].join(", ")
    };
    let breached = "phase 0 VolatilityAuction BandBreached";
    for kind in ["", "day", "display 2"] {
        let output = breach(&format!("buy 5 @ 106 {kind}"));
        let shown = if kind == "display 2" { 2 } else { 5 };
        assert_eq!(output, format!("accepted 4 5, rested 4 {shown}@106, {breached}"));
    }
    assert_eq!(breach("buy 5 @ 106 hidden"), format!("accepted 4 5, {breached}"));
    assert_eq!(breach("buy 5 mtl"), format!("accepted 4 5@106, rested 4 5@106, {breached}"));
    for kind in ["@ 106 ioc", "market"] {
        let order = match kind {
            "market" => "buy market 5".to_owned(),
            _ => format!("buy 5 {kind}"),
        };
        let output = breach(&order);
        assert_eq!(output, format!("accepted 4 5, expired 4 0/5 PriceBand, {breached}"));
    }
}

#[test]
fn an_unfillable_order_within_the_bands_breaches_nothing() {
    let asks = "1 sell 1 @ 105 \n 1 sell 2 @ 106 \n";
    let output = |order: &str| {
        let output = after_trade("static=500", 100, &format!("{asks} 2 {order} \n phases"));
        output[4..].join(", ")
    };
    let phases = "phases 0:Continuous 1:Continuous";
    assert_eq!(
        output("buy 3 @ 106 fok"),
        format!("accepted 5 3, expired 5 0/3 FillOrKill, {phases}")
    );
    assert_eq!(
        output("buy 3 @ 106 min 2"),
        format!("accepted 5 3, expired 5 0/3 MinQty, {phases}")
    );
    assert_eq!(output("buy 1 @ 106 fok"), format!("accepted 5 1, trade 3!<5! 1@105, {phases}"));
}

#[test]
fn a_prevented_trade_breaches_no_band() {
    assert_eq!(
        after_trade(
            "static=500",
            100,
            "2 sell 1 @ 106
             2 buy 1 @ 106 stp maker
             phases",
        ),
        [
            "accepted 3 1",
            "rested 3 1@106",
            "accepted 4 1",
            "prevented 3<4 1@106 ExpireMaker",
            "reduced 3 1@106",
            "expired 3 0/0 SelfTrade",
            "rested 4 1@106",
            "phases 0:Continuous 1:Continuous",
        ]
    );
}

#[test]
fn a_breach_ends_by_itself_after_its_time() {
    assert_eq!(
        after_trade(
            "static=500 for=5s halt",
            100,
            "1 sell 2 @ 106
             at 1s
             2 buy 3 @ 106
             3 buy 1 @ 100
             deadline
             restart
             at 6s
             3 buy 1 @ 110
             deadline",
        ),
        [
            "accepted 3 2",
            "rested 3 2@106",
            "accepted 4 3",
            "rested 4 3@106",
            "phase 0 Halt BandBreached until 6s",
            "rejected PhaseForbids",
            "deadline 6s",
            "uncrossed 2@106 left 1 to buy",
            "trade 3!<4 2@106",
            "reduced 4 2@106 left 1",
            "phase 0 Continuous Resumed",
            "accepted 5 1",
            "rested 5 1@110",
            "deadline none",
        ]
    );
}

#[test]
fn a_phase_that_is_set_meanwhile_stays() {
    assert_eq!(
        after_trade(
            "static=500 for=5s",
            100,
            "1 sell 2 @ 106
             at 1s
             2 buy 3 @ 106 ioc
             phase Halt
             deadline
             at 6s
             tick
             phases",
        ),
        [
            "accepted 3 2",
            "rested 3 2@106",
            "accepted 4 3",
            "expired 4 0/3 PriceBand",
            "phase 0 VolatilityAuction BandBreached until 6s",
            "phase 0 Halt",
            "deadline none",
            "phases 0:Halt 1:Continuous",
        ]
    );
}

#[test]
fn other_bands_take_hold_at_once() {
    assert_eq!(
        after_trade(
            "static=500",
            100,
            "1 sell 3 @ 106
             bands static=600
             2 buy 1 @ 106
             bands static=100
             2 buy 1 @ 106 ioc
             phase Continuous
             bands
             2 buy 1 @ 106",
        ),
        [
            "accepted 3 3",
            "rested 3 3@106",
            "rules 0",
            "accepted 4 1",
            "trade 3<4! 1@106",
            "rules 0",
            "accepted 5 1",
            "expired 5 0/1 PriceBand",
            "phase 0 VolatilityAuction BandBreached",
            "phase 0 Continuous",
            "rules 0",
            "accepted 6 1",
            "trade 3<6! 1@106",
        ]
    );
}

#[test]
fn rules_that_contradict_themselves_are_refused() {
    let mut venue = House::default().open();
    let mut reason = |instrument, change: fn(&mut InstrumentRules)| {
        let mut rules = InstrumentRules::default();
        change(&mut rules);
        let instrument = InstrumentId(instrument);
        venue.reason(0, Command::SetInstrumentRules(SetInstrumentRules { instrument, rules }))
    };
    let invalid = Some(RejectReason::InstrumentRulesInvalid);
    let changes: [fn(&mut InstrumentRules); 6] = [
        |rules| rules.avg_price_mins = 7 * 24 * 60 + 1,
        |rules| {
            rules.percent_price =
                PercentPrice { buy_min_bps: 2, buy_max_bps: 1, ..PercentPrice::default() };
        },
        |rules| {
            rules.percent_price =
                PercentPrice { sell_min_bps: 2, sell_max_bps: 1, ..PercentPrice::default() };
        },
        |rules| (rules.trailing_delta_min_bps, rules.trailing_delta_max_bps) = (2, 1),
        |rules| rules.market_min_qty = Qty::from_lots(QTY_MAX.lots() + 1),
        |rules| rules.max_position = Qty::from_lots(QTY_MAX.lots() + 1),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert_eq!(reason(0, change), invalid, "{number}");
    }
    assert_eq!(reason(7, changes[0]), Some(RejectReason::UnknownInstrument));
    // A minimum without a maximum contradicts nothing.
    assert_eq!(reason(0, |rules| rules.trailing_delta_min_bps = 2), None);
    assert_eq!(reason(0, |rules| rules.avg_price_mins = 7 * 24 * 60), None);
}
