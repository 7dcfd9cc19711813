//! Commands: every change of the venue's state, and its origin.

mod operator;

use crate::address::Address;
use crate::describe::{Describe, Described};
use crate::id::{AccountId, InstrumentId, KeyId, LoginId, OrderId, OrderListId, SessionId};
use crate::number::{Price, Qty};
use crate::order::{OrderSize, Side, StpMode, TimeInForce};
use crate::phase::{Calendar, CircuitBreaker};
use crate::terms::{LIST_ORDERS_MAX, OrderListKind, Terms};
use crate::text::ClOrdId;
use crate::wire::{Reader, Wire, choice, numbered, record, record_with_terms};

pub use operator::{
    ApproveWithdrawal, BustTrade, CancelWithdrawal, ConfirmWithdrawal, CorrectTrade, CreateAccount,
    CreateKey, CreateLogin, DelistInstrument, Deposit, HaltVenue, ListAsset, ListInstrument,
    RequestWithdrawal, RevokeKey, RevokeLogin, RotateMasterKey, SetAccountLimits, SetAccountRisk,
    SetFeeSchedule, SetInstrumentRules, SetKillSwitch, SetPhase, SetWithdrawalApprovals,
    SettleReceivable, UpdateAccount, UpdateInstrument, UpdateLogin, Withdraw,
};

/// A command as it lies in the log.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    pub envelope: Envelope,
    pub command: Command,
}

impl Entry {
    /// [`Wire::read`] into an existing entry, because an entry is large and read often. After
    /// `None` the entry holds no value that was ever written.
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
    /// Origin of a command: account, key, session, path and time.
    pub struct Envelope {
        /// The account that acts; [`AccountId::VENUE`] for operators and for the venue's own
        /// commands.
        pub account: AccountId,
        pub key: KeyId,
        pub session: SessionId,
        /// The command's number within its session, or within the day of its session's login; zero
        /// for a command without a number.
        pub client_seq: u64,
        pub origin: Origin,
        /// Time at which the gateway received it, in nanoseconds since 1970. For measurement only:
        /// rules use the sequencer's time.
        pub received_ns: u64,
        pub retry_key: Option<RetryKey>,
        /// The address of an operator's client or of a page; `None` for all other commands.
        pub address: Option<Address>,
    }
}

impl Envelope {
    /// The envelope of a command of the venue itself or of an operator.
    pub const fn venue(origin: Origin, received_ns: u64) -> Self {
        Self {
            account: AccountId::VENUE,
            key: KeyId(0),
            session: SessionId(0),
            client_seq: 0,
            origin,
            received_ns,
            retry_key: None,
            address: None,
        }
    }
}

numbered! {
    pub enum Origin: u8 {
        Venue = 0,
        /// An operator on the venue's machine: the admin socket, or the tool on a stopped venue.
        Admin = 1,
        Rest = 2,
        WebSocket = 3,
        Replay = 4,
        /// An operator over HTTP.
        AdminApi = 5,
        /// A person at the page, about the keys of the own login.
        Web = 6,
        Ouch = 7,
        Grpc = 8,
        /// OUCH over UDP.
        OuchUdp = 9,
        /// The intake from a stream of Redis.
        Redis = 10,
    }
}

impl Origin {
    pub const fn is_operator(self) -> bool {
        matches!(self, Self::Admin | Self::AdminApi)
    }
}

/// Identifies a repeated request: a hash of the client's `Idempotency-Key`.
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
        /// The numbers of all logins begin anew.
        12 => BeginNumberingDay(()),
        13 => RefuseOrder(RefuseOrder),
        /// Asks which number the login of the session has used last.
        14 => QueryNumbers(()),
        16 => Deposit(Deposit),
        17 => Withdraw(Withdraw),
        18 => BustTrade(BustTrade),
        19 => CorrectTrade(CorrectTrade),
        20 => SettleReceivable(SettleReceivable),
        21 => RequestWithdrawal(RequestWithdrawal),
        22 => ConfirmWithdrawal(ConfirmWithdrawal),
        23 => CancelWithdrawal(CancelWithdrawal),
        24 => ApproveWithdrawal(ApproveWithdrawal),
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
        51 => SetWithdrawalApprovals(SetWithdrawalApprovals),
        52 => CreateLogin(Box<CreateLogin>),
        53 => UpdateLogin(Box<UpdateLogin>),
        54 => RevokeLogin(RevokeLogin),
        /// Time has passed: the engine carries out what is due.
        64 => Tick(()),
        /// Resumes work that an earlier command deferred.
        65 => Continue(()),
        /// A primary begins: batches of older epochs that follow are void.
        66 => NewEpoch(NewEpoch),
        /// Each machine that applies this takes the hash of its state after it.
        67 => TakeStateHash(()),
        /// The hash that the primary computed.
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
    /// Its terms, with zero for all that the order does not specify.
    pub fn special(&self) -> Terms {
        self.terms.unwrap_or_default()
    }
}

record! {
    /// Refers to an order by our id, by the client's id, or by both, which must match one order.
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
    /// Cancels one order and enters another, in one command.
    pub struct ReplaceOrder {
        pub cancel: CancelOrder,
        pub mode: ReplaceMode,
        /// When the account's order rate refuses the new order, the cancel runs all the same;
        /// otherwise neither does.
        pub cancel_when_limited: bool,
        pub order: NewOrder,
    }
}

numbered! {
    /// Treatment of the new order when the cancel fails.
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
        /// The order's new client id, if it changes.
        pub cl_ord_id: Option<ClOrdId>,
        pub order_qty: Qty,
    }
}

record! {
    /// Gives an open order another quantity or price. A lower quantity at the same price keeps its
    /// place in the queue. Any other change loses it, and the order may trade at once. A quantity
    /// that is filled already closes the order.
    pub struct ModifyOrder {
        pub instrument: InstrumentId,
        pub order: OrderRef,
        /// The order's new client id, if it changes.
        pub cl_ord_id: Option<ClOrdId>,
        pub order_qty: Qty,
        /// The new limit; `None` keeps the old one.
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

/// Orders that depend on each other, entered as one command: all are accepted or none.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NewOrderList {
    pub instrument: InstrumentId,
    /// The client's name for the list.
    pub cl_ord_id: ClOrdId,
    pub kind: OrderListKind,
    /// The number of orders that the kind requires, all for the list's instrument; the working
    /// order first.
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

/// From here on, orders of the envelope's session are canceled when the session closes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct OpenSession {
    pub cancel_on_disconnect: bool,
    /// The login whose numbers the session goes on with. An open session of it is closed.
    pub login: Option<LoginId>,
}

/// Flags of an [`OpenSession`].
const CANCELS_ON_DISCONNECT: u8 = 1;
const HAS_LOGIN: u8 = 2;

impl Describe for OpenSession {
    fn describe(&self) -> Described {
        Described::Record(vec![
            ("cancel_on_disconnect", self.cancel_on_disconnect.describe()),
            ("login", self.login.describe()),
        ])
    }
}

impl Wire for OpenSession {
    fn write(&self, out: &mut Vec<u8>) {
        let cancels = if self.cancel_on_disconnect { CANCELS_ON_DISCONNECT } else { 0 };
        out.push(cancels | if self.login.is_some() { HAS_LOGIN } else { 0 });
        if let Some(login) = self.login {
            login.write(out);
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let flags =
            r.read::<u8>().filter(|flags| flags & !(CANCELS_ON_DISCONNECT | HAS_LOGIN) == 0)?;
        let login = if flags & HAS_LOGIN == 0 { None } else { Some(r.read()?) };
        Some(Self { cancel_on_disconnect: flags & CANCELS_ON_DISCONNECT != 0, login })
    }
}

record! {
    /// The session is over: its orders are canceled if it was opened that way.
    pub struct CloseSession {
        pub session: SessionId,
    }
}

record! {
    /// An order that a gateway refused after it had a number: the refusal takes its place among the
    /// messages of the login.
    pub struct RefuseOrder {
        pub cl_ord_id: ClOrdId,
        /// The reason in the words of the client's protocol.
        pub code: u16,
    }
}

record! {
    pub struct NewEpoch {
        pub epoch: u64,
        /// A random number of the primary, by which it recognizes its own epoch.
        pub primary: u64,
    }
}

record! {
    /// The hashes after the [`Command::TakeStateHash`] of that sequence. A follower with other
    /// hashes has diverged and must stop.
    pub struct StateHash {
        pub sequence: u64,
        pub event_hash: [u8; 16],
        pub state_hash: [u8; 32],
    }
}
