//! What a page of events changes, gathered before it is written: an order that comes and goes
//! within a page is one row, and so is a candle.

mod orders;

use std::collections::BTreeMap;

use marketdata::PublicTrade;
use spool::Applied;
use types::{
    AccountId, Adjustment, Amount, Asset, AssetId, Candle, ClOrdId, Event, ExternalRef, Fill,
    Instrument, InstrumentId, InstrumentListed, InstrumentUpdated, Interval, Order, OrderAmended,
    OrderId, OrderList, OrderListId, OrderModified, Price, Qty, ReceivableSettled, Side, TimeZone,
    TradeBusted, TradeCorrected, TradeExecuted, TradeId, TradePrevented, WithdrawalApproved,
    WithdrawalStatus,
};

pub use self::orders::{ChangedOrder, Orders};
use crate::audit::{Audited, Effect};
use crate::give_way::give_way;
use crate::page::Page;
use crate::progress::Progress;

/// The intervals that are kept; all others are put together of them.
pub const LEVELS: [Interval; 4] =
    [Interval::Day1, Interval::Hour1, Interval::Minute1, Interval::Second1];

/// Commands and trades from which on a transaction takes no further page. An order that comes and
/// goes within one is written once, and a page of the file that many rows share, too.
const TRANSACTION: usize = 10_000;

macro_rules! fields {
    ($event:ident) => {
        ($event.account, $event.account_seq, $event.asset, $event.amount, $event.external_ref)
    };
}

/// What becomes of a page, by subject, for a database to write.
#[derive(Debug, Default)]
pub struct Changes {
    /// It is of the commands after this one.
    pub after: u64,
    /// How many it is of.
    pub commands: usize,
    /// Of the last command.
    pub sequence: u64,
    pub sequenced_ns: u64,
    /// Where the last command began.
    pub command: u64,
    pub instruments: BTreeMap<InstrumentId, Instrument>,
    pub assets: BTreeMap<AssetId, Asset>,
    pub orders: Orders,
    pub amendments: Vec<Amendment>,
    pub trades: Vec<Trade>,
    /// Of seconds, by their beginnings.
    pub seconds: BTreeMap<(InstrumentId, u64), Candle>,
    pub prevented: Vec<TradePrevented>,
    pub order_lists: BTreeMap<(InstrumentId, OrderListId), OrderList>,
    pub busts: Vec<(u64, TradeBusted)>,
    pub corrections: Vec<(u64, TradeCorrected)>,
    pub balance_changes: Vec<BalanceChange>,
    pub transfers: Vec<Transfer>,
    pub approvals: Vec<Approval>,
    /// Operators' commands, by sequence.
    pub audited: BTreeMap<u64, Audited>,
    /// What was done later of commands that began on an earlier page, by their sequence.
    pub effects: BTreeMap<u64, Effect>,
}

/// An order that was given another quantity, price or name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Amendment {
    pub instrument: InstrumentId,
    pub order_id: OrderId,
    pub account: AccountId,
    /// The event's number among those of its account.
    pub account_seq: u64,
    pub orig_cl_ord_id: ClOrdId,
    pub cl_ord_id: ClOrdId,
    pub orig_order_qty: Qty,
    pub order_qty: Qty,
    pub orig_price: Price,
    pub price: Price,
    /// What self-trade prevention had taken off both quantities.
    pub prevented_qty: Qty,
    pub amended_ns: u64,
}

/// What is kept of a trade; the event has both orders besides, and is six times as large.
#[derive(Clone, Copy, Debug)]
pub struct Trade {
    pub instrument: InstrumentId,
    pub sequence: u64,
    /// Where the command began.
    pub command: u64,
    pub trade: PublicTrade,
    pub side: Side,
    pub maker: Part,
    pub taker: Part,
}

/// What one side has in a trade.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub account: AccountId,
    pub order_id: OrderId,
    pub fee: Amount,
    pub fee_asset: AssetId,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ChangeKind {
    Deposit,
    Withdrawal,
    TradeBust,
    TradeCorrection,
    Receivable,
}

#[derive(Clone, Copy, Debug)]
pub struct BalanceChange {
    pub account: AccountId,
    pub account_seq: u64,
    pub kind: ChangeKind,
    pub sequence: u64,
    pub changed_ns: u64,
    pub asset: Option<(AssetId, Amount)>,
    pub external_ref: Option<ExternalRef>,
    pub trade: Option<(InstrumentId, TradeId)>,
    /// Base and quote.
    pub adjusted: Option<(Amount, Amount)>,
}

/// A deposit or a withdrawal in the state of its last event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Transfer {
    pub account: AccountId,
    pub account_seq: u64,
    pub is_deposit: bool,
    pub asset: AssetId,
    pub amount: Amount,
    pub external_ref: ExternalRef,
    pub status: WithdrawalStatus,
    /// Of the command that began it.
    pub sequence: u64,
    pub requested_ns: u64,
    /// Zero while it is open.
    pub ended_ns: u64,
}

/// An operator's approval of a withdrawal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Approval {
    pub approved: WithdrawalApproved,
    pub sequence: u64,
    pub approved_ns: u64,
}

impl Page for Changes {
    fn after(progress: Progress) -> Self {
        let Progress { sequence, sequenced_ns, command, .. } = progress;
        Self { after: sequence, sequence, sequenced_ns, command, ..Self::default() }
    }

    fn apply(&mut self, applied: &Applied) {
        give_way(self.commands);
        debug_assert!(applied.sequence > self.sequence);
        if !applied.continues {
            self.command = applied.sequence;
        }
        self.commands += 1;
        self.sequence = applied.sequence;
        self.sequenced_ns = applied.sequenced_ns;
        for event in &applied.events {
            self.apply_event(event, applied);
        }
        self.audit(applied);
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }

    fn is_empty(&self) -> bool {
        self.commands == 0
    }

    fn is_full(&self) -> bool {
        self.commands + self.trades.len() >= TRANSACTION
    }
}

impl Changes {
    /// Of all kept intervals, by their places in [`LEVELS`] and their beginnings.
    pub fn candles(&self) -> BTreeMap<(InstrumentId, usize, u64), Candle> {
        let mut candles: BTreeMap<_, Candle> = BTreeMap::new();
        for ((instrument, second_ns), second) in &self.seconds {
            for (level, interval) in LEVELS.into_iter().enumerate() {
                let open_ns = interval.open_ns(TimeZone::UTC, *second_ns);
                candles
                    .entry((*instrument, level, open_ns))
                    .and_modify(|candle| candle.add(second))
                    .or_insert(Candle { open_ns, ..*second });
            }
        }
        candles
    }

    fn audit(&mut self, applied: &Applied) {
        if let Some(operated) = &applied.operated {
            self.audited.insert(applied.sequence, Audited::new(operated, applied));
        } else if applied.continues {
            match self.audited.get_mut(&self.command) {
                Some(audited) => audited.effect.add_events(&applied.events),
                None => {
                    let effect = self.effects.entry(self.command).or_default();
                    effect.add_events(&applied.events);
                }
            }
        }
    }

    fn apply_event(&mut self, event: &Event, applied: &Applied) {
        match event {
            Event::OrderAccepted(e) => self.orders.put(&e.order, None),
            Event::OrderCanceled(e) => self.orders.put(&e.order, None),
            Event::OrderExpired(e) => self.orders.put(&e.order, Some(e.cause)),
            Event::OrderTriggered(e) => self.orders.put(&e.order, None),
            Event::OrderRepriced(e) => self.orders.put(&e.order, None),
            Event::OrderDecremented(e) => self.orders.put(&e.order, None),
            Event::OrderAmended(e) => self.amended(e),
            Event::OrderModified(e) => self.modified(e),
            Event::TradeExecuted(e) => self.trade(e, applied.sequence),
            Event::TradePrevented(e) => self.prevented.push(*e),
            Event::OrderListUpdated(e) => {
                self.order_lists.insert((e.list.instrument, e.list.order_list), e.list);
            }
            Event::TradeBusted(e) => self.bust(e, applied),
            Event::TradeCorrected(e) => self.correction(e, applied),
            Event::Deposited(_)
            | Event::Withdrawn(_)
            | Event::WithdrawalRequested(_)
            | Event::WithdrawalCompleted(_)
            | Event::WithdrawalCanceled(_) => self.transfer(event, applied),
            Event::WithdrawalApproved(e) => self.approvals.push(Approval {
                approved: *e,
                sequence: applied.sequence,
                approved_ns: applied.sequenced_ns,
            }),
            Event::ReceivableSettled(e) => self.settled(e, applied),
            Event::AssetListed(e) => drop(self.assets.insert(e.id, e.asset)),
            Event::InstrumentListed(InstrumentListed { instrument, .. })
            | Event::InstrumentUpdated(InstrumentUpdated { instrument, .. }) => {
                self.instruments.insert(instrument.id, *instrument);
            }
            // What is shown now, and what keys may do, the engine answers.
            Event::OrderRested(_)
            | Event::BookReduced(_)
            | Event::OrderRefreshed(_)
            | Event::FillRevised(_)
            | Event::ReceivableCreated(_)
            | Event::AccountCreated(_)
            | Event::AccountUpdated(_)
            | Event::KeyCreated(_)
            | Event::KeyRevoked(_)
            | Event::LoginCreated(_)
            | Event::LoginUpdated(_)
            | Event::LoginRevoked(_)
            | Event::InstrumentRulesSet(_)
            | Event::PhaseChanged(_)
            | Event::InstrumentDelisted(_)
            | Event::FeeScheduleSet(_)
            | Event::AccountRiskSet(_)
            | Event::AccountLimitsSet(_)
            | Event::KillSwitchSet(_)
            | Event::VenueHalted(_)
            | Event::VenueResumed(())
            | Event::CircuitBreakerSet(_)
            | Event::CalendarSet(_)
            | Event::AuctionIndicated(_)
            | Event::AuctionUncrossed(_)
            | Event::SessionOpened(_)
            | Event::SessionClosed(_)
            | Event::NumberingDayBegun(_)
            | Event::NumbersAnswered(_)
            | Event::MasterKeyRotated(_)
            | Event::WithdrawalApprovalsSet(_)
            | Event::CommandRejected(_)
            | Event::CommandRepeated(_) => {}
        }
    }

    fn amended(&mut self, amended: &OrderAmended) {
        let OrderAmended { order, orig_cl_ord_id, orig_order_qty, .. } = amended;
        self.amendment(order, amended.account_seq, (*orig_cl_ord_id, *orig_order_qty, order.price));
    }

    fn modified(&mut self, modified: &OrderModified) {
        let OrderModified { order, orig_cl_ord_id, orig_order_qty, orig_price, .. } = modified;
        let was = (*orig_cl_ord_id, *orig_order_qty, *orig_price);
        self.amendment(order, modified.account_seq, was);
    }

    fn amendment(&mut self, order: &Order, account_seq: u64, was: (ClOrdId, Qty, Price)) {
        let (orig_cl_ord_id, orig_order_qty, orig_price) = was;
        self.amendments.push(Amendment {
            instrument: order.instrument,
            order_id: order.order_id,
            account: order.account,
            account_seq,
            orig_cl_ord_id,
            cl_ord_id: order.cl_ord_id,
            orig_order_qty,
            order_qty: order.order_qty,
            orig_price,
            price: order.price,
            prevented_qty: order.terms.map_or(Qty::ZERO, |terms| terms.prevented_qty),
            amended_ns: order.updated_ns,
        });
        self.orders.put(order, None);
    }

    fn trade(&mut self, executed: &TradeExecuted, sequence: u64) {
        let TradeExecuted { instrument, side, maker, taker, .. } = executed;
        self.orders.put(&maker.order, None);
        self.orders.put(&taker.order, None);
        let trade = PublicTrade::of(executed);
        self.trades.push(Trade {
            instrument: *instrument,
            sequence,
            command: self.command,
            trade,
            side: *side,
            maker: Part::of(maker),
            taker: Part::of(taker),
        });
        let open_ns = Interval::Second1.open_ns(TimeZone::UTC, trade.traded_ns);
        let one = trade.candle(open_ns);
        let second = self.seconds.entry((*instrument, open_ns));
        second.and_modify(|candle| candle.add(&one)).or_insert(one);
    }

    fn bust(&mut self, busted: &TradeBusted, applied: &Applied) {
        self.busts.push((applied.sequenced_ns, *busted));
        let trade = (busted.instrument, busted.trade_id);
        self.adjustments(ChangeKind::TradeBust, [&busted.buyer, &busted.seller], trade, applied);
    }

    fn correction(&mut self, corrected: &TradeCorrected, applied: &Applied) {
        self.corrections.push((applied.sequenced_ns, *corrected));
        let trade = (corrected.instrument, corrected.trade_id);
        let sides = [&corrected.buyer, &corrected.seller];
        self.adjustments(ChangeKind::TradeCorrection, sides, trade, applied);
    }

    fn adjustments(
        &mut self,
        kind: ChangeKind,
        sides: [&Adjustment; 2],
        trade: (InstrumentId, TradeId),
        applied: &Applied,
    ) {
        self.balance_changes.extend(sides.map(|side| BalanceChange {
            trade: Some(trade),
            adjusted: Some((side.base, side.quote)),
            ..BalanceChange::new(kind, side.account, side.account_seq, applied)
        }));
    }

    fn transfer(&mut self, event: &Event, applied: &Applied) {
        use WithdrawalStatus::{Canceled, Completed, Requested};
        // Their records have the same fields.
        let (is_deposit, status, of) = match event {
            Event::Deposited(e) => (true, Completed, fields!(e)),
            Event::Withdrawn(e) => (false, Completed, fields!(e)),
            Event::WithdrawalRequested(e) => (false, Requested, fields!(e)),
            Event::WithdrawalCompleted(e) => (false, Completed, fields!(e)),
            Event::WithdrawalCanceled(e) => (false, Canceled, fields!(e)),
            _ => return,
        };
        let (account, account_seq, asset, amount, external_ref) = of;
        let now_ns = applied.sequenced_ns;
        self.transfers.push(Transfer {
            account,
            account_seq,
            is_deposit,
            asset,
            amount,
            external_ref,
            status,
            sequence: applied.sequence,
            requested_ns: now_ns,
            ended_ns: if status == Requested { 0 } else { now_ns },
        });
        if status != Completed {
            return; // Nothing came or went.
        }
        let (kind, moved) = if is_deposit {
            (ChangeKind::Deposit, amount)
        } else {
            (ChangeKind::Withdrawal, Amount::ZERO - amount)
        };
        self.payment(kind, account, account_seq, (asset, moved, external_ref), applied);
    }

    fn payment(
        &mut self,
        kind: ChangeKind,
        account: AccountId,
        account_seq: u64,
        (asset, amount, external_ref): (AssetId, Amount, ExternalRef),
        applied: &Applied,
    ) {
        self.balance_changes.push(BalanceChange {
            asset: Some((asset, amount)),
            external_ref: Some(external_ref),
            ..BalanceChange::new(kind, account, account_seq, applied)
        });
    }

    fn settled(&mut self, settled: &ReceivableSettled, applied: &Applied) {
        let receivable = &settled.receivable;
        let sides = [
            (receivable.debtor, settled.debtor_seq, Amount::ZERO - settled.paid),
            (receivable.creditor, settled.creditor_seq, settled.paid),
        ];
        self.balance_changes.extend(sides.map(|(account, account_seq, amount)| BalanceChange {
            asset: Some((receivable.asset, amount)),
            ..BalanceChange::new(ChangeKind::Receivable, account, account_seq, applied)
        }));
    }
}

impl BalanceChange {
    /// A change that names nothing yet.
    fn new(kind: ChangeKind, account: AccountId, account_seq: u64, applied: &Applied) -> Self {
        Self {
            account,
            account_seq,
            kind,
            sequence: applied.sequence,
            changed_ns: applied.sequenced_ns,
            asset: None,
            external_ref: None,
            trade: None,
            adjusted: None,
        }
    }
}

impl Part {
    fn of(fill: &Fill) -> Self {
        let Fill { order, fee, fee_asset, .. } = *fill;
        Self { account: order.account, order_id: order.order_id, fee, fee_asset }
    }
}

impl ChangeKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deposit => "deposit",
            Self::Withdrawal => "withdrawal",
            Self::TradeBust => "trade_bust",
            Self::TradeCorrection => "trade_correction",
            Self::Receivable => "receivable",
        }
    }
}

#[cfg(test)]
mod tests {
    use types::{WithdrawalCanceled, WithdrawalCompleted, WithdrawalRequested};

    use super::*;

    /// What is asked for is the account's still: only what leaves is a change of its balance.
    #[test]
    fn a_withdrawal_changes_a_balance_when_it_leaves() {
        let (account, asset, amount) = (AccountId(1), AssetId(0), Amount::from_minor(5));
        let free = Amount::ZERO;
        let external_ref = ExternalRef::parse("w").unwrap();
        let requested = |account_seq| {
            let requested =
                WithdrawalRequested { account_seq, account, asset, amount, external_ref, free };
            Event::WithdrawalRequested(requested)
        };
        let canceled =
            WithdrawalCanceled { account_seq: 2, account, asset, amount, external_ref, free };
        let completed =
            WithdrawalCompleted { account_seq: 4, account, asset, amount, external_ref, free };
        let events = vec![
            requested(1),
            Event::WithdrawalCanceled(canceled),
            requested(3),
            Event::WithdrawalCompleted(completed),
        ];
        let applied = Applied {
            sequence: 1,
            sequenced_ns: 7,
            account,
            continues: false,
            operated: None,
            events,
        };
        let mut changes = Changes::default();
        changes.apply(&applied);
        let [change] = &changes.balance_changes[..] else {
            panic!("{:?}", changes.balance_changes)
        };
        assert_eq!((change.kind, change.account_seq), (ChangeKind::Withdrawal, 4));
        assert_eq!(change.asset, Some((asset, Amount::from_minor(-5))));
        assert_eq!(change.external_ref, Some(external_ref));
    }
}
