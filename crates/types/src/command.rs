//! Commands: everything that changes the venue's state, and who asked for it.

use crate::account::{AccountSpec, KeySpec, ResealedKey};
use crate::asset::Asset;
use crate::describe::{Describe, Described};
use crate::id::{AccountId, AssetId, InstrumentId, KeyId, OrderId, SessionId};
use crate::id::{OrderListId, ReceivableId, TradeId};
use crate::instrument::InstrumentSpec;
use crate::number::{Amount, Price, Qty};
use crate::order::{OrderSize, Side, StpMode, TimeInForce};
use crate::phase::{Calendar, CircuitBreaker, InstrumentRules, Phase};
use crate::risk::{AccountLimits, AccountRisk, FeeSchedule};
use crate::terms::{LIST_ORDERS_MAX, OrderListKind, Terms};
use crate::text::{ClOrdId, ExternalRef};
use crate::wire::{Reader, Wire, choice, numbered, record, record_with_terms};

/// A command as it lies in the log.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    pub envelope: Envelope,
    pub command: Command,
}

impl Entry {
    /// [`Wire::read`] to a place that is there: an entry is large, and read often. With `None`, the
    /// place has no entry that was ever written.
    #[inline]
    pub fn read_over(&mut self, r: &mut Reader<'_>) -> Option<()> {
        self.envelope = r.read()?;
        self.command = r.read()?;
        Some(())
    }
}

impl Wire for Entry {
    fn write(&self, out: &mut Vec<u8>) {
        self.envelope.write(out);
        self.command.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { envelope: r.read()?, command: r.read()? })
    }
}

record! {
    /// Who sent a command, by which way, when.
    pub struct Envelope {
        /// On whose behalf; [`AccountId::VENUE`] for operators and for the venue's own commands.
        pub account: AccountId,
        pub key: KeyId,
        pub session: SessionId,
        /// The command's number within its session; zero where sessions do not number.
        pub client_seq: u64,
        pub origin: Origin,
        /// When the gateway had it, in nanoseconds since 1970. For measuring only: rules go by the
        /// sequencer's time.
        pub received_ns: u64,
        pub retry_key: Option<RetryKey>,
    }
}

impl Envelope {
    /// For a command that the venue gives itself, or that an operator gives.
    pub const fn venue(origin: Origin, received_ns: u64) -> Self {
        Self {
            account: AccountId::VENUE,
            key: KeyId(0),
            session: SessionId(0),
            client_seq: 0,
            origin,
            received_ns,
            retry_key: None,
        }
    }
}

numbered! {
    pub enum Origin: u8 {
        Venue = 0,
        Admin = 1,
        Rest = 2,
        WebSocket = 3,
        Replay = 4,
    }
}

/// Recognises a repeated request: a hash of the client's `Idempotency-Key`.
pub type RetryKey = [u8; 16];

choice! {
    pub enum Command {
        1 => NewOrder(NewOrder),
        2 => CancelOrder(CancelOrder),
        3 => CancelAll(CancelAll),
        4 => ReplaceOrder(ReplaceOrder),
        5 => AmendOrder(AmendOrder),
        6 => ModifyOrder(ModifyOrder),
        7 => MassCancel(MassCancel),
        8 => NewOrderList(NewOrderList),
        9 => CancelOrderList(CancelOrderList),
        10 => OpenSession(OpenSession),
        11 => CloseSession(CloseSession),
        16 => Deposit(Deposit),
        17 => Withdraw(Withdraw),
        18 => BustTrade(BustTrade),
        19 => CorrectTrade(CorrectTrade),
        20 => SettleReceivable(SettleReceivable),
        21 => RequestWithdrawal(RequestWithdrawal),
        22 => ConfirmWithdrawal(ConfirmWithdrawal),
        23 => CancelWithdrawal(CancelWithdrawal),
        32 => ListAsset(ListAsset),
        33 => ListInstrument(ListInstrument),
        34 => CreateAccount(CreateAccount),
        35 => UpdateAccount(UpdateAccount),
        36 => CreateKey(Box<CreateKey>),
        37 => RevokeKey(RevokeKey),
        38 => UpdateInstrument(UpdateInstrument),
        39 => SetInstrumentRules(SetInstrumentRules),
        40 => SetPhase(SetPhase),
        41 => DelistInstrument(DelistInstrument),
        42 => SetFeeSchedule(SetFeeSchedule),
        43 => SetAccountRisk(SetAccountRisk),
        44 => SetAccountLimits(SetAccountLimits),
        45 => SetKillSwitch(SetKillSwitch),
        46 => HaltVenue(HaltVenue),
        47 => ResumeVenue(()),
        48 => SetCircuitBreaker(CircuitBreaker),
        49 => SetCalendar(Calendar),
        50 => RotateMasterKey(RotateMasterKey),
        /// Time has passed: what is due by now happens.
        64 => Tick(()),
        /// Work that an earlier command left is taken up again.
        65 => Continue(()),
        /// A primary begins: batches of older epochs that follow count for nothing.
        66 => NewEpoch(NewEpoch),
        /// Whoever applies this takes the hash of the state that it leads to.
        67 => TakeStateHash(()),
        /// What the primary found there.
        68 => StateHash(StateHash),
    }
}

impl Wire for () {
    fn write(&self, _: &mut Vec<u8>) {}

    fn read(_: &mut Reader<'_>) -> Option<Self> {
        Some(())
    }
}

record_with_terms! {
    pub struct NewOrder {
        pub instrument: InstrumentId,
        pub cl_ord_id: ClOrdId,
        pub side: Side,
    } order_type {
        pub time_in_force: TimeInForce,
        pub stp_mode: StpMode,
        /// Zero for a market order and for a pegged one.
        pub price: Price,
        pub size: OrderSize,
        pub strategy_id: Option<i64>,
        pub strategy_type: Option<i32>,
    } terms: Terms
}

impl NewOrder {
    /// What few orders ask for; all that is not said is zero.
    pub fn special(&self) -> Terms {
        self.terms.unwrap_or_default()
    }
}

record! {
    /// An order by our id, by the client's, or by both, which must then mean the same order.
    pub struct OrderRef {
        pub order_id: Option<OrderId>,
        pub cl_ord_id: Option<ClOrdId>,
    }
}

impl OrderRef {
    pub const fn by_id(order_id: OrderId) -> Self {
        Self { order_id: Some(order_id), cl_ord_id: None }
    }

    pub const fn by_cl_ord_id(cl_ord_id: ClOrdId) -> Self {
        Self { order_id: None, cl_ord_id: Some(cl_ord_id) }
    }
}

record! {
    pub struct CancelOrder {
        pub instrument: InstrumentId,
        pub order: OrderRef,
        /// The client's name for this cancel, echoed in the report.
        pub cl_ord_id: ClOrdId,
        pub restriction: CancelRestriction,
    }
}

numbered! {
    /// In which status an order may be canceled.
    pub enum CancelRestriction: u8 {
        None = 0,
        OnlyNew = 1,
        OnlyPartiallyFilled = 2,
    }
}

record! {
    /// Cancels the account's open orders in one instrument, oldest first.
    pub struct CancelAll {
        pub instrument: InstrumentId,
        pub cl_ord_id: ClOrdId,
    }
}

record! {
    /// Cancels one order and enters another, as one command.
    pub struct ReplaceOrder {
        pub cancel: CancelOrder,
        pub mode: ReplaceMode,
        pub order: NewOrder,
    }
}

numbered! {
    /// What becomes of the new order when the cancel fails.
    pub enum ReplaceMode: u8 {
        StopOnFailure = 0,
        AllowFailure = 1,
    }
}

record! {
    /// Lowers an open order's quantity; it keeps its place in the queue.
    pub struct AmendOrder {
        pub instrument: InstrumentId,
        pub order: OrderRef,
        /// The order's new name, if it gets one.
        pub cl_ord_id: Option<ClOrdId>,
        pub order_qty: Qty,
    }
}

record! {
    /// Gives an open order another quantity or price. Less at the same price keeps its place in
    /// the queue; anything else loses it, and it may trade at once. A quantity that is filled
    /// already closes the order.
    pub struct ModifyOrder {
        pub instrument: InstrumentId,
        pub order: OrderRef,
        /// The order's new name, if it gets one.
        pub cl_ord_id: Option<ClOrdId>,
        pub order_qty: Qty,
        /// The new limit; `None` leaves it.
        pub price: Option<Price>,
    }
}

record! {
    /// Cancels the account's open orders, in one instrument or all, on one side or both.
    pub struct MassCancel {
        pub instrument: Option<InstrumentId>,
        pub side: Option<Side>,
        pub cl_ord_id: ClOrdId,
    }
}

/// Orders that depend on each other, entered as one command: all or none are taken on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewOrderList {
    pub instrument: InstrumentId,
    /// The client's name for the list.
    pub cl_ord_id: ClOrdId,
    pub kind: OrderListKind,
    /// As many as the kind has, each for the list's instrument; the working order first.
    pub orders: Vec<NewOrder>,
}

impl Describe for NewOrderList {
    fn describe(&self) -> Described {
        Described::Record(vec![
            ("instrument", self.instrument.describe()),
            ("cl_ord_id", self.cl_ord_id.describe()),
            ("kind", self.kind.describe()),
            ("orders", self.orders.describe()),
        ])
    }
}

impl Wire for NewOrderList {
    fn write(&self, out: &mut Vec<u8>) {
        (self.instrument, self.cl_ord_id).write(out);
        self.kind.write(out);
        self.orders.iter().take(LIST_ORDERS_MAX).for_each(|order| order.write(out));
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (instrument, cl_ord_id) = r.read()?;
        let kind: OrderListKind = r.read()?;
        let orders = (0..kind.order_count()).map(|_| r.read()).collect::<Option<_>>()?;
        Some(Self { instrument, cl_ord_id, kind, orders })
    }
}

record! {
    /// Cancels all orders of a list, by our id, by the client's name for it, or by both.
    pub struct CancelOrderList {
        pub instrument: InstrumentId,
        pub order_list: Option<OrderListId>,
        pub list_cl_ord_id: Option<ClOrdId>,
        /// The client's name for this cancel.
        pub cl_ord_id: ClOrdId,
    }
}

record! {
    /// From here on, orders that come by the envelope's session are canceled when it closes.
    pub struct OpenSession {
        pub cancel_on_disconnect: bool,
    }
}

record! {
    /// The session is over: orders that were to end with it are canceled.
    pub struct CloseSession {
        pub session: SessionId,
    }
}

record! {
    pub struct Deposit {
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
    }
}

record! {
    pub struct Withdraw {
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
    }
}

record! {
    /// Undoes a trade that both accounts still keep: each gives back what it got, fees included.
    /// What one no longer has becomes a receivable of the other.
    pub struct BustTrade {
        pub instrument: InstrumentId,
        pub trade_id: TradeId,
        pub buyer: AccountId,
        pub seller: AccountId,
    }
}

record! {
    /// Gives a trade another price: the difference moves between the two accounts, fees stay.
    pub struct CorrectTrade {
        pub instrument: InstrumentId,
        pub trade_id: TradeId,
        pub buyer: AccountId,
        pub seller: AccountId,
        pub price: Price,
    }
}

record! {
    /// Pays a receivable out of what its debtor has free, as far as it goes.
    pub struct SettleReceivable {
        pub receivable: ReceivableId,
    }
}

record! {
    /// Sets an amount aside, until the withdrawal is confirmed or canceled.
    pub struct RequestWithdrawal {
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
    }
}

record! {
    /// What was set aside leaves the account.
    pub struct ConfirmWithdrawal {
        pub account: AccountId,
        pub external_ref: ExternalRef,
    }
}

record! {
    /// What was set aside is free again.
    pub struct CancelWithdrawal {
        pub account: AccountId,
        pub external_ref: ExternalRef,
    }
}

record! {
    pub struct ListAsset {
        pub asset: Asset,
    }
}

record! {
    pub struct ListInstrument {
        pub spec: InstrumentSpec,
    }
}

record! {
    pub struct CreateAccount {
        pub spec: AccountSpec,
    }
}

record! {
    /// Gives an account new terms. Its name stays.
    pub struct UpdateAccount {
        pub account: AccountId,
        pub spec: AccountSpec,
    }
}

record! {
    pub struct CreateKey {
        pub spec: KeySpec,
    }
}

record! {
    pub struct RevokeKey {
        pub key: KeyId,
    }
}

/// From here on another master key opens the secrets of all keys.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RotateMasterKey {
    /// Of the new master key.
    pub fingerprint: [u8; 16],
    /// All keys that are valid, by number: all or none.
    pub keys: Vec<ResealedKey>,
}

impl Describe for RotateMasterKey {
    fn describe(&self) -> Described {
        Described::Record(vec![
            ("fingerprint", self.fingerprint.describe()),
            ("keys", self.keys.describe()),
        ])
    }
}

impl Wire for RotateMasterKey {
    fn write(&self, out: &mut Vec<u8>) {
        self.fingerprint.write(out);
        self.keys.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { fingerprint: r.read()?, keys: r.read()? })
    }
}

record! {
    /// Gives an instrument other bounds and fees. Its assets, tick and lot stay.
    pub struct UpdateInstrument {
        pub instrument: InstrumentId,
        pub spec: InstrumentSpec,
    }
}

record! {
    pub struct SetInstrumentRules {
        pub instrument: InstrumentId,
        pub rules: InstrumentRules,
    }
}

record! {
    pub struct SetPhase {
        pub instrument: InstrumentId,
        pub phase: Phase,
    }
}

record! {
    /// Takes no more orders for an instrument, for ever, and cancels all that are open.
    pub struct DelistInstrument {
        pub instrument: InstrumentId,
    }
}

record! {
    /// `None` goes back to the fees of the instrument's spec.
    pub struct SetFeeSchedule {
        pub instrument: InstrumentId,
        pub schedule: Option<FeeSchedule>,
    }
}

record! {
    /// The mode changes only while the account has no open orders.
    pub struct SetAccountRisk {
        pub account: AccountId,
        pub risk: AccountRisk,
    }
}

record! {
    pub struct SetAccountLimits {
        pub account: AccountId,
        pub instrument: InstrumentId,
        pub limits: AccountLimits,
    }
}

record! {
    /// On: takes no more orders from an account and cancels all that it has open.
    pub struct SetKillSwitch {
        pub account: AccountId,
        pub on: bool,
    }
}

record! {
    /// Nothing trades and no order is taken on, in any instrument.
    pub struct HaltVenue {
        /// From 1; told to clients, and nothing else.
        pub level: u8,
        /// When trading goes on by itself; zero means that a command ends the halt.
        pub resume_ns: u64,
    }
}

record! {
    pub struct NewEpoch {
        pub epoch: u64,
        /// Drawn by the primary, which knows by it whether this is its own epoch.
        pub primary: u64,
    }
}

record! {
    /// The hashes after the [`Command::TakeStateHash`] of that sequence. Who follows the log and has
    /// others has come to another state, and must not go on.
    pub struct StateHash {
        pub sequence: u64,
        pub event_hash: [u8; 16],
        pub state_hash: [u8; 32],
    }
}
