//! Examples of every logged type, made from numbers.

use std::fmt::Debug;

use proptest::prelude::*;
use types::*;

use super::check_numbers;

/// Numbers from which values are made, field by field. Zeros follow after the last one, so that
/// proptest shrinks towards the smallest value.
pub(super) struct Source<'a>(pub(super) &'a [u64]);

impl Source<'_> {
    fn number(&mut self) -> u64 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Whether what few values have is there, such as an order's special terms: no example in
    /// `formats.txt` has any.
    fn has_more(&self) -> bool {
        self.0.first().is_some_and(|number| (number >> 32) % 4 >= 2)
    }

    pub(super) fn value<T: Example>(&mut self) -> T {
        T::example(self)
    }

    /// Uses the upper half, which is 0 or 1 in the examples of `formats.txt`, so that they stay the
    /// same when a choice gets another variant.
    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[(self.number() >> 32) as usize % all.len()]
    }

    /// Between one and `len_max` characters, out of those that every text allows.
    fn text(&mut self, len_max: usize) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        let [len, start] = [len_max, LETTERS.len()].map(|max| self.value::<u32>() as usize % max);
        LETTERS.iter().cycle().skip(start).take(len + 1).copied().map(char::from).collect()
    }
}

pub(super) fn numbers() -> impl Strategy<Value = Vec<u64>> {
    let number =
        prop_oneof![3 => any::<u64>(), 1 => 0_u64..4, 1 => Just(u64::MAX), 1 => Just(1 << 53)];
    prop::collection::vec(number, 0..120)
}

/// A value made from a [`Source`].
pub(super) trait Example: Sized {
    fn example(source: &mut Source) -> Self;
}

macro_rules! examples {
    ($( $type:ty: |$source:ident| $value:expr; )*) => {$(
        impl Example for $type {
            fn example($source: &mut Source) -> Self {
                $value
            }
        }
    )*};
}

/// Records by their fields: the compiler refuses a record with a missing field.
macro_rules! records {
    ($( $name:ident { $($field:ident),* } )*) => {$(
        impl Example for $name {
            fn example(source: &mut Source) -> Self {
                Self { $( $field: source.value(), )* }
            }
        }
    )*};
}

macro_rules! numbered {
    ($($name:ident),*) => {$(
        impl Example for $name {
            fn example(source: &mut Source) -> Self {
                source.pick(Self::ALL)
            }
        }
    )*

        #[test]
        fn numbers_ascend_and_unknown_ones_are_refused() {
            $( check_numbers($name::ALL, |e| u64::from(e.number()), |n| {
                n.try_into().ok().and_then($name::from_number)
            }); )*
        }
    };
}

/// Choices by their variants: the `match` does not compile if one is missing.
macro_rules! choices {
    ($( $name:ident { $($variant:ident),* } )*) => {$(
        impl Choice for $name {
            const EXAMPLES: &[fn(&mut Source) -> Self] =
                &[ $( |source| Self::$variant(source.value()), )* ];

            fn variant(&self) -> &'static str {
                match self {
                    $( Self::$variant(_) => concat!(stringify!($name), "::", stringify!($variant)), )*
                }
            }
        }

        impl Example for $name {
            fn example(source: &mut Source) -> Self {
                source.pick(Self::EXAMPLES)(source)
            }
        }
    )*};
}

pub(super) trait Choice: Wire + Debug + PartialEq + 'static {
    /// An example of each variant.
    const EXAMPLES: &[fn(&mut Source) -> Self];

    fn variant(&self) -> &'static str;
}

examples! {
    (): |_source| ();
    u8: |source| source.number() as u8;
    u16: |source| source.number() as u16;
    u32: |source| source.number() as u32;
    u64: |source| source.number();
    i32: |source| source.number() as i32;
    i64: |source| source.number() as i64;
    i128: |source| i128::from(source.number() as i64) << 64 | i128::from(source.number());
    bool: |source| source.number() % 2 == 1;
    [u8; 16]: |source| source.value::<i128>().to_be_bytes();
    [u8; 32]: |source| { let half: [u8; 16] = source.value(); std::array::from_fn(|at| half[at % 16]) };
    Address: |source| std::net::IpAddr::from(source.value::<[u8; 16]>()).into();
    AccountId: |source| Self(source.value());
    AssetId: |source| Self(source.number() as u16);
    InstrumentId: |source| Self(source.value());
    KeyId: |source| Self(source.value());
    LoginId: |source| Self(source.value());
    OrderId: |source| Self(source.value());
    TradeId: |source| Self(source.value());
    SessionId: |source| Self(source.value());
    OrderListId: |source| Self(source.value());
    ReceivableId: |source| Self(source.value());
    NewOrder: |source| {
        let (instrument, cl_ord_id, side) = (source.value(), source.value(), source.value());
        let (order_type, time_in_force) = (source.value(), source.value());
        let (stp_mode, price, size) = (source.value(), source.value(), source.value());
        let (strategy_id, strategy_type) = (source.value(), source.value());
        let terms = source.has_more().then(|| source.value());
        Self {
            instrument, cl_ord_id, side, order_type, time_in_force, stp_mode, price, size,
            strategy_id, strategy_type, terms,
        }
    };
    Order: |source| {
        let (instrument, account, order_id) = (source.value(), source.value(), source.value());
        let (cl_ord_id, side, order_type) = (source.value(), source.value(), source.value());
        let (time_in_force, stp_mode) = (source.value(), source.value());
        let (status, strategy_id, strategy_type) = (source.value(), source.value(), source.value());
        let (price, order_qty, quote_order_qty) = (source.value(), source.value(), source.value());
        let (cum_qty, cum_quote) = (source.value(), source.value());
        let (created_ns, updated_ns) = (source.value(), source.value());
        let terms = source.has_more().then(|| source.value());
        Self {
            instrument, account, order_id, cl_ord_id, side, order_type, time_in_force, stp_mode,
            status, strategy_id, strategy_type, price, order_qty, quote_order_qty, cum_qty,
            cum_quote, created_ns, updated_ns, terms,
        }
    };
    NewOrderList: |source| {
        let kind: OrderListKind = source.value();
        let orders = (0..kind.order_count()).map(|_| source.value()).collect();
        Self { instrument: source.value(), cl_ord_id: source.value(), kind, orders }
    };
    RotateMasterKey: |source| {
        let keys = (0..source.number() % 3).map(|_| source.value()).collect();
        let fingerprint = source.value();
        let logins = if source.has_more() { 1 + source.number() % 2 } else { 0 };
        Self { fingerprint, keys, logins: (0..logins).map(|_| source.value()).collect() }
    };
    Price: |source| Self::from_ticks(source.value());
    Qty: |source| Self::from_lots(source.value());
    Amount: |source| Self::from_minor(source.value());
    ClOrdId: |source| Self::parse(&source.text(Self::LEN_MAX)).expect("allowed");
    Symbol: |source| Self::parse(&source.text(Self::LEN_MAX)).expect("allowed");
    AssetName: |source| Self::parse(&source.text(Self::LEN_MAX)).expect("allowed");
    AccountName: |source| Self::parse(&source.text(Self::LEN_MAX)).expect("allowed");
    ExternalRef: |source| Self::parse(&source.text(Self::LEN_MAX)).expect("allowed");
    UserName: |source| Self::parse(&source.text(Self::LEN_MAX).to_lowercase()).expect("allowed");
    Ways: |source| Self::new(&[source.value()]).expect("one");
    KeySpec: |source| {
        let (account, role, api_key_hash) = (source.value(), source.value(), source.value());
        let sealed_secret = source.value();
        let login = source.has_more().then(|| source.value());
        Self { account, role, login, api_key_hash, sealed_secret }
    };
    Sealed: |source| Self::new(&source.text(160).as_bytes()[1..]).expect("short enough");
    OrderSize: |source| if source.value() {
Self::Quote(source.value())
} else {
Self::Base(source.value())
};
}

impl<T: Example + Copy, const N: usize> Example for [Option<T>; N] {
    fn example(source: &mut Source) -> Self {
        let count = source.number() as usize % (N + 1);
        std::array::from_fn(|at| (at < count).then(|| source.value()))
    }
}

impl<T: Example> Example for Box<T> {
    fn example(source: &mut Source) -> Self {
        Self::new(source.value())
    }
}

impl<T: Example> Example for Option<T> {
    fn example(source: &mut Source) -> Self {
        (!source.number().is_multiple_of(4)).then(|| source.value())
    }
}

numbered! {
    Side, OrderType, TimeInForce, StpMode, OrderStatus, Origin, Role, CancelRestriction, ReplaceMode,
    Way, CancelCause, LoweringRequest, ExpireCause, RejectReason, PegReference, OrderListKind, OrderListStatus,
    OrderListChange, Phase, PhaseCause, BandBreach, AccountMode, FeeAsset, ReceivableCause, WithdrawalStatus
}

records! {
    Asset { name, decimals }
    Increment { units, decimals }
    FeeRates { maker_fee_bps_x100, taker_fee_bps_x100 }
    InstrumentSpec {
        symbol, base, quote, tick_size, lot_size, min_price, max_price, min_qty, max_qty,
        market_max_qty, min_notional, max_notional, max_open_orders, fees
    }
    Instrument { id, spec, tick_lot_minor, lot_minor }
    AccountSpec { name, fees, max_open_orders, finished_orders_kept, trades_kept }
    ResealedKey { key, sealed_secret }
    ResealedLogin { login, sealed_secret }
    LoginSpec { user, account, role, ways, sealed_secret }
    Balance { free, locked }
    AccountTrade {
        instrument, trade_id, order_id, side, is_maker, price, qty, quote, fee, fee_asset, traded_ns,
        revision
    }
    TradeRevision { busted_ns, corrected_ns, orig_price }
    Terms {
        stop_price, trailing_delta_bps, peg, display_qty, hidden, min_qty, expire_ns,
        within_balance, fixed_peg
    }
    Peg { reference, offset_ticks, limit }
    OrderTerms {
        terms, order_list, triggered_ns, trailing_ns, prevented_qty, prevented_match_id
    }
    OrderList {
        instrument, account, order_list, cl_ord_id, kind, status, orders, created_ns, updated_ns
    }
    PriceBands { static_bps, dynamic_bps, breach, breach_ns }
    PercentPrice { buy_max_bps, buy_min_bps, sell_max_bps, sell_min_bps }
    InstrumentRules {
        avg_price_mins, percent_price, notional_by_avg_price, market_min_qty, iceberg_parts_max,
        max_stop_orders, max_iceberg_orders, max_order_lists, max_amends, trailing_delta_min_bps,
        trailing_delta_max_bps, max_position, bands
    }
    Session { weekdays, begins_s, phase }
    Calendar { instrument, sessions }
    CircuitBreaker { index, levels }
    HaltLevel { decline_bps, halt_ns }
    AccountRisk { mode, stp_group, max_orders_per_10s, max_orders_per_day }
    AccountLimits {
        max_order_qty, max_order_notional, max_open_orders, max_open_notional, max_position,
        collar_bps
    }
    FeeTier { volume_min, maker_fee_bps_x100, taker_fee_bps_x100 }
    FeeSchedule { fee_asset, tiers }
    Withdrawal {
        account, asset, amount, external_ref, status, sequence, requested_by, approved_by,
        requested_ns, ended_ns
    }
    Receivable { receivable, debtor, creditor, asset, amount, instrument, trade_id, cause }

    Entry { envelope, command }
    Envelope { account, key, session, client_seq, origin, received_ns, retry_key, address }
    OrderRef { order_id, cl_ord_id }
    CancelOrder { instrument, order, cl_ord_id, restriction }
    CancelAll { instrument, cl_ord_id }
    ReplaceOrder { cancel, mode, cancel_when_limited, order }
    AmendOrder { instrument, order, cl_ord_id, order_qty }
    Deposit { account, asset, amount, external_ref }
    Withdraw { account, asset, amount, external_ref }
    ListAsset { asset }
    ListInstrument { spec }
    CreateAccount { spec }
    UpdateAccount { account, spec }
    CreateKey { spec }
    RevokeKey { key }
    CreateLogin { spec }
    UpdateLogin { login, ways, sealed_secret, sign_out }
    RevokeLogin { login }
    ModifyOrder { instrument, order, cl_ord_id, order_qty, price }
    MassCancel { instrument, side, cl_ord_id }
    CancelOrderList { instrument, order_list, list_cl_ord_id, cl_ord_id }
    OpenSession { cancel_on_disconnect, login }
    RefuseOrder { cl_ord_id, code }
    CloseSession { session }
    BustTrade { instrument, trade_id, buyer, seller }
    CorrectTrade { instrument, trade_id, buyer, seller, price }
    SettleReceivable { receivable }
    RequestWithdrawal { account, asset, amount, external_ref }
    ApproveWithdrawal { account, external_ref }
    ConfirmWithdrawal { account, external_ref }
    CancelWithdrawal { account, external_ref }
    UpdateInstrument { instrument, spec }
    SetInstrumentRules { instrument, rules }
    SetPhase { instrument, phase }
    DelistInstrument { instrument }
    SetFeeSchedule { instrument, schedule }
    SetAccountRisk { account, risk }
    SetAccountLimits { account, instrument, limits }
    SetKillSwitch { account, on }
    SetWithdrawalApprovals { approvals }
    HaltVenue { level, resume_ns }

    OrderAccepted { account_seq, instrument_seq, order }
    OrderRested { instrument_seq, instrument, order_id, side, price, leaves_qty }
    TradeExecuted {
        instrument_seq, instrument, trade_id, price, qty, quote, side, maker, taker
    }
    Fill { account_seq, order, fee, fee_asset }
    OrderCanceled { account_seq, instrument_seq, order, canceled_qty, cl_ord_id, cause }
    OrderExpired { account_seq, instrument_seq, order, cause, prevented }
    Prevented { prevented_match_id, price, qty, prevented_qty, counter_order_id, stp_group }
    OrderDecremented { account_seq, instrument_seq, order, prevented }
    OrderRefreshed { account_seq, account, instrument, order_id, cl_ord_id, shown_qty }
    FillRevised { account_seq, account, instrument, trade_id, order_id, cl_ord_id, price }
    OrderAmended {
        account_seq, instrument_seq, order, orig_cl_ord_id, orig_order_qty, request
    }
    Deposited { account_seq, account, asset, amount, external_ref, free }
    Withdrawn { account_seq, account, asset, amount, external_ref, free }
    AssetListed { id, asset }
    InstrumentListed { instrument_seq, instrument }
    AccountCreated { account_seq, account, spec }
    AccountUpdated { account_seq, account, spec }
    KeyCreated { account_seq, key, spec }
    KeyRevoked { account_seq, key, account, role }
    LoginCreated { account_seq, login, spec }
    LoginUpdated { account_seq, login, spec, sign_out }
    LoginRevoked { account_seq, login, user, account, role }
    MasterKeyRotated { fingerprint, key_count }
    CommandRejected { account, reason, in_cancel, numbered }
    NumberedRefusal { account_seq, cl_ord_id, code }
    CommandRepeated { account, first_sequence }
    OrderTriggered { account_seq, instrument_seq, order }
    OrderModified {
        account_seq, instrument_seq, order, orig_cl_ord_id, orig_order_qty, orig_price
    }
    BookReduced { instrument_seq, instrument, order_id, side, price, qty, leaves_qty }
    TradePrevented {
        instrument_seq, instrument, prevented_match_id, price, qty, stp_mode, stp_group,
        maker_account, maker_order_id, maker_prevented_qty, taker_account, taker_order_id,
        taker_prevented_qty, prevented_ns
    }
    OrderListUpdated { account_seq, list, change }
    OrderRepriced { account_seq, instrument_seq, order }
    Adjustment { account, account_seq, base, quote }
    TradeBusted { instrument_seq, instrument, trade_id, buyer, seller }
    TradeCorrected {
        instrument_seq, instrument, trade_id, orig_price, price, quote, buyer, seller
    }
    ReceivableCreated { receivable }
    ReceivableSettled { receivable, paid, debtor_seq, creditor_seq }
    WithdrawalRequested { account_seq, account, asset, amount, external_ref, free }
    WithdrawalApproved { account, external_ref, approved_by }
    WithdrawalApprovalsSet { approvals }
    WithdrawalCompleted { account_seq, account, asset, amount, external_ref, free }
    WithdrawalCanceled { account_seq, account, asset, amount, external_ref, free }
    InstrumentUpdated { instrument_seq, instrument }
    InstrumentRulesSet { instrument_seq, instrument, rules }
    PhaseChanged { instrument_seq, instrument, phase, cause, until_ns }
    InstrumentDelisted { instrument_seq, instrument }
    FeeScheduleSet { instrument_seq, instrument, schedule }
    AccountRiskSet { account_seq, account, risk }
    AccountLimitsSet { account_seq, account, instrument, limits }
    KillSwitchSet { account_seq, set }
    VenueHalted { level, resume_ns }
    CalendarSet { instrument_seq, calendar }
    AuctionIndicated { instrument_seq, instrument, price, volume, surplus, surplus_side }
    AuctionUncrossed { instrument_seq, instrument, price, volume, surplus, surplus_side }
    SessionOpened { account_seq, account, session, cancel_on_disconnect, numbering }
    Numbering { login, day, is_first }
    NumberingDayBegun { day }
    NumbersAnswered { account_seq, account, login, day, number, highest, instrument }
    SessionClosed { account_seq, account, session }
    NewEpoch { epoch, primary }
    StateHash { sequence, event_hash, state_hash }
}

choices! {
    Command {
        NewOrder, CancelOrder, CancelAll, ReplaceOrder, AmendOrder, ModifyOrder, MassCancel,
        NewOrderList, CancelOrderList, OpenSession, CloseSession, BeginNumberingDay, RefuseOrder,
        QueryNumbers, Deposit, Withdraw, BustTrade,
        CorrectTrade, SettleReceivable, RequestWithdrawal, ConfirmWithdrawal, CancelWithdrawal,
        ApproveWithdrawal,
        ListAsset, ListInstrument, CreateAccount, UpdateAccount,
        CreateKey, RevokeKey, UpdateInstrument, SetInstrumentRules, SetPhase, DelistInstrument,
        SetFeeSchedule, SetAccountRisk, SetAccountLimits, SetKillSwitch, HaltVenue, ResumeVenue,
        SetCircuitBreaker, SetCalendar, RotateMasterKey, SetWithdrawalApprovals,
        CreateLogin, UpdateLogin, RevokeLogin, Tick, Continue, NewEpoch, TakeStateHash, StateHash
    }
    Event {
        OrderAccepted, OrderRested, TradeExecuted, OrderCanceled, OrderExpired, OrderAmended,
        OrderTriggered, OrderModified, BookReduced, TradePrevented, OrderListUpdated, OrderRepriced,
        OrderDecremented, OrderRefreshed, FillRevised, Deposited, Withdrawn, TradeBusted, TradeCorrected, ReceivableCreated, ReceivableSettled,
        WithdrawalRequested, WithdrawalCompleted, WithdrawalCanceled, WithdrawalApproved, AssetListed, InstrumentListed, AccountCreated, AccountUpdated, KeyCreated, KeyRevoked,
        InstrumentUpdated, InstrumentRulesSet, PhaseChanged, InstrumentDelisted, FeeScheduleSet,
        AccountRiskSet, AccountLimitsSet, KillSwitchSet, VenueHalted, VenueResumed,
        CircuitBreakerSet, CalendarSet, AuctionIndicated, AuctionUncrossed, SessionOpened,
        SessionClosed, MasterKeyRotated, WithdrawalApprovalsSet, LoginCreated,
        LoginUpdated, LoginRevoked, NumberingDayBegun, NumbersAnswered, CommandRejected, CommandRepeated
    }
}
