//! Random commands of every kind, drawn from so few ids, prices and names that they meet.

use proptest::prelude::*;
use types::{
    AccountId, AmendOrder, Asset, AssetId, AssetName, CancelAll, CancelOrder, CancelRestriction,
    ClOrdId, Command, CreateAccount, CreateKey, Deposit, Entry, ExternalRef, FeeRates,
    InstrumentId, KeyId, KeySpec, ListAsset, ListInstrument, NewOrder, OrderId, OrderRef,
    OrderSize, OrderType, ReplaceMode, ReplaceOrder, RevokeKey, Role, Sealed, Side, StpMode,
    Symbol, TimeInForce, UpdateAccount, Withdraw,
};

use crate::house::{House, account_spec, entry, lots, minor, name, ticks};

/// Tight enough that every refusal occurs.
pub(crate) fn house() -> House {
    let mut house = House::default();
    house.instruments[0].fees = rates(20_000, 150_000);
    house.instruments[1].fees = rates(0, 30_000);
    for spec in &mut house.instruments {
        (spec.max_price, spec.max_qty, spec.market_max_qty) = (ticks(12), lots(40), lots(60));
        (spec.min_qty, spec.min_notional, spec.max_notional) = (lots(2), minor(8), minor(400));
        spec.max_open_orders = 4;
    }
    house.instruments[1].min_qty = lots(1);
    for spec in &mut house.accounts {
        (spec.max_open_orders, spec.finished_orders_kept, spec.trades_kept) = (6, 4, 5);
    }
    house.accounts[1].fees = Some(rates(300_000, 0));
    for account in 1..=4 {
        for (asset, amount) in [(0, 120), (1, 900), (2, 900)] {
            house.balances.insert((account, asset), amount);
        }
    }
    // One that is often short of everything.
    house.balances.extend([((3, 0), 15), ((3, 1), 70), ((3, 2), 60)]);
    house
}

fn rates(maker_fee_bps_x100: u32, taker_fee_bps_x100: u32) -> FeeRates {
    FeeRates { maker_fee_bps_x100, taker_fee_bps_x100 }
}

/// A command and how much time has passed before it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) after_ns: u64,
    pub(crate) entry: Entry,
}

pub(crate) fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..count)
}

fn step() -> impl Strategy<Value = Step> {
    let key = prop_oneof![9 => Just(None), 1 => (0..6_u8).prop_map(|key| Some([key; 16]))];
    let after_ns = prop_oneof![
        60 => Just(1_u64),
        1 => Just(13 * 3_600 * 1_000_000_000),
    ];
    (account(), key, command(), after_ns).prop_map(|(account, key, command, after_ns)| Step {
        after_ns,
        entry: entry(account, key, command),
    })
}

/// Mostly the accounts of the house; rarely the venue's own, or none that there is.
fn account() -> impl Strategy<Value = u32> {
    prop_oneof![60 => 1..=4_u32, 1 => Just(0), 1 => Just(5), 1 => Just(77)]
}

fn instrument() -> impl Strategy<Value = InstrumentId> {
    prop_oneof![40 => Just(0), 30 => Just(1), 1 => Just(2), 1 => Just(9)].prop_map(InstrumentId)
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Buy), Just(Side::Sell)]
}

fn cl_ord_id() -> impl Strategy<Value = ClOrdId> {
    (0..12_u8).prop_map(|number| name(&format!("n{number}")))
}

fn asset() -> impl Strategy<Value = AssetId> {
    prop_oneof![20 => 0..3_u16, 1 => Just(9)].prop_map(AssetId)
}

fn order_ref() -> impl Strategy<Value = OrderRef> {
    let id = || (0..40_u64).prop_map(OrderId);
    prop_oneof![
        5 => cl_ord_id().prop_map(OrderRef::by_cl_ord_id),
        5 => id().prop_map(OrderRef::by_id),
        1 => (id(), cl_ord_id()).prop_map(|(id, name)| OrderRef {
            order_id: Some(id),
            cl_ord_id: Some(name),
        }),
        1 => Just(OrderRef { order_id: None, cl_ord_id: None }),
    ]
}

fn new_order() -> impl Strategy<Value = NewOrder> {
    let terms = prop_oneof![
        20 => Just((OrderType::Limit, TimeInForce::Gtc)),
        4 => Just((OrderType::Limit, TimeInForce::Ioc)),
        4 => Just((OrderType::Limit, TimeInForce::Fok)),
        4 => Just((OrderType::LimitMaker, TimeInForce::Gtc)),
        8 => Just((OrderType::Market, TimeInForce::Gtc)),
        1 => Just((OrderType::Market, TimeInForce::Ioc)),
        1 => Just((OrderType::LimitMaker, TimeInForce::Fok)),
    ];
    let price = prop_oneof![30 => 3..=9_i64, 5 => 0..=13_i64, 1 => Just(-4)];
    let qty = prop_oneof![30 => 1..=12_u64, 4 => 13..=61_u64, 1 => Just(0)];
    let quote = prop_oneof![1 => Just(None), 1 => (-5..450_i128).prop_map(Some)];
    let strategy = prop_oneof![5 => Just((None, None)), 1 => Just((Some(-1), Some(1_000_000)))];
    (instrument(), cl_ord_id(), side(), terms, price, qty, quote, strategy).prop_map(
        |(instrument, cl_ord_id, side, terms, price, qty, quote, strategy)| {
            let (order_type, time_in_force) = terms;
            let by_quote = quote.filter(|_| order_type == OrderType::Market);
            NewOrder {
                instrument,
                cl_ord_id,
                side,
                order_type,
                time_in_force,
                stp_mode: StpMode::None,
                price: ticks(if order_type == OrderType::Market { 0 } else { price }),
                size: by_quote.map_or(OrderSize::Base(lots(qty)), |q| OrderSize::Quote(minor(q))),
                strategy_id: strategy.0,
                strategy_type: strategy.1,
                terms: None,
            }
        },
    )
}

fn cancel() -> impl Strategy<Value = CancelOrder> {
    let restriction = prop_oneof![
        6 => Just(CancelRestriction::None),
        1 => Just(CancelRestriction::OnlyNew),
        1 => Just(CancelRestriction::OnlyPartiallyFilled),
    ];
    (instrument(), order_ref(), cl_ord_id(), restriction).prop_map(
        |(instrument, order, cl_ord_id, restriction)| CancelOrder {
            instrument,
            order,
            cl_ord_id,
            restriction,
        },
    )
}

fn external_ref() -> impl Strategy<Value = ExternalRef> {
    (0..16_u32).prop_map(|number| ExternalRef::parse(&format!("r{number}")).unwrap())
}

fn transfer() -> impl Strategy<Value = Deposit> {
    let account = account().prop_map(AccountId);
    let amount = prop_oneof![20 => 1..150_i128, 1 => -1..=0_i128, 1 => Just(i128::MAX)];
    (account, asset(), amount.prop_map(minor), external_ref()).prop_map(
        |(account, asset, amount, external_ref)| Deposit { account, asset, amount, external_ref },
    )
}

fn command() -> impl Strategy<Value = Command> {
    let amend = (instrument(), order_ref(), prop::option::weighted(0.3, cl_ord_id()), 0..10_u64)
        .prop_map(|(instrument, order, cl_ord_id, qty)| AmendOrder {
            instrument,
            order,
            cl_ord_id,
            order_qty: lots(qty),
        });
    let replace = (cancel(), any::<bool>(), new_order()).prop_map(|(cancel, stop, order)| {
        let mode = if stop { ReplaceMode::StopOnFailure } else { ReplaceMode::AllowFailure };
        ReplaceOrder { cancel, mode, order }
    });
    let cancel_all = (instrument(), cl_ord_id())
        .prop_map(|(instrument, cl_ord_id)| CancelAll { instrument, cl_ord_id });
    let withdraw = transfer().prop_map(|Deposit { account, asset, amount, external_ref }| {
        Command::Withdraw(Withdraw { account, asset, amount, external_ref })
    });
    prop_oneof![
        60 => new_order().prop_map(Command::NewOrder),
        12 => cancel().prop_map(Command::CancelOrder),
        2 => cancel_all.prop_map(Command::CancelAll),
        10 => replace.prop_map(Command::ReplaceOrder),
        10 => amend.prop_map(Command::AmendOrder),
        4 => transfer().prop_map(Command::Deposit),
        4 => withdraw,
        4 => operator(),
        1 => Just(Command::Tick(())),
        1 => Just(Command::Continue(())),
    ]
}

fn operator() -> impl Strategy<Value = Command> {
    let asset = (0..3_u8, 17..20_u8).prop_map(|(number, decimals)| {
        let name = AssetName::parse(["B", "D", "E"][usize::from(number)]).unwrap();
        Command::ListAsset(ListAsset { asset: Asset { name, decimals } })
    });
    let list = (0..3_u8, 0..3_u16).prop_map(|(number, base)| {
        let symbol = Symbol::parse(["BQ", "X1", "X2"][usize::from(number)]).unwrap();
        let spec = types::InstrumentSpec { symbol, base: AssetId(base), ..house().instruments[0] };
        Command::ListInstrument(ListInstrument { spec })
    });
    let terms = (1..8_u32, 0..8_u32, prop::option::of(Just(rates(5_000, 1_000_000)))).prop_map(
        |(number, kept, fees)| types::AccountSpec {
            fees,
            max_open_orders: kept,
            finished_orders_kept: kept,
            trades_kept: kept,
            ..account_spec(number)
        },
    );
    let create = terms.clone().prop_map(|spec| Command::CreateAccount(CreateAccount { spec }));
    let update = (account(), terms).prop_map(|(account, mut spec)| {
        spec.name = account_spec(account).name;
        Command::UpdateAccount(UpdateAccount { account: AccountId(account), spec })
    });
    let key = (account(), 0..4_u8).prop_map(|(account, hash)| {
        let spec = KeySpec {
            account: AccountId(account),
            role: Role::ReadOnly,
            api_key_hash: [hash; 16],
            sealed_secret: Sealed::new(&[hash; 40]).unwrap(),
        };
        Command::CreateKey(CreateKey { spec })
    });
    let revoke = (0..4_u32).prop_map(|key| Command::RevokeKey(RevokeKey { key: KeyId(key) }));
    prop_oneof![asset, list, create, update, key, revoke]
}
