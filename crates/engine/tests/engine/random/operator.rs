//! Random commands of operators and connections.

use proptest::prelude::*;
use proptest::strategy::Union;
use types::{
    AccountId, AccountLimits, AccountMode, AccountRisk, AccountSpec, ApproveWithdrawal, Asset,
    AssetId, AssetName, BandBreach, BustTrade, Calendar, CancelWithdrawal, CircuitBreaker,
    CloseSession, Command, ConfirmWithdrawal, CorrectTrade, CreateAccount, CreateKey, CreateLogin,
    DelistInstrument, Deposit, ExternalRef, FeeAsset, FeeRates, FeeSchedule, FeeTier, HaltLevel,
    HaltVenue, InstrumentId, InstrumentRules, InstrumentSpec, KeyId, KeySpec, ListAsset,
    ListInstrument, LoginId, LoginSpec, MassCancel, OpenSession, PercentPrice, Phase, PriceBands,
    ReceivableId, RefuseOrder, RequestWithdrawal, ResealedKey, ResealedLogin, RevokeKey,
    RevokeLogin, Role, RotateMasterKey, Sealed, Session, SessionId, SetAccountLimits,
    SetAccountRisk, SetFeeSchedule, SetInstrumentRules, SetKillSwitch, SetPhase,
    SetWithdrawalApprovals, SettleReceivable, Symbol, TradeId, UpdateAccount, UpdateInstrument,
    UpdateLogin, UserName, Way, Ways,
};

use crate::house::{account_spec, lots, minor, ticks};
use crate::random::order::price;
use crate::random::{
    DRAWN, account, asset, cl_ord_id, drawn_of, house, instrument, rates, side, weight,
};

fn external_ref() -> impl Strategy<Value = ExternalRef> {
    (0..16_u32).prop_map(|number| ExternalRef::parse(&format!("r{number}")).unwrap())
}

pub(super) fn transfer() -> BoxedStrategy<Deposit> {
    let account = account().prop_map(AccountId);
    let amount =
        prop_oneof![20 => 1..150_i128, 10 => 1..16_i128, 1 => -1..=0_i128, 1 => Just(i128::MAX)];
    (account, asset(), amount.prop_map(minor), external_ref())
        .prop_map(|(account, asset, amount, external_ref)| Deposit {
            account,
            asset,
            amount,
            external_ref,
        })
        .boxed()
}

/// Withdrawals in two steps. Few accounts and references, so that one withdrawal is ended
/// repeatedly.
pub(super) fn withdrawal() -> BoxedStrategy<Command> {
    let external_ref = || (0..2_u8).prop_map(|of| ExternalRef::parse(&format!("w{of}")).unwrap());
    let account = || prop_oneof![3 => Just(1), 1 => account()].prop_map(AccountId);
    let amount = prop_oneof![10 => Just(3), 5 => 1..60_i128, 1 => -1..=0_i128];
    let request = (account(), asset(), amount.prop_map(minor), external_ref()).prop_map(
        |(account, asset, amount, external_ref)| {
            let request = RequestWithdrawal { account, asset, amount, external_ref };
            Command::RequestWithdrawal(request)
        },
    );
    let approve = (account(), external_ref()).prop_map(|(account, external_ref)| {
        Command::ApproveWithdrawal(ApproveWithdrawal { account, external_ref })
    });
    let approvals = prop_oneof![10 => Just(0), 10 => 0..3_u8, 1 => Just(6)]
        .prop_map(|approvals| SetWithdrawalApprovals { approvals })
        .prop_map(Command::SetWithdrawalApprovals);
    let confirm = (account(), external_ref()).prop_map(|(account, external_ref)| {
        Command::ConfirmWithdrawal(ConfirmWithdrawal { account, external_ref })
    });
    let cancel = (account(), external_ref()).prop_map(|(account, external_ref)| {
        Command::CancelWithdrawal(CancelWithdrawal { account, external_ref })
    });
    prop_oneof![4 => request, 4 => approve, 2 => confirm, 2 => cancel, 1 => approvals].boxed()
}

/// Kill switches, mass cancels, sessions.
pub(super) fn control() -> BoxedStrategy<Command> {
    let account = || account().prop_map(AccountId);
    let kill = (account(), 0..9_u8)
        .prop_map(|(account, on)| Command::SetKillSwitch(SetKillSwitch { account, on: on == 0 }));
    let mass = (prop::option::of(instrument()), prop::option::of(side()), cl_ord_id()).prop_map(
        |(instrument, side, cl_ord_id)| {
            Command::MassCancel(MassCancel { instrument, side, cl_ord_id })
        },
    );
    let login =
        prop_oneof![1 => Just(None), 2 => (1..3_u32).prop_map(|login| Some(LoginId(login)))];
    let open = (any::<bool>(), login).prop_map(|(cancel_on_disconnect, login)| {
        Command::OpenSession(OpenSession { cancel_on_disconnect, login })
    });
    let refuse = (cl_ord_id(), 0..3_u16)
        .prop_map(|(cl_ord_id, code)| Command::RefuseOrder(RefuseOrder { cl_ord_id, code }));
    let numbers = prop_oneof![
        4 => Just(Command::QueryNumbers(())),
        1 => Just(Command::BeginNumberingDay(())),
        2 => refuse,
    ];
    let close = (0..4_u64)
        .prop_map(|session| Command::CloseSession(CloseSession { session: SessionId(session) }));
    prop_oneof![2 => kill, 2 => mass, 6 => open, 4 => close, 4 => numbers].boxed()
}

/// Busts and corrections, and the receivables after them.
pub(super) fn undo() -> BoxedStrategy<Command> {
    let instrument = || prop_oneof![9 => Just(InstrumentId(0)), 1 => instrument()];
    let account = || prop_oneof![9 => 1..=3_u32, 1 => account()];
    let trade = || (instrument(), 1..5_u64, account(), account());
    let bust = trade().prop_map(|(instrument, trade_id, buyer, seller)| {
        Command::BustTrade(BustTrade {
            instrument,
            trade_id: TradeId(trade_id),
            buyer: AccountId(buyer),
            seller: AccountId(seller),
        })
    });
    let correct = (trade(), price()).prop_map(|((instrument, trade_id, buyer, seller), price)| {
        Command::CorrectTrade(CorrectTrade {
            instrument,
            trade_id: TradeId(trade_id),
            buyer: AccountId(buyer),
            seller: AccountId(seller),
            price: ticks(price),
        })
    });
    let settle = (0..5_u64).prop_map(|receivable| {
        Command::SettleReceivable(SettleReceivable { receivable: ReceivableId(receivable) })
    });
    prop_oneof![5 => bust, 5 => correct, 2 => settle].boxed()
}

/// Settings of operators: phases, halts, rules, limits, fees.
pub(super) fn rules() -> BoxedStrategy<Command> {
    drawn_of![
        1 => Just(Command::Tick(())),
        weight(DRAWN.phases, 8) => phase(),
        weight(DRAWN.halts, 2) => halt(),
        weight(DRAWN.filters || DRAWN.bands, 3) => instrument_rules(),
        weight(DRAWN.delist, 2) => delist(),
        weight(DRAWN.modes || DRAWN.self_trade || DRAWN.rate, 3) => account_risk(),
        weight(DRAWN.limits, 3) => account_limits(),
        weight(DRAWN.schedules, 3) => fee_schedule(),
    ]
    .boxed()
}

fn phase() -> impl Strategy<Value = Command> {
    let phases = prop_oneof![
        3 => Just(Phase::Continuous),
        4 => prop::sample::select(Phase::ALL),
    ];
    let session = (0..200_u8, 0..90_000_u32, prop::sample::select(Phase::ALL))
        .prop_map(|(weekdays, begins_s, phase)| Session { weekdays, begins_s, phase });
    let calendar = (instrument(), session).prop_map(|(instrument, session)| {
        let mut sessions = [None; types::SESSIONS_MAX];
        sessions[0] = Some(session);
        Command::SetCalendar(Calendar { instrument, sessions })
    });
    let set = (instrument(), phases)
        .prop_map(|(instrument, phase)| Command::SetPhase(SetPhase { instrument, phase }));
    prop_oneof![12 => set, 1 => calendar]
}

fn halt() -> impl Strategy<Value = Command> {
    let resume_ns = prop_oneof![Just(0), 1..600_u64];
    let halt = (0..5_u8, resume_ns)
        .prop_map(|(level, resume_ns)| Command::HaltVenue(HaltVenue { level, resume_ns }));
    let level = || (0..6_000_u32, 0..20_u64);
    let breaker = (instrument(), level(), level()).prop_map(|(index, one, other)| {
        let level = |(decline_bps, halt_ns)| Some(HaltLevel { decline_bps, halt_ns });
        let levels = [level(one), level(other), None];
        Command::SetCircuitBreaker(CircuitBreaker { index, levels })
    });
    prop_oneof![2 => halt, 3 => Just(Command::ResumeVenue(())), 2 => breaker]
}

fn instrument_rules() -> BoxedStrategy<Command> {
    let bands = (0..6_000_u32, 0..6_000_u32, any::<bool>(), 0..40_u64).prop_map(
        |(static_bps, dynamic_bps, halts, breach_ns)| PriceBands {
            static_bps: if static_bps < 2_000 { 0 } else { static_bps },
            dynamic_bps: if dynamic_bps < 2_000 { 0 } else { dynamic_bps },
            breach: if halts { BandBreach::Halt } else { BandBreach::VolatilityAuction },
            breach_ns: if breach_ns < 10 { 0 } else { breach_ns },
        },
    );
    let percent = prop_oneof![
        2 => Just(PercentPrice::default()),
        1 => Just(PercentPrice {
            buy_max_bps: 14_000,
            buy_min_bps: 5_000,
            sell_max_bps: 16_000,
            sell_min_bps: 7_000,
        }),
    ];
    let filters = (0..4_u32, percent, any::<bool>(), 0..5_u64, 0..5_u32, 0..8_u8, 0..160_u64)
        .prop_map(|(mins, percent_price, by_avg, market_min, parts, counts, position)| {
            let max = |bit: u8| u32::from(counts & bit != 0) * 2;
            InstrumentRules {
                avg_price_mins: mins,
                percent_price,
                notional_by_avg_price: by_avg,
                market_min_qty: lots(market_min),
                iceberg_parts_max: parts,
                max_stop_orders: max(1),
                max_iceberg_orders: max(2) / 2,
                max_order_lists: max(4) / 2,
                max_amends: max(1),
                trailing_delta_min_bps: max(2) * 400,
                trailing_delta_max_bps: max(4) * 2_000,
                max_position: lots(if position < 60 { 0 } else { position }),
                bands: PriceBands::default(),
            }
        });
    (instrument(), filters, bands)
        .prop_map(|(instrument, filters, bands)| {
            let mut rules = if DRAWN.filters { filters } else { InstrumentRules::default() };
            if DRAWN.bands {
                rules.bands = bands;
            }
            Command::SetInstrumentRules(SetInstrumentRules { instrument, rules })
        })
        .boxed()
}

fn delist() -> impl Strategy<Value = Command> {
    let update = (instrument(), 8..14_i64, 20..50_u64, 0..8_u8).prop_map(
        |(instrument, max_price, max_qty, odd)| {
            let mut spec = house().instruments[instrument.0.min(2) as usize];
            (spec.max_price, spec.max_qty) = (ticks(max_price), lots(max_qty));
            spec.fees = rates(10_000, 90_000);
            match odd {
                0 => spec.tick_size.units += 1,
                1 => spec.min_qty = lots(0),
                2 => spec.fees = rates(0, FeeRates::MAX_BPS_X100 + 1),
                _ => {}
            }
            Command::UpdateInstrument(UpdateInstrument { instrument, spec })
        },
    );
    // A delisted instrument is useless for tests of other rules.
    let gone = prop_oneof![8 => Just(1), 1 => Just(0), 1 => Just(9)].prop_map(|instrument| {
        Command::DelistInstrument(DelistInstrument { instrument: InstrumentId(instrument) })
    });
    prop_oneof![4 => update, 1 => gone]
}

fn account_risk() -> impl Strategy<Value = Command> {
    let mode = drawn_of![
        4 => Just(AccountMode::Cash),
        weight(DRAWN.modes, 4) => Just(AccountMode::Limits),
        weight(DRAWN.modes, 2) => Just(AccountMode::None),
    ];
    (account(), mode, 0..3_u32, 0..12_u32, 0..40_u32).prop_map(
        |(account, mode, group, short, day)| {
            let risk = AccountRisk {
                mode: if account < 5 { AccountMode::Cash } else { mode },
                stp_group: if DRAWN.self_trade { group } else { 0 },
                max_orders_per_10s: if DRAWN.rate && short > 8 { short - 6 } else { 0 },
                max_orders_per_day: if DRAWN.rate && day > 30 { day - 25 } else { 0 },
            };
            Command::SetAccountRisk(SetAccountRisk { account: AccountId(account), risk })
        },
    )
}

fn account_limits() -> BoxedStrategy<Command> {
    let limits = (0..12_u64, 0..120_i128, 0..6_u32, 0..300_i128, 0..60_u64, 0..9_000_u32).prop_map(
        |(qty, notional, open, open_notional, position, collar)| AccountLimits {
            max_order_qty: lots(if qty < 6 { 0 } else { qty }),
            max_order_notional: minor(if notional < 40 { 0 } else { notional }),
            max_open_orders: if open < 2 { 0 } else { open },
            max_open_notional: minor(if open_notional < 100 { 0 } else { open_notional }),
            max_position: lots(if position < 20 { 0 } else { position }),
            collar_bps: if collar < 3_000 { 0 } else { collar },
        },
    );
    (account(), instrument(), limits)
        .prop_map(|(account, instrument, limits)| {
            let account = AccountId(account);
            Command::SetAccountLimits(SetAccountLimits { account, instrument, limits })
        })
        .boxed()
}

fn fee_schedule() -> BoxedStrategy<Command> {
    let tier = |volume_min: i128| {
        (-60_000..100_000_i32, 0..200_000_i32).prop_map(move |(maker, taker)| FeeTier {
            volume_min: minor(volume_min),
            maker_fee_bps_x100: maker,
            taker_fee_bps_x100: taker,
        })
    };
    let tiers = (tier(0), tier(150), tier(400), 0..20_u8).prop_map(|(one, two, three, odd)| {
        let mut tiers = [None; types::FEE_TIERS_MAX];
        tiers[0] = Some(if odd == 0 { two } else { one });
        tiers[1] = Some(two);
        tiers[2] = Some(three);
        tiers
    });
    let asset = prop::sample::select(FeeAsset::ALL);
    let schedule = (asset, tiers).prop_map(|(fee_asset, tiers)| FeeSchedule { fee_asset, tiers });
    (instrument(), prop::option::weighted(0.8, schedule))
        .prop_map(|(instrument, schedule)| {
            Command::SetFeeSchedule(SetFeeSchedule { instrument, schedule })
        })
        .boxed()
}

pub(super) fn operator() -> BoxedStrategy<Command> {
    let asset = (0..3_u8, 17..20_u8).prop_map(|(number, decimals)| {
        let name = AssetName::parse(["B", "D", "E"][usize::from(number)]).unwrap();
        Command::ListAsset(ListAsset { asset: Asset { name, decimals } })
    });
    let list = (0..3_u8, 0..3_u16).prop_map(|(number, base)| {
        let symbol = Symbol::parse(["BQ", "X1", "X2"][usize::from(number)]).unwrap();
        let spec = InstrumentSpec { symbol, base: AssetId(base), ..house().instruments[0] };
        Command::ListInstrument(ListInstrument { spec })
    });
    let terms = (1..8_u32, 0..8_u32, prop::option::of(Just(rates(5_000, 1_000_000)))).prop_map(
        |(number, kept, fees)| AccountSpec {
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
    let roles = prop::sample::select(&[Role::ReadOnly, Role::Operator][..]);
    let key = (account(), 0..4_u8, roles)
        .prop_map(|(account, hash, role)| create_key(account, hash, role, None));
    let revoke = (0..4_u32).prop_map(|key| Command::RevokeKey(RevokeKey { key: KeyId(key) }));
    let some = |max| prop::collection::btree_set(1..max, 0..3);
    let rotate = (any::<u8>(), some(4_u32), some(3_u32)).prop_map(|(seal, keys, logins)| {
        let sealed_secret = Sealed::new(&[seal; 40]).unwrap();
        let resealed = |key| ResealedKey { key: KeyId(key), sealed_secret };
        let keys = keys.into_iter().map(resealed).collect();
        let resealed = |login| ResealedLogin { login: LoginId(login), sealed_secret };
        let logins = logins.into_iter().map(resealed).collect();
        Command::RotateMasterKey(RotateMasterKey { fingerprint: [seal; 16], keys, logins })
    });
    prop_oneof![asset, list, create, update, key, revoke, rotate].boxed()
}

fn create_key(account: u32, hash: u8, role: Role, login: Option<LoginId>) -> Command {
    let spec = KeySpec {
        account: AccountId(account),
        role,
        login,
        api_key_hash: [hash; 16],
        sealed_secret: Sealed::new(&[hash; 40]).unwrap(),
    };
    Command::CreateKey(Box::new(CreateKey { spec }))
}

/// Logins of few accounts, so that their keys are often those of the right one.
pub(super) fn logins() -> BoxedStrategy<Command> {
    let account = || prop_oneof![6 => 1..=2_u32, 1 => Just(0)];
    let role = || prop::sample::select(&[Role::ReadOnly, Role::ReadOnly, Role::Operator][..]);
    let ways = Ways::new(&[Way::Page]).unwrap();
    let create = (account(), 0..3_u8, role()).prop_map(move |(account, user, role)| {
        let sealed_secret = Sealed::new(&[user; 40]).unwrap();
        let (user, account) =
            (UserName::parse(&format!("user-{user}")).unwrap(), AccountId(account));
        let spec = LoginSpec { user, account, role, ways, sealed_secret };
        Command::CreateLogin(Box::new(CreateLogin { spec }))
    });
    let login = || (0..4_u32).prop_map(LoginId);
    let update = (login(), any::<u8>(), any::<bool>()).prop_map(move |(login, seal, sign_out)| {
        let sealed_secret = Sealed::new(&[seal; 40]).unwrap();
        let update = UpdateLogin { login, ways, sealed_secret, sign_out };
        Command::UpdateLogin(Box::new(update))
    });
    let revoke = login().prop_map(|login| Command::RevokeLogin(RevokeLogin { login }));
    let key = (account(), 4..8_u8, role(), login())
        .prop_map(|(account, hash, role, login)| create_key(account, hash, role, Some(login)));
    prop_oneof![2 => create, 1 => update, 1 => revoke, 3 => key].boxed()
}
