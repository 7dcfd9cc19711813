//! The numbers that every kind of event carries, for resends and indexes.

use std::ops::Range;

use super::{CommandRejected, Event, TradeBusted, TradeCorrected, TradeExecuted};
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
            | Self::OrderRefreshed(_)
            | Self::FillRevised(_)
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
            | Self::LoginCreated(_)
            | Self::LoginUpdated(_)
            | Self::LoginRevoked(_)
            | Self::AccountRiskSet(_)
            | Self::AccountLimitsSet(_)
            | Self::KillSwitchSet(_)
            | Self::VenueHalted(_)
            | Self::VenueResumed(())
            | Self::CircuitBreakerSet(_)
            | Self::SessionOpened(_)
            | Self::SessionClosed(_)
            | Self::MasterKeyRotated(_)
            | Self::WithdrawalApproved(_)
            | Self::WithdrawalApprovalsSet(_)
            | Self::NumberingDayBegun(_)
            | Self::NumbersAnswered(_)
            | Self::CommandRejected(_)
            | Self::CommandRepeated(_) => return None,
        })
    }

    /// The event's accounts, and its numbers among the events of each, in ascending order. An
    /// account that trades with itself is there for both sides. A bust or a correction has a number
    /// for each message about it.
    pub fn account_seqs(&self) -> impl Iterator<Item = (AccountId, u64)> {
        let numbers = self.account_numbers().into_iter().flatten();
        numbers.flat_map(|(account, numbers)| numbers.map(move |number| (account, number)))
    }

    fn account_numbers(&self) -> [Option<(AccountId, Range<u64>)>; 2] {
        let (account, number) = match self {
            Self::OrderAccepted(e) => (e.order.account, e.account_seq),
            Self::OrderCanceled(e) => (e.order.account, e.account_seq),
            Self::OrderExpired(e) => (e.order.account, e.account_seq),
            Self::OrderAmended(e) => (e.order.account, e.account_seq),
            Self::OrderTriggered(e) => (e.order.account, e.account_seq),
            Self::OrderModified(e) => (e.order.account, e.account_seq),
            Self::OrderRepriced(e) => (e.order.account, e.account_seq),
            Self::OrderDecremented(e) => (e.order.account, e.account_seq),
            Self::OrderRefreshed(e) => (e.account, e.account_seq),
            Self::FillRevised(e) => (e.account, e.account_seq),
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
            Self::LoginCreated(e) => (e.spec.account, e.account_seq),
            Self::LoginUpdated(e) => (e.spec.account, e.account_seq),
            Self::LoginRevoked(e) => (e.account, e.account_seq),
            Self::AccountRiskSet(e) => (e.account, e.account_seq),
            Self::AccountLimitsSet(e) => (e.account, e.account_seq),
            Self::KillSwitchSet(e) => (e.set.account, e.account_seq),
            Self::SessionOpened(e) => (e.account, e.account_seq),
            Self::SessionClosed(e) => (e.account, e.account_seq),
            Self::NumbersAnswered(e) => (e.account, e.account_seq),
            Self::CommandRejected(CommandRejected {
                account, numbered: Some(numbered), ..
            }) => (*account, numbered.account_seq),
            Self::TradeExecuted(_)
            | Self::TradeBusted(_)
            | Self::TradeCorrected(_)
            | Self::ReceivableSettled(_) => return self.numbers_of_both(),
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
            | Self::WithdrawalApproved(_)
            | Self::WithdrawalApprovalsSet(_)
            | Self::NumberingDayBegun(_)
            | Self::CommandRejected(_)
            | Self::CommandRepeated(_) => return [None, None],
        };
        [Some((account, single(number))), None]
    }

    /// Of an event between two accounts.
    fn numbers_of_both(&self) -> [Option<(AccountId, Range<u64>)>; 2] {
        match self {
            Self::TradeExecuted(TradeExecuted { maker, taker, .. }) => both(
                (maker.order.account, single(maker.account_seq)),
                (taker.order.account, single(taker.account_seq)),
            ),
            Self::TradeBusted(TradeBusted { buyer, seller, .. })
            | Self::TradeCorrected(TradeCorrected { buyer, seller, .. }) => {
                both((buyer.account, buyer.numbers()), (seller.account, seller.numbers()))
            }
            Self::ReceivableSettled(e) => both(
                (e.receivable.debtor, single(e.debtor_seq)),
                (e.receivable.creditor, single(e.creditor_seq)),
            ),
            _ => [None, None],
        }
    }
}

fn single(number: u64) -> Range<u64> {
    number..number.saturating_add(1)
}

type Numbers = (AccountId, Range<u64>);

fn both(one: Numbers, other: Numbers) -> [Option<Numbers>; 2] {
    if one.1.start <= other.1.start { [Some(one), Some(other)] } else { [Some(other), Some(one)] }
}
