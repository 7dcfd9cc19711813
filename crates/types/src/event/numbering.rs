//! The numbers that every kind of event carries, for resends and indexes.

use super::{Event, TradeBusted, TradeCorrected};
use crate::id::{AccountId, InstrumentId};

impl Event {
    /// The event's instrument, and its number among the events of that instrument.
    pub fn instrument_seq(&self) -> Option<(InstrumentId, u64)> {
        Some(match self {
            Self::OrderAccepted(e) => (e.order.instrument, e.instrument_seq),
            Self::OrderRested(e) => (e.instrument, e.instrument_seq),
            Self::TradeExecuted(e) => (e.instrument, e.instrument_seq),
            Self::OrderCanceled(e) => (e.order.instrument, e.instrument_seq),
            Self::OrderExpired(e) => (e.order.instrument, e.instrument_seq),
            Self::OrderAmended(e) => (e.order.instrument, e.instrument_seq),
            Self::OrderTriggered(e) => (e.order.instrument, e.instrument_seq),
            Self::OrderModified(e) => (e.order.instrument, e.instrument_seq),
            Self::BookReduced(e) => (e.instrument, e.instrument_seq),
            Self::TradePrevented(e) => (e.instrument, e.instrument_seq),
            Self::OrderRepriced(e) => (e.order.instrument, e.instrument_seq),
            Self::OrderDecremented(e) => (e.order.instrument, e.instrument_seq),
            Self::TradeBusted(e) => (e.instrument, e.instrument_seq),
            Self::TradeCorrected(e) => (e.instrument, e.instrument_seq),
            Self::InstrumentListed(e) => (e.instrument.id, e.instrument_seq),
            Self::InstrumentUpdated(e) => (e.instrument.id, e.instrument_seq),
            Self::InstrumentRulesSet(e) => (e.instrument, e.instrument_seq),
            Self::PhaseChanged(e) => (e.instrument, e.instrument_seq),
            Self::InstrumentDelisted(e) => (e.instrument, e.instrument_seq),
            Self::FeeScheduleSet(e) => (e.instrument, e.instrument_seq),
            Self::CalendarSet(e) => (e.calendar.instrument, e.instrument_seq),
            Self::AuctionIndicated(e) => (e.instrument, e.instrument_seq),
            Self::AuctionUncrossed(e) => (e.instrument, e.instrument_seq),
            Self::OrderListUpdated(_)
            | Self::Deposited(_)
            | Self::Withdrawn(_)
            | Self::WithdrawalRequested(_)
            | Self::WithdrawalCompleted(_)
            | Self::WithdrawalCanceled(_)
            | Self::ReceivableCreated(_)
            | Self::ReceivableSettled(_)
            | Self::AssetListed(_)
            | Self::AccountCreated(_)
            | Self::AccountUpdated(_)
            | Self::KeyCreated(_)
            | Self::KeyRevoked(_)
            | Self::AccountRiskSet(_)
            | Self::AccountLimitsSet(_)
            | Self::KillSwitchSet(_)
            | Self::VenueHalted(_)
            | Self::VenueResumed(())
            | Self::CircuitBreakerSet(_)
            | Self::SessionOpened(_)
            | Self::SessionClosed(_)
            | Self::MasterKeyRotated(_)
            | Self::CommandRejected(_)
            | Self::CommandRepeated(_) => return None,
        })
    }

    /// The event's accounts, and its number among the events of each. An account that trades with
    /// itself is there twice, with the lower number first.
    pub fn account_seqs(&self) -> [Option<(AccountId, u64)>; 2] {
        let one = match self {
            Self::OrderAccepted(e) => (e.order.account, e.account_seq),
            Self::OrderCanceled(e) => (e.order.account, e.account_seq),
            Self::OrderExpired(e) => (e.order.account, e.account_seq),
            Self::OrderAmended(e) => (e.order.account, e.account_seq),
            Self::OrderTriggered(e) => (e.order.account, e.account_seq),
            Self::OrderModified(e) => (e.order.account, e.account_seq),
            Self::OrderRepriced(e) => (e.order.account, e.account_seq),
            Self::OrderDecremented(e) => (e.order.account, e.account_seq),
            Self::OrderListUpdated(e) => (e.list.account, e.account_seq),
            Self::Deposited(e) => (e.account, e.account_seq),
            Self::Withdrawn(e) => (e.account, e.account_seq),
            Self::WithdrawalRequested(e) => (e.account, e.account_seq),
            Self::WithdrawalCompleted(e) => (e.account, e.account_seq),
            Self::WithdrawalCanceled(e) => (e.account, e.account_seq),
            Self::AccountCreated(e) => (e.account, e.account_seq),
            Self::AccountUpdated(e) => (e.account, e.account_seq),
            Self::KeyCreated(e) => (e.spec.account, e.account_seq),
            Self::KeyRevoked(e) => (e.account, e.account_seq),
            Self::AccountRiskSet(e) => (e.account, e.account_seq),
            Self::AccountLimitsSet(e) => (e.account, e.account_seq),
            Self::KillSwitchSet(e) => (e.set.account, e.account_seq),
            Self::SessionOpened(e) => (e.account, e.account_seq),
            Self::SessionClosed(e) => (e.account, e.account_seq),
            Self::TradeExecuted(e) => {
                let (maker, taker) = (&e.maker, &e.taker);
                return both(
                    (maker.order.account, maker.account_seq),
                    (taker.order.account, taker.account_seq),
                );
            }
            Self::TradeBusted(TradeBusted { buyer, seller, .. })
            | Self::TradeCorrected(TradeCorrected { buyer, seller, .. }) => {
                return both(
                    (buyer.account, buyer.account_seq),
                    (seller.account, seller.account_seq),
                );
            }
            Self::ReceivableSettled(e) => {
                let receivable = &e.receivable;
                return both(
                    (receivable.debtor, e.debtor_seq),
                    (receivable.creditor, e.creditor_seq),
                );
            }
            Self::OrderRested(_)
            | Self::BookReduced(_)
            | Self::TradePrevented(_)
            | Self::ReceivableCreated(_)
            | Self::AssetListed(_)
            | Self::InstrumentListed(_)
            | Self::InstrumentUpdated(_)
            | Self::InstrumentRulesSet(_)
            | Self::PhaseChanged(_)
            | Self::InstrumentDelisted(_)
            | Self::FeeScheduleSet(_)
            | Self::VenueHalted(_)
            | Self::VenueResumed(())
            | Self::CircuitBreakerSet(_)
            | Self::CalendarSet(_)
            | Self::AuctionIndicated(_)
            | Self::AuctionUncrossed(_)
            | Self::MasterKeyRotated(_)
            | Self::CommandRejected(_)
            | Self::CommandRepeated(_) => return [None; 2],
        };
        [Some(one), None]
    }
}

fn both(one: (AccountId, u64), other: (AccountId, u64)) -> [Option<(AccountId, u64)>; 2] {
    if one.1 <= other.1 { [Some(one), Some(other)] } else { [Some(other), Some(one)] }
}
