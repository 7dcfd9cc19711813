//! Round trips of every logged type: written values read back, and other bytes do not read.

use std::fmt::Debug;

use proptest::prelude::*;
use types::*;

/// Numbers from which values are made, field by field. Zeros follow after the last one, so that
/// proptest shrinks towards the smallest value.
struct Source<'a>(&'a [u64]);

impl Source<'_> {
    fn number(&mut self) -> u64 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Whether an order has special terms: no example in `formats.txt` has any.
    fn has_terms(&self) -> bool {
        self.0.first().is_some_and(|number| (number >> 32) % 4 >= 2)
    }

    fn value<T: Example>(&mut self) -> T {
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

fn numbers() -> impl Strategy<Value = Vec<u64>> {
    let number =
        prop_oneof![3 => any::<u64>(), 1 => 0_u64..4, 1 => Just(u64::MAX), 1 => Just(1 << 53)];
    prop::collection::vec(number, 0..120)
}

/// A value made from a [`Source`].
trait Example: Sized {
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

trait Choice: Wire + Debug + PartialEq + 'static {
    /// An example of each variant.
    const EXAMPLES: &[fn(&mut Source) -> Self];

    fn variant(&self) -> &'static str;
}

examples! {
    (): |_source| ();
    u8: |source| source.number() as u8;
    u32: |source| source.number() as u32;
    u64: |source| source.number();
    i32: |source| source.number() as i32;
    i64: |source| source.number() as i64;
    i128: |source| i128::from(source.number() as i64) << 64 | i128::from(source.number());
    bool: |source| source.number() % 2 == 1;
    [u8; 16]: |source| source.value::<i128>().to_be_bytes();
    [u8; 32]: |source| { let half: [u8; 16] = source.value(); std::array::from_fn(|at| half[at % 16]) };
    AccountId: |source| Self(source.value());
    AssetId: |source| Self(source.number() as u16);
    InstrumentId: |source| Self(source.value());
    KeyId: |source| Self(source.value());
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
        let terms = source.has_terms().then(|| source.value());
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
        let terms = source.has_terms().then(|| source.value());
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
        Self { fingerprint: source.value(), keys }
    };
    Price: |source| Self::from_ticks(source.value());
    Qty: |source| Self::from_lots(source.value());
    Amount: |source| Self::from_minor(source.value());
    ClOrdId: |source| Self::parse(&source.text(Self::LEN_MAX)).expect("allowed");
    Symbol: |source| Self::parse(&source.text(Self::LEN_MAX)).expect("allowed");
    AssetName: |source| Self::parse(&source.text(Self::LEN_MAX)).expect("allowed");
    AccountName: |source| Self::parse(&source.text(Self::LEN_MAX)).expect("allowed");
    ExternalRef: |source| Self::parse(&source.text(Self::LEN_MAX)).expect("allowed");
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
    CancelCause, ExpireCause, RejectReason, PegReference, OrderListKind, OrderListStatus, Phase,
    PhaseCause, BandBreach, AccountMode, FeeAsset, ReceivableCause, WithdrawalStatus
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
    KeySpec { account, role, api_key_hash, sealed_secret }
    ResealedKey { key, sealed_secret }
    Balance { free, locked }
    AccountTrade {
        instrument, trade_id, order_id, side, is_maker, price, qty, quote, fee, fee_asset, traded_ns
    }
    Terms { stop_price, trailing_delta_bps, peg, display_qty, hidden, min_qty, expire_ns }
    Peg { reference, offset_ticks, limit }
    OrderTerms { terms, order_list, triggered_ns, prevented_qty }
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
        account, asset, amount, external_ref, status, sequence, requested_ns, ended_ns
    }
    Receivable { receivable, debtor, creditor, asset, amount, instrument, trade_id, cause }

    Entry { envelope, command }
    Envelope { account, key, session, client_seq, origin, received_ns, retry_key }
    OrderRef { order_id, cl_ord_id }
    CancelOrder { instrument, order, cl_ord_id, restriction }
    CancelAll { instrument, cl_ord_id }
    ReplaceOrder { cancel, mode, order }
    AmendOrder { instrument, order, cl_ord_id, order_qty }
    Deposit { account, asset, amount, external_ref }
    Withdraw { account, asset, amount, external_ref }
    ListAsset { asset }
    ListInstrument { spec }
    CreateAccount { spec }
    UpdateAccount { account, spec }
    CreateKey { spec }
    RevokeKey { key }
    ModifyOrder { instrument, order, cl_ord_id, order_qty, price }
    MassCancel { instrument, side, cl_ord_id }
    CancelOrderList { instrument, order_list, list_cl_ord_id, cl_ord_id }
    OpenSession { cancel_on_disconnect }
    CloseSession { session }
    BustTrade { instrument, trade_id, buyer, seller }
    CorrectTrade { instrument, trade_id, buyer, seller, price }
    SettleReceivable { receivable }
    RequestWithdrawal { account, asset, amount, external_ref }
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
    HaltVenue { level, resume_ns }

    OrderAccepted { account_seq, instrument_seq, order }
    OrderRested { instrument_seq, instrument, order_id, side, price, leaves_qty }
    TradeExecuted {
        instrument_seq, instrument, trade_id, price, qty, quote, side, maker, taker
    }
    Fill { account_seq, order, fee, fee_asset }
    OrderCanceled { account_seq, instrument_seq, order, canceled_qty, cl_ord_id, cause }
    OrderExpired { account_seq, instrument_seq, order, cause }
    OrderAmended { account_seq, instrument_seq, order, orig_cl_ord_id, orig_order_qty }
    Deposited { account_seq, account, asset, amount, external_ref, free }
    Withdrawn { account_seq, account, asset, amount, external_ref, free }
    AssetListed { id, asset }
    InstrumentListed { instrument_seq, instrument }
    AccountCreated { account_seq, account, spec }
    AccountUpdated { account_seq, account, spec }
    KeyCreated { account_seq, key, spec }
    KeyRevoked { account_seq, key, account, role }
    MasterKeyRotated { fingerprint, key_count }
    CommandRejected { account, reason, in_cancel }
    CommandRepeated { account, first_sequence }
    OrderTriggered { account_seq, instrument_seq, order }
    OrderModified {
        account_seq, instrument_seq, order, orig_cl_ord_id, orig_order_qty, orig_price
    }
    BookReduced { instrument_seq, instrument, order_id, side, price, qty, leaves_qty }
    TradePrevented {
        instrument_seq, instrument, prevented_match_id, price, qty, stp_mode, maker_account,
        maker_order_id, taker_account, taker_order_id, prevented_ns
    }
    OrderListUpdated { account_seq, list }
    OrderRepriced { account_seq, instrument_seq, order }
    Adjustment { account, account_seq, base, quote }
    TradeBusted { instrument_seq, instrument, trade_id, buyer, seller }
    TradeCorrected { instrument_seq, instrument, trade_id, orig_price, price, buyer, seller }
    ReceivableCreated { receivable }
    ReceivableSettled { receivable, paid, debtor_seq, creditor_seq }
    WithdrawalRequested { account_seq, account, asset, amount, external_ref, free }
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
    SessionOpened { account_seq, account, session, cancel_on_disconnect }
    SessionClosed { account_seq, account, session }
    NewEpoch { epoch, primary }
    StateHash { sequence, event_hash, state_hash }
}

choices! {
    Command {
        NewOrder, CancelOrder, CancelAll, ReplaceOrder, AmendOrder, ModifyOrder, MassCancel,
        NewOrderList, CancelOrderList, OpenSession, CloseSession, Deposit, Withdraw, BustTrade,
        CorrectTrade, SettleReceivable, RequestWithdrawal, ConfirmWithdrawal, CancelWithdrawal,
        ListAsset, ListInstrument, CreateAccount, UpdateAccount,
        CreateKey, RevokeKey, UpdateInstrument, SetInstrumentRules, SetPhase, DelistInstrument,
        SetFeeSchedule, SetAccountRisk, SetAccountLimits, SetKillSwitch, HaltVenue, ResumeVenue,
        SetCircuitBreaker, SetCalendar, RotateMasterKey, Tick, Continue, NewEpoch, TakeStateHash, StateHash
    }
    Event {
        OrderAccepted, OrderRested, TradeExecuted, OrderCanceled, OrderExpired, OrderAmended,
        OrderTriggered, OrderModified, BookReduced, TradePrevented, OrderListUpdated, OrderRepriced,
        Deposited, Withdrawn, TradeBusted, TradeCorrected, ReceivableCreated, ReceivableSettled,
        WithdrawalRequested, WithdrawalCompleted, WithdrawalCanceled, AssetListed, InstrumentListed, AccountCreated, AccountUpdated, KeyCreated, KeyRevoked,
        InstrumentUpdated, InstrumentRulesSet, PhaseChanged, InstrumentDelisted, FeeScheduleSet,
        AccountRiskSet, AccountLimitsSet, KillSwitchSet, VenueHalted, VenueResumed,
        CircuitBreakerSet, CalendarSet, AuctionIndicated, AuctionUncrossed, SessionOpened,
        SessionClosed, MasterKeyRotated, CommandRejected, CommandRepeated
    }
}

fn bytes<T: Wire>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes
}

/// A value reads back, leaves the bytes after it, and does not read from a shorter slice.
fn check_value<T: Wire + Debug + PartialEq>(value: &T) {
    let mut bytes = bytes(value);
    for cut in 0..bytes.len() {
        assert_eq!(T::read(&mut Reader(&bytes[..cut])), None, "{value:?} cut at {cut}");
    }
    bytes.push(0xff);
    let mut r = Reader(&bytes);
    assert_eq!(r.read().as_ref(), Some(value));
    assert_eq!(r.0, [0xff], "{value:?} reads as many bytes as it writes");
}

/// Bytes that read at all are the bytes that the value is written as.
fn check_bytes<T: Wire + Debug>(input: &[u8]) {
    let mut r = Reader(input);
    if let Some(value) = r.read::<T>() {
        assert_eq!(bytes(&value), input[..input.len() - r.0.len()], "{value:?}");
    }
}

/// Damages one byte of a written value.
fn check_damage<T: Wire + Debug>(value: &T, at: prop::sample::Index, damage: u8) {
    let mut bytes = bytes(value);
    let at = at.index(bytes.len());
    bytes[at] ^= damage;
    check_bytes::<T>(&bytes);
}

fn check_numbers<T: Wire + Copy + Debug + PartialEq>(
    all: &[T],
    number: fn(T) -> u64,
    from_number: fn(u64) -> Option<T>,
) {
    assert!(all.is_sorted_by(|a, b| number(*a) < number(*b)), "{all:?}");
    let size = bytes(&all[0]).len();
    for n in 0_u64..1 << (8 * size) {
        let expect = all.iter().copied().find(|e| number(*e) == n);
        assert_eq!(from_number(n), expect, "{n}");
        assert_eq!(T::read(&mut Reader(&n.to_le_bytes()[..size])), expect, "{n}");
    }
}

proptest! {
    #[test]
    fn commands_read_back(numbers in numbers(), at: prop::sample::Index, damage: u8) {
        for example in Command::EXAMPLES {
            let command = example(&mut Source(&numbers));
            check_value(&command);
            check_damage(&command, at, damage);
        }
    }

    #[test]
    fn events_read_back(numbers in numbers(), at: prop::sample::Index, damage: u8) {
        for example in Event::EXAMPLES {
            let event = example(&mut Source(&numbers));
            check_value(&event);
            check_damage(&event, at, damage);
        }
    }

    #[test]
    fn other_stored_values_read_back(numbers in numbers()) {
        let mut source = Source(&numbers);
        check_value(&source.value::<Entry>());
        check_value(&source.value::<Balance>());
        check_value(&source.value::<AccountTrade>());
        check_value(&source.value::<Withdrawal>());
        check_value(&(source.value::<u8>(), source.value::<Instrument>()));
        check_value(&vec![source.value::<Option<Side>>(), source.value(), source.value()]);
    }

    #[test]
    fn arbitrary_bytes_read_as_written_or_not_at_all(
        input in prop::collection::vec(prop_oneof![0_u8..4, any::<u8>()], 0..400),
    ) {
        check_bytes::<Entry>(&input);
        check_bytes::<Command>(&input);
        check_bytes::<Event>(&input);
        check_bytes::<Vec<AccountTrade>>(&input);
        check_bytes::<Vec<Withdrawal>>(&input);
    }
}

#[test]
fn unknown_variants_are_refused() {
    fn check<T: Choice>() {
        let examples: Vec<_> =
            T::EXAMPLES.iter().map(|example| bytes(&example(&mut Source(&[])))).collect();
        let known: Vec<u8> = examples.iter().map(|bytes| bytes[0]).collect();
        assert!(known.is_sorted_by(|a, b| a < b), "{known:?}");
        for number in (0..=u8::MAX).filter(|number| !known.contains(number)) {
            for mut bytes in examples.iter().cloned() {
                bytes[0] = number;
                assert_eq!(T::read(&mut Reader(&bytes)), None, "variant {number}");
            }
        }
    }
    check::<Command>();
    check::<Event>();
}

#[test]
fn each_value_has_one_form() {
    fn check<T: Wire + Debug + PartialEq>(bytes: &[u8], expect: Option<T>) {
        assert_eq!(T::read(&mut Reader(bytes)), expect, "{bytes:?}");
    }
    check(&[1], Some(true));
    check::<bool>(&[2], None);
    check(&[0], Some(None::<u8>));
    check::<Option<u8>>(&[2, 7], None);
    check(&[0, 7, 0, 0, 0, 0, 0, 0, 0], Some(OrderSize::Base(Qty::from_lots(7))));
    check::<OrderSize>(&[2; 17], None);
    check(&[2, b'a', b'b'], ClOrdId::parse("ab"));
    check::<ClOrdId>(&[0], None);
    check::<ClOrdId>(&[2, b'a', b' '], None);
    check::<ClOrdId>(&[2, b'a', 0xff], None);
    check::<ClOrdId>(&[[37].as_slice(), &[b'a'; 37]].concat(), None);
    check(&[0], Sealed::new(&[]));
    let sealed = |head: &[u8], len| [head, &vec![7; len]].concat();
    check(&sealed(&[254], 254), Sealed::new(&[7; 254]));
    check(&sealed(&[255, 255, 0], 255), Sealed::new(&[7; 255]));
    check(&sealed(&[255, 80, 2], 592), Sealed::new(&[7; 592]));
    // Too long, and short enough for one byte.
    check::<Sealed>(&sealed(&[255, 81, 2], 593), None);
    check::<Sealed>(&sealed(&[255, 254, 0], 254), None);
    check(&[2, 0, 0, 0, 5, 6], Some(vec![5_u8, 6]));
    check::<Vec<u64>>(&[0xff, 0xff, 0xff, 0xff, 5, 6], None);
}

/// `formats.txt` has an entry, and an example of every command and event as logs and snapshots
/// store it, in hexadecimal. Fields are 1, 2, 3, and so on; in every second of the larger ones the
/// fifth byte is 1 too. Existing lines never change. `TYPES_FORMATS=write` adds new lines.
#[test]
fn formats_stay_as_they_are() {
    let numbers: Vec<u64> = (1..200).map(|i| i | (i % 2) << 32).collect();

    fn line<T: Wire>(name: &str, value: &T) -> String {
        let hex: String = bytes(value).iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{name} {hex}")
    }
    fn lines<T: Choice>(numbers: &[u64]) -> impl Iterator<Item = String> + Clone {
        let examples = T::EXAMPLES.iter().map(|example| example(&mut Source(numbers)));
        examples.map(|value| line(value.variant(), &value))
    }

    let entry = line("Entry", &Source(&numbers).value::<Entry>());
    let examples = lines::<Command>(&numbers).chain(lines::<Event>(&numbers));
    let terms = [
        line("Terms", &Source(&numbers).value::<Terms>()),
        line("OrderTerms", &Source(&numbers).value::<OrderTerms>()),
    ];
    let all = std::iter::once(entry).chain(examples).chain(terms);
    if std::env::var_os("TYPES_FORMATS").is_some_and(|value| value == "write") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats.txt");
        let text: String = all.clone().map(|line| line + "\n").collect();
        std::fs::write(path, text).expect("it can be written");
    }
    let mut golden = include_str!("formats.txt").lines();
    for line in all {
        assert_eq!(
            golden.next(),
            Some(line.as_str()),
            "the format has changed. Formats carry a version: bump those of the log and of the \
             snapshot, keep reading the old ones, and only then change formats.txt"
        );
    }
    assert_eq!(golden.next(), None, "a line without an example");
}
