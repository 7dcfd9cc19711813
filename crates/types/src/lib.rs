//! The vocabulary of the venue: the types that every other crate uses, and their layout on disk.
//!
//! Numbers are whole: a [`Price`] counts ticks, a [`Qty`] counts lots, an [`Amount`] counts an
//! asset's smallest units. The [`Instrument`] has the sizes of tick and lot. Decimals exist at the
//! rim only; they are parsed exactly or refused.
//!
//! # Invariants
//! - Every type that is logged implements [`Wire`]; reading what was written gives it back, and
//!   reading anything else gives `None`, never a panic (`tests/wire/`).
//! - Numbers of commands, events and reject reasons are never reused.

mod account;
mod address;
mod asset;
mod candle;
mod command;
mod decimal;
mod describe;
mod event;
mod id;
mod instrument;
mod interval;
mod login;
mod market;
mod number;
mod order;
mod phase;
mod refused;
mod reject;
mod risk;
mod show;
mod terms;
mod text;
mod wire;

pub use account::{
    AccountSpec, AccountTrade, Balance, KeySpec, MasterKeyInUse, ResealedKey, Role, TradeRevision,
    WITHDRAWAL_APPROVALS_MAX, Withdrawal, WithdrawalStatus,
};
pub use address::Address;
pub use asset::Asset;
pub use candle::{AggTrade, Candle};
pub use command::{
    AmendOrder, ApproveWithdrawal, BustTrade, CancelAll, CancelOrder, CancelOrderList,
    CancelRestriction, CancelWithdrawal, CloseSession, Command, ConfirmWithdrawal, CorrectTrade,
    CreateAccount, CreateKey, CreateLogin, DelistInstrument, Deposit, Entry, Envelope, HaltVenue,
    ListAsset, ListInstrument, MassCancel, ModifyOrder, NewEpoch, NewOrder, NewOrderList,
    OpenSession, OrderRef, Origin, RefuseOrder, ReplaceMode, ReplaceOrder, RequestWithdrawal,
    RetryKey, RevokeKey, RevokeLogin, RotateMasterKey, SetAccountLimits, SetAccountRisk,
    SetFeeSchedule, SetInstrumentRules, SetKillSwitch, SetPhase, SetWithdrawalApprovals,
    SettleReceivable, StateHash, UpdateAccount, UpdateInstrument, UpdateLogin, Withdraw,
};
pub use decimal::{DecimalText, Increment, format_decimal, parse_decimal};
pub use describe::{Describe, Described};
pub use event::{
    AccountCreated, AccountLimitsSet, AccountRiskSet, AccountUpdated, Adjustment, AssetListed,
    AuctionIndicated, AuctionUncrossed, BookReduced, CalendarSet, CancelCause, CommandRejected,
    CommandRepeated, Deposited, Event, ExpireCause, FeeScheduleSet, Fill, FillRevised,
    InstrumentDelisted, InstrumentListed, InstrumentRulesSet, InstrumentUpdated, KeyCreated,
    KeyRevoked, KillSwitchSet, LoginCreated, LoginRevoked, LoginUpdated, LoweringRequest,
    MasterKeyRotated, NumberedRefusal, Numbering, NumberingDayBegun, NumbersAnswered,
    OrderAccepted, OrderAmended, OrderCanceled, OrderDecremented, OrderExpired, OrderListUpdated,
    OrderModified, OrderRefreshed, OrderRepriced, OrderRested, OrderTriggered, PhaseChanged,
    Prevented, ReceivableCreated, ReceivableSettled, SessionClosed, SessionOpened, TradeBusted,
    TradeCorrected, TradeExecuted, TradePrevented, VenueHalted, WithdrawalApprovalsSet,
    WithdrawalApproved, WithdrawalCanceled, WithdrawalCompleted, WithdrawalRequested, Withdrawn,
};
pub use id::{
    AccountId, AssetId, InstrumentId, KeyId, LoginId, OrderId, OrderListId, ReceivableId,
    SessionId, TradeId,
};
pub use instrument::{FeeRates, Instrument, InstrumentSpec, ListingError};
pub use interval::{Interval, TimeZone};
pub use login::{LoginSpec, ResealedLogin, Way, Ways};
pub use market::{Market, Markets, TradingState};
pub use number::{AMOUNT_MAX, Amount, PRICE_MAX, Price, QTY_MAX, Qty};
pub use order::{Order, OrderSize, OrderStatus, OrderType, Side, StpMode, TimeInForce};
pub use phase::{
    BandBreach, Calendar, CircuitBreaker, HALT_LEVELS, HaltLevel, InstrumentRules, PercentPrice,
    Phase, PhaseCause, PriceBands, SESSIONS_MAX, Session,
};
pub use refused::Refused;
pub use reject::RejectReason;
pub use risk::{
    AccountLimits, AccountMode, AccountRisk, FEE_TIERS_MAX, FeeAsset, FeeSchedule, FeeTier,
    Receivable, ReceivableCause,
};
pub use show::{Names, Shown, unknown};
pub use terms::{
    LIST_ORDERS_MAX, OrderList, OrderListChange, OrderListKind, OrderListStatus, OrderTerms, Peg,
    PegReference, Terms,
};
pub use text::{
    AccountName, AssetName, ClOrdId, ExternalRef, KeyName, NumberedName, PackedClOrdId, Sealed,
    Symbol, UserName,
};
pub use wire::{Reader, Wire};
