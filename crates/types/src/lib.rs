//! The vocabulary of the venue: what every other crate says, and how it lies on disk.
//!
//! Numbers are whole: a [`Price`] counts ticks, a [`Qty`] counts lots, an [`Amount`] counts an
//! asset's smallest units. What a tick or a lot is worth belongs to the [`Instrument`]. Decimals
//! exist at the rim only; they are parsed exactly or refused.
//!
//! # Invariants
//! - Every type that is logged implements [`Wire`]; reading what was written gives it back, and
//!   reading anything else gives `None`, never a panic (`tests/wire.rs`).
//! - Numbers of commands, events and reject reasons are never reused.

mod account;
mod asset;
mod command;
mod decimal;
mod event;
mod id;
mod instrument;
mod number;
mod order;
mod reject;
mod text;
mod wire;

pub use account::{AccountSpec, AccountTrade, Balance, KeySpec, Role};
pub use asset::Asset;
pub use command::{
    AmendOrder, CancelAll, CancelOrder, CancelRestriction, Command, CreateAccount, CreateKey,
    Deposit, Entry, Envelope, ListAsset, ListInstrument, NewOrder, OrderRef, Origin, ReplaceMode,
    ReplaceOrder, RetryKey, RevokeKey, UpdateAccount, Withdraw,
};
pub use decimal::{Increment, format_decimal, parse_decimal};
pub use event::{
    AccountCreated, AccountUpdated, AssetListed, CancelCause, CommandRejected, CommandRepeated,
    Deposited, Event, ExpireCause, Fill, InstrumentListed, KeyCreated, KeyRevoked, OrderAccepted,
    OrderAmended, OrderCanceled, OrderExpired, OrderRested, TradeExecuted, Withdrawn,
};
pub use id::{AccountId, AssetId, InstrumentId, KeyId, OrderId, SessionId, TradeId};
pub use instrument::{FeeRates, Instrument, InstrumentSpec, ListingError};
pub use number::{AMOUNT_MAX, Amount, PRICE_MAX, Price, QTY_MAX, Qty};
pub use order::{Order, OrderSize, OrderStatus, OrderType, Side, StpMode, TimeInForce};
pub use reject::RejectReason;
pub use text::{AccountName, AssetName, ClOrdId, ExternalRef, Sealed, Symbol};
pub use wire::{Reader, Wire};
