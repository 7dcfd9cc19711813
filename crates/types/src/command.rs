//! Commands: everything that changes the venue's state, and who asked for it.

use crate::account::{AccountSpec, KeySpec};
use crate::asset::Asset;
use crate::id::{AccountId, AssetId, InstrumentId, KeyId, OrderId, SessionId};
use crate::instrument::InstrumentSpec;
use crate::number::{Amount, Price, Qty};
use crate::order::{OrderSize, OrderType, Side, StpMode, TimeInForce};
use crate::text::{ClOrdId, ExternalRef};
use crate::wire::{choice, numbered, record};

record! {
    /// A command as it lies in the log.
    pub struct Entry {
        pub envelope: Envelope,
        pub command: Command,
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
        16 => Deposit(Deposit),
        17 => Withdraw(Withdraw),
        32 => ListAsset(ListAsset),
        33 => ListInstrument(ListInstrument),
        34 => CreateAccount(CreateAccount),
        35 => UpdateAccount(UpdateAccount),
        36 => CreateKey(CreateKey),
        37 => RevokeKey(RevokeKey),
        /// Time has passed: what is due by now happens.
        64 => Tick(()),
        /// Work that an earlier command left is taken up again.
        65 => Continue(()),
    }
}

impl crate::wire::Wire for () {
    fn write(&self, _: &mut Vec<u8>) {}

    fn read(_: &mut crate::wire::Reader<'_>) -> Option<Self> {
        Some(())
    }
}

record! {
    pub struct NewOrder {
        pub instrument: InstrumentId,
        pub cl_ord_id: ClOrdId,
        pub side: Side,
        pub order_type: OrderType,
        pub time_in_force: TimeInForce,
        pub stp_mode: StpMode,
        /// Zero for a market order.
        pub price: Price,
        pub size: OrderSize,
        pub strategy_id: Option<i64>,
        pub strategy_type: Option<i32>,
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
