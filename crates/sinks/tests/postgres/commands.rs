//! A venue's events after commands of most kinds, drawn from a seed.

use std::path::Path;
use std::time::Duration;

use spool::Applied;
use testing::{ALICE, BOB, INSTRUMENT, Kept};
use types::{
    AccountId, AccountRisk, AmendOrder, Amount, AssetId, BustTrade, CancelAll, CancelOrder,
    CancelRestriction, CancelWithdrawal, ClOrdId, Command, ConfirmWithdrawal, CorrectTrade,
    ExternalRef, InstrumentId, InstrumentSpec, ListInstrument, ModifyOrder, NewOrder, NewOrderList,
    OrderListKind, OrderRef, OrderSize, OrderType, Price, Qty, RequestWithdrawal, SetAccountRisk,
    Side, StpMode, Symbol, Terms, TimeInForce, TradeId, Withdraw,
};
use venue::Opened;

use crate::chance::Chance;

pub(crate) const ACCOUNTS: [AccountId; 3] = [ALICE, BOB, AccountId(9)];
pub(crate) const INSTRUMENTS: [InstrumentId; 3] = [INSTRUMENT, InstrumentId(1), InstrumentId(7)];
const DAY: Duration = Duration::from_secs(24 * 3_600);

/// All events of a venue after a number of commands.
pub(crate) fn events(dir: &Path, seed: u64, commands: u64) -> Vec<Applied> {
    let opened = Opened::open(testing::settings(dir)).unwrap();
    let spool = opened.spool().reader();
    let running = opened.start(Vec::new());
    let handle = running.handle();
    testing::set_up(&handle, Kept(10_000));
    let spec =
        InstrumentSpec { symbol: Symbol::parse("OILUSD2").unwrap(), ..testing::instrument() };
    testing::send(&handle, AccountId::VENUE, Command::ListInstrument(ListInstrument { spec }));
    for account in [ALICE, BOB] {
        let risk = AccountRisk { stp_group: 4, ..AccountRisk::PLAIN };
        let risk = Command::SetAccountRisk(SetAccountRisk { account, risk });
        testing::send(&handle, AccountId::VENUE, risk);
    }
    let mut chance = Chance(seed);
    for number in 0..commands {
        let (account, command) = command(&mut chance, number);
        testing::send(&handle, account, command);
        match chance.below(40) {
            0 => handle.advance_clock(DAY * chance.below(5) as u32),
            1..5 => handle.advance_clock(Duration::from_millis(chance.below(5_000_000))),
            5..20 => handle.advance_clock(Duration::from_millis(chance.below(1_500))),
            _ => {}
        }
    }
    running.stop().unwrap();
    let mut applied = Vec::new();
    loop {
        let page = spool.read_from(applied.len() as u64 + 1, 1_000).unwrap();
        if page.is_empty() {
            return applied;
        }
        applied.extend(page);
    }
}

pub(crate) fn name(chance: &mut Chance, number: u64) -> ClOrdId {
    let text = match chance.below(3) {
        0 => format!("again-{}", chance.below(4)),
        _ => format!("order-{number}"),
    };
    ClOrdId::parse(&text).unwrap()
}

fn command(chance: &mut Chance, number: u64) -> (AccountId, Command) {
    let account = chance.of(&[ALICE, BOB]);
    let instrument = chance.of(&INSTRUMENTS[..2]);
    let order = OrderRef::by_cl_ord_id(earlier(chance, number));
    let command = match chance.below(40) {
        0..22 => Command::NewOrder(order_of(chance, number, instrument)),
        22..25 => {
            let cl_ord_id = name(chance, number);
            let restriction = CancelRestriction::None;
            Command::CancelOrder(CancelOrder { instrument, order, cl_ord_id, restriction })
        }
        25..28 => {
            let cl_ord_id = chance.maybe(|chance| name(chance, number));
            let order_qty = Qty::from_lots(1 + chance.below(6));
            Command::AmendOrder(AmendOrder { instrument, order, cl_ord_id, order_qty })
        }
        28..31 => {
            let cl_ord_id = chance.maybe(|chance| name(chance, number));
            let order_qty = Qty::from_lots(1 + chance.below(9));
            let price = chance.maybe(price);
            Command::ModifyOrder(ModifyOrder { instrument, order, cl_ord_id, order_qty, price })
        }
        31..34 => Command::NewOrderList(list(chance, number, instrument)),
        34 => Command::CancelAll(CancelAll { instrument, cl_ord_id: name(chance, number) }),
        _ => return (AccountId::VENUE, operators(chance, number, account, instrument)),
    };
    (account, command)
}

/// A name that an order may have.
pub(crate) fn earlier(chance: &mut Chance, number: u64) -> ClOrdId {
    let of = number.saturating_sub(chance.below(12));
    name(chance, of)
}

fn price(chance: &mut Chance) -> Price {
    Price::from_ticks(995 + chance.below(11) as i64)
}

fn order_of(chance: &mut Chance, number: u64, instrument: InstrumentId) -> NewOrder {
    let side = chance.of(&[Side::Buy, Side::Sell]);
    let text = name(chance, number);
    let lots = 1 + chance.below(9);
    let mut order = testing::limit(text.as_str(), side, price(chance).ticks(), lots);
    order.instrument = instrument;
    order.stp_mode = chance.of(&[
        StpMode::None,
        StpMode::ExpireTaker,
        StpMode::ExpireMaker,
        StpMode::ExpireBoth,
        StpMode::Decrement,
    ]);
    order.time_in_force = chance.of(&[TimeInForce::Gtc, TimeInForce::Gtc, TimeInForce::Ioc]);
    order.strategy_id = chance.maybe(|chance| chance.below(1 << 40) as i64 - (1 << 39));
    order.strategy_type = chance.maybe(|chance| chance.below(2_000_000) as i32);
    match chance.below(8) {
        0 => {
            order.order_type = OrderType::Market;
            order.price = Price::from_ticks(0);
            order.time_in_force = TimeInForce::Gtc;
            if chance.one_in(2) {
                order.size =
                    OrderSize::Quote(Amount::from_minor(i128::from(1_000 + chance.below(9_000))));
            }
        }
        1 => {
            order.order_type = OrderType::StopLossLimit;
            order.time_in_force = TimeInForce::Gtc;
            order.terms = Some(Terms { stop_price: Some(price(chance)), ..Terms::default() });
        }
        2 => {
            order.time_in_force = TimeInForce::Gtc;
            order.terms = Some(Terms { display_qty: Qty::from_lots(1), ..Terms::default() });
        }
        _ => {}
    }
    order
}

fn list(chance: &mut Chance, number: u64, instrument: InstrumentId) -> NewOrderList {
    let kind = chance.of(&[OrderListKind::Oco, OrderListKind::Oto, OrderListKind::Otoco]);
    let leg = |chance: &mut Chance, at: usize, side, order_type, ticks| {
        let text = format!("list-{number}-{at}");
        let mut order = testing::limit(&text, side, ticks, 2);
        order.instrument = instrument;
        order.order_type = order_type;
        if order_type == OrderType::StopLossLimit {
            let stop_price = Some(Price::from_ticks(ticks));
            order.terms = Some(Terms { stop_price, ..Terms::default() });
        }
        order.strategy_id = chance.maybe(|_| 7);
        order
    };
    let mut orders = Vec::new();
    if kind != OrderListKind::Oco {
        let ticks = price(chance).ticks();
        orders.push(leg(chance, 0, Side::Buy, OrderType::Limit, ticks));
    }
    let above = 1_006 + chance.below(9) as i64;
    orders.push(leg(chance, 1, Side::Sell, OrderType::LimitMaker, above));
    if kind != OrderListKind::Oto {
        let below = 990 - chance.below(9) as i64;
        orders.push(leg(chance, 2, Side::Sell, OrderType::StopLossLimit, below));
    }
    let cl_ord_id = name(chance, number);
    NewOrderList { instrument, cl_ord_id, kind, orders }
}

fn operators(
    chance: &mut Chance,
    number: u64,
    account: AccountId,
    instrument: InstrumentId,
) -> Command {
    let asset = AssetId(chance.below(2) as u16);
    let amount = Amount::from_minor(i128::from(1 + chance.below(500)));
    let text = format!("ref-{}", number - chance.below(number.min(30) + 1));
    let external_ref = ExternalRef::parse(&text).unwrap();
    let trade_id = TradeId(1 + chance.below(number + 1) / 4);
    let (buyer, seller) = chance.of(&[(ALICE, BOB), (BOB, ALICE)]);
    match chance.below(8) {
        0 => testing::deposit(account, asset, amount, &format!("ref-{number}")),
        1 => Command::Withdraw(Withdraw { account, asset, amount, external_ref }),
        2 | 3 => {
            let request = RequestWithdrawal { account, asset, amount, external_ref };
            Command::RequestWithdrawal(request)
        }
        4 => Command::ConfirmWithdrawal(ConfirmWithdrawal { account, external_ref }),
        5 => Command::CancelWithdrawal(CancelWithdrawal { account, external_ref }),
        6 => Command::BustTrade(BustTrade { instrument, trade_id, buyer, seller }),
        _ => {
            let price = price(chance);
            Command::CorrectTrade(CorrectTrade { instrument, trade_id, buyer, seller, price })
        }
    }
}
