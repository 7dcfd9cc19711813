use serde_json::{Value, json};
use types::{
    Adjustment, CancelCause, Deposited, ExpireCause, ExternalRef, Fill, OrderDecremented,
    OrderExpired, OrderListId, OrderListKind, OrderListStatus, OrderListUpdated, OrderStatus,
    OrderTerms, Prevented, Price, Qty, Side, TradeBusted, TradeCorrected, TradeExecuted, TradeId,
    WithdrawalCanceled, WithdrawalCompleted, WithdrawalRequested,
};

use super::*;
use crate::binance::testing::{accepted, asset, btcusdt, canceled, cl, order};

const ACCOUNT: AccountId = AccountId(7);
const AT: Moment = Moment { event_ns: 1_507_725_176_600_000_000, unit: TimeUnit::Millisecond };

/// Two orders of any list: the second waits.
struct Known;

impl Names for Known {
    fn market(&self, _: InstrumentId) -> Option<Market> {
        Some(btcusdt())
    }

    fn asset(&self, id: AssetId) -> Option<Asset> {
        Some(asset(["BTC", "USDT"][usize::from(id.0)], 8))
    }

    fn order(&self, _: &OrderList, order: OrderId) -> Option<ClOrdId> {
        Some(cl(&format!("order-{}", order.0)))
    }

    fn is_pending(&self, order: &Order) -> bool {
        order.order_id == OrderId(2)
    }

    fn entered_amount(&self, order: &Order) -> Amount {
        order.quote_order_qty
    }
}

/// The payload of an event's number; `expect` has the fields that matter.
#[track_caller]
fn check(event: &Event, seq: u64, expect: Value) {
    let text = payload(event, (ACCOUNT, seq), &Known, AT).unwrap();
    let found: Value = serde_json::from_str(&text).unwrap();
    for (name, value) in expect.as_object().unwrap() {
        assert_eq!(&found[name], value, "{name} of {text}");
    }
    assert_eq!(found["seq"], seq, "{text}");
}

#[test]
fn a_report_has_every_field_of_the_documentation() {
    let text = payload(&accepted(order(1)), (ACCOUNT, 5), &Known, AT);
    assert_eq!(
        text.unwrap(),
        concat!(
            r#"{"e":"executionReport","E":1507725176600,"s":"BTCUSDT","c":"mine","S":"BUY","#,
            r#""o":"LIMIT","f":"GTC","q":"0.10000000","p":"25000.00000000","P":"0.00000000","#,
            r#""F":"0.00000000","g":-1,"C":"","x":"NEW","X":"NEW","r":"NONE","i":1,"#,
            r#""l":"0.00000000","z":"0.00000000","L":"0.00000000","n":"0","N":null,"#,
            r#""T":1507725176595,"t":-1,"I":5,"w":true,"m":false,"M":false,"#,
            r#""O":1507725176595,"Z":"0.00000000","Y":"0.00000000","Q":"0.00000000","#,
            r#""W":1507725176595,"V":"NONE","seq":5}"#,
        )
    );
}

#[test]
fn both_sides_of_a_trade_get_their_own() {
    let fill = |order_id, seq, side, fee, fee_asset| Fill {
        account_seq: seq,
        order: Order {
            side,
            status: OrderStatus::Filled,
            cum_qty: Qty::from_lots(10_000),
            ..order(order_id)
        },
        fee: Amount::from_minor(fee),
        fee_asset: AssetId(fee_asset),
    };
    let trade = Event::TradeExecuted(TradeExecuted {
        instrument_seq: 1,
        instrument: InstrumentId(0),
        trade_id: TradeId(9),
        price: Price::from_ticks(2_500_000),
        qty: Qty::from_lots(10_000),
        quote: Amount::from_minor(250_000_000_000),
        side: Side::Sell,
        maker: fill(1, 3, Side::Buy, 10_000, 0),
        taker: fill(3, 4, Side::Sell, 20_000, 1),
    });
    let both =
        json!({ "x": "TRADE", "X": "FILLED", "t": 9, "l": "0.10000000", "Y": "2500.00000000" });
    check(&trade, 3, both.clone());
    check(&trade, 4, both);
    check(&trade, 3, json!({ "m": true, "i": 1, "S": "BUY", "n": "0.00010000", "N": "BTC" }));
    check(
        &trade,
        4,
        json!({ "m": false, "i": 3, "S": "SELL", "n": "0.00020000", "N": "USDT", "w": false }),
    );
}

#[test]
fn each_change_of_an_order_has_its_name() {
    check(
        &canceled(order(1), CancelCause::Requested),
        2,
        json!({ "x": "CANCELED", "X": "CANCELED", "c": "cancel", "C": "mine", "w": false }),
    );
    let ended = Order { status: OrderStatus::Expired, ..order(1) };
    let expired = OrderExpired {
        account_seq: 6,
        instrument_seq: 1,
        order: ended,
        cause: ExpireCause::ImmediateOrCancel,
        prevented: None,
    };
    check(
        &Event::OrderExpired(expired),
        6,
        json!({ "x": "EXPIRED", "X": "EXPIRED", "eR": "UNFILLED_IOC_QUANTITY_EXPIRED" }),
    );
    check(&accepted(order(2)), 1, json!({ "X": "PENDING_NEW", "w": false, "W": null }));
}

/// Of 0.04 lots, for an order that ended by it and for one that goes on with 0.06.
#[test]
fn a_prevented_trade_is_reported_to_each_order_that_it_lowered() {
    let report = |stp_group, status, prevented_lots| {
        let prevented = Prevented {
            prevented_match_id: 8,
            price: Price::from_ticks(2_400_000),
            qty: Qty::from_lots(4_000),
            prevented_qty: Qty::from_lots(prevented_lots),
            counter_order_id: OrderId(4),
            stp_group,
        };
        let terms = OrderTerms {
            prevented_qty: prevented.prevented_qty,
            prevented_match_id: 8,
            ..OrderTerms::default()
        };
        let order = Order {
            order_qty: Qty::from_lots(10_000 - prevented_lots),
            terms: Some(terms),
            status,
            ..order(1)
        };
        (order, prevented)
    };
    let common = json!({
        "x": "TRADE_PREVENTION", "q": "0.10000000", "v": 8, "U": 4, "Cs": "BTCUSDT",
        "l": "0.00000000", "L": "0.00000000", "Y": "0.00000000",
        "pl": "0.04000000", "pL": "24000.00000000", "pY": "960.00000000",
    });
    let (account_seq, instrument_seq, cause) = (6, 1, ExpireCause::SelfTrade);
    let (order, prevented) = report(0, OrderStatus::Prevented, 10_000);
    let prevented = Some(prevented);
    let expired = OrderExpired { account_seq, instrument_seq, order, cause, prevented };
    let expired = Event::OrderExpired(expired);
    check(&expired, 6, common.clone());
    let ended = json!({ "X": "EXPIRED_IN_MATCH", "u": -1, "A": "0.10000000", "B": "0.10000000" });
    check(&expired, 6, ended);

    let (order, prevented) = report(7, OrderStatus::New, 4_000);
    let decremented = OrderDecremented { account_seq, instrument_seq, order, prevented };
    let decremented = Event::OrderDecremented(decremented);
    check(&decremented, 6, common);
    let goes_on = json!({ "X": "NEW", "w": true, "u": 7, "A": "0.04000000", "B": "0.04000000" });
    check(&decremented, 6, goes_on);
}

#[test]
fn a_list_is_published_with_the_names_of_its_orders() {
    let list = OrderList {
        instrument: InstrumentId(0),
        account: ACCOUNT,
        order_list: OrderListId(3),
        cl_ord_id: cl("both"),
        kind: OrderListKind::Oco,
        status: OrderListStatus::Executing,
        orders: [Some(OrderId(1)), Some(OrderId(2)), None],
        created_ns: 1_507_725_176_595_123_456,
        updated_ns: 1_507_725_176_595_123_456,
    };
    for (change, status, order_status) in [
        (OrderListChange::Entered, "EXEC_STARTED", "EXECUTING"),
        (OrderListChange::Renamed, "UPDATED", "EXECUTING"),
        (OrderListChange::Done, "ALL_DONE", "ALL_DONE"),
    ] {
        check(
            &Event::OrderListUpdated(OrderListUpdated { account_seq: 2, list, change }),
            2,
            json!({
                "e": "listStatus", "s": "BTCUSDT", "g": 300_000, "c": "OCO", "l": status,
                "L": order_status, "r": "NONE", "C": "both", "T": 1_507_725_176_595_u64,
                "O": [
                    { "s": "BTCUSDT", "i": 1, "c": "order-1" },
                    { "s": "BTCUSDT", "i": 2, "c": "order-2" },
                ],
            }),
        );
    }
}

#[test]
fn balances_are_published_as_changes_and_as_they_are() {
    let deposited = Event::Deposited(Deposited {
        account_seq: 1,
        account: ACCOUNT,
        asset: AssetId(0),
        amount: Amount::from_minor(150_000_000),
        external_ref: ExternalRef::parse("x").unwrap(),
        free: Amount::from_minor(150_000_000),
    });
    check(&deposited, 1, json!({ "e": "balanceUpdate", "a": "BTC", "d": "1.50000000" }));
    // What waits to leave is locked, and published as a change when it leaves.
    let (account_seq, account, asset_id) = (2, ACCOUNT, AssetId(0));
    let (amount, free) = (Amount::from_minor(50_000_000), Amount::from_minor(100_000_000));
    let external_ref = ExternalRef::parse("y").unwrap();
    let requested = Event::WithdrawalRequested(WithdrawalRequested {
        account_seq,
        account,
        asset: asset_id,
        amount,
        external_ref,
        free,
    });
    let notice = |what| json!({ "e": "accountNotice", "k": what });
    check(&requested, 2, notice("WithdrawalRequested"));
    let canceled = Event::WithdrawalCanceled(WithdrawalCanceled {
        account_seq,
        account,
        asset: asset_id,
        amount,
        external_ref,
        free,
    });
    check(&canceled, 2, notice("WithdrawalCanceled"));
    let completed = Event::WithdrawalCompleted(WithdrawalCompleted {
        account_seq,
        account,
        asset: asset_id,
        amount,
        external_ref,
        free,
    });
    check(&completed, 2, json!({ "e": "balanceUpdate", "a": "BTC", "d": "-0.50000000" }));
    for event in [requested, canceled, completed] {
        assert_eq!(touched(&event, ACCOUNT, &Known), [asset_id]);
        assert!(touched(&event, AccountId(9), &Known).is_empty());
    }
    let balance = Balance { free: Amount::from_minor(1), locked: Amount::from_minor(200_000_000) };
    assert_eq!(
        account_position(&[(asset("BTC", 8), balance)], 5_000_000, AT),
        r#"{"e":"outboundAccountPosition","E":1507725176600,"u":5,"B":[{"a":"BTC","f":"0.00000001","l":"2.00000000"}]}"#
    );
    assert_eq!(touched(&accepted(order(1)), ACCOUNT, &Known), [AssetId(0), AssetId(1)]);
}

/// A bust that moved both assets, and a correction that moved one: each message has its own number.
#[test]
fn a_changed_trade_is_published_with_its_id_and_each_amount_it_moved() {
    let side = |account, account_seq, base, quote| Adjustment {
        account: AccountId(account),
        account_seq,
        base: Amount::from_minor(base),
        quote: Amount::from_minor(quote),
    };
    let busted = Event::TradeBusted(TradeBusted {
        instrument_seq: 1,
        instrument: InstrumentId(0),
        trade_id: TradeId(9),
        buyer: side(7, 5, -100_000_000, 250_000_000),
        seller: side(8, 2, 100_000_000, -250_000_000),
    });
    let numbers = |event: &Event| -> Vec<(u32, u64)> {
        event.account_seqs().map(|(account, seq)| (account.0, seq)).collect()
    };
    assert_eq!(numbers(&busted), [(8, 2), (8, 3), (8, 4), (7, 5), (7, 6), (7, 7)]);
    check(&busted, 5, json!({ "e": "tradeBusted", "s": "BTCUSDT", "t": 9, "S": "BUY" }));
    check(&busted, 6, json!({ "e": "balanceUpdate", "a": "BTC", "d": "-1.00000000" }));
    check(&busted, 7, json!({ "e": "balanceUpdate", "a": "USDT", "d": "2.50000000" }));
    let corrected = Event::TradeCorrected(TradeCorrected {
        instrument_seq: 2,
        instrument: InstrumentId(0),
        trade_id: TradeId(9),
        orig_price: Price::from_ticks(2_500_000),
        price: Price::from_ticks(2_400_000),
        quote: Amount::from_minor(240_000_000_000),
        buyer: side(8, 5, 0, 0),
        seller: side(7, 8, 0, -10_000_000_000),
    });
    assert_eq!(numbers(&corrected), [(8, 5), (7, 8), (7, 9)], "nothing moved to the buyer");
    check(
        &corrected,
        8,
        json!({
            "e": "tradeCorrected", "t": 9, "S": "SELL", "L": "24000.00000000",
            "Y": "2400.00000000", "op": "25000.00000000",
        }),
    );
    check(&corrected, 9, json!({ "e": "balanceUpdate", "a": "USDT", "d": "-100.00000000" }));
}
