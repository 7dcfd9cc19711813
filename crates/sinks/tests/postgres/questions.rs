//! Questions of all kinds, drawn from a seed, about what may be there.

use projection::{
    AggFilter, AggTrades, AllOrderLists, AllOrders, Amendments, AnyOrder, AuditTrail, ExpireCauses,
    HistoricalTrades, Klines, ListFilter, MyTrades, OneOrder, OneOrderList, OneTrade, OrderFilter,
    OrdersInAll, PreventedFilter, PreventedMatches, Question, Times, TradeFilter, TradesInAll,
    TransferFilter, Transfers, WindowSince,
};
use spool::Applied;
use types::{
    AssetId, Event, ExternalRef, Interval, KeyId, OrderId, OrderListId, OrderRef, TimeZone,
    TradeId, WithdrawalStatus,
};

use crate::chance::Chance;
use crate::commands::{ACCOUNTS, INSTRUMENTS, earlier};

pub(crate) const KINDS: u64 = 18;

/// The events that questions are about.
pub(crate) struct Asker<'a> {
    pub(crate) applied: &'a [Applied],
    pub(crate) chance: Chance,
}

impl Asker<'_> {
    /// At an event, or close to one.
    fn time(&mut self) -> u64 {
        let at = self.chance.below(self.applied.len() as u64) as usize;
        let ns = self.applied[at].sequenced_ns;
        match self.chance.below(6) {
            0 => ns - 1,
            1 => ns + 1,
            2 => self.chance.of(&[0, 1, u64::MAX]),
            _ => ns,
        }
    }

    fn times(&mut self) -> Times {
        let (start_ns, end_ns) = (self.one_time(), self.one_time());
        Times { start_ns, end_ns }
    }

    fn one_time(&mut self) -> Option<u64> {
        self.chance.one_in(2).then(|| self.time())
    }

    fn limit(&mut self) -> usize {
        self.chance.of(&[1, 2, 5, 30, 1_000])
    }

    fn order_id(&mut self) -> OrderId {
        OrderId(self.chance.below(self.applied.len() as u64))
    }

    /// Of an order that was amended.
    fn amended(&mut self) -> Option<OrderId> {
        let amended = |event: &Event| match event {
            Event::OrderAmended(e) => Some(e.order.order_id),
            Event::OrderModified(e) => Some(e.order.order_id),
            _ => None,
        };
        let events = self.applied.iter().flat_map(|applied| &applied.events);
        let ids: Vec<OrderId> = events.filter_map(amended).collect();
        self.chance.one_in(2).then(|| self.chance.of(&ids))
    }

    fn trade_id(&mut self) -> TradeId {
        TradeId(self.chance.below(self.applied.len() as u64 / 3 + 2))
    }

    pub(crate) fn question(&mut self, kind: u64) -> Question {
        let account = self.chance.of(&ACCOUNTS);
        let instrument = self.chance.of(&INSTRUMENTS);
        let (times, limit) = (self.times(), self.limit());
        match kind {
            0 => {
                let interval = self.chance.of(Interval::ALL);
                let last_ns = self.applied.last().unwrap().sequenced_ns;
                let now_ns = last_ns + self.chance.below(10_000_000_000_000);
                let bounded = |ns: Option<u64>| ns.filter(|ns| (2..=now_ns).contains(ns));
                let times =
                    Times { start_ns: bounded(times.start_ns), end_ns: bounded(times.end_ns) };
                let zone = TimeZone::from_minutes(self.chance.of(&[0, 0, 480, -217, 345])).unwrap();
                Klines { instrument, interval, zone, times, limit, now_ns }.into()
            }
            1 => WindowSince { instrument, from_ns: self.time().min(u64::MAX / 4) }.into(),
            2 => {
                let from_id = self.chance.one_in(3).then(|| self.order_id());
                AllOrders { account, instrument, filter: OrderFilter { from_id, times, limit } }
                    .into()
            }
            3 => OrdersInAll { account, times, limit }.into(),
            4 => {
                let number = self.chance.below(self.applied.len() as u64);
                let named = earlier(&mut self.chance, number);
                let order_id = self.order_id();
                let order = match self.chance.below(4) {
                    0 => OrderRef::by_id(order_id),
                    1 => OrderRef { order_id: Some(order_id), cl_ord_id: Some(named) },
                    _ => OrderRef::by_cl_ord_id(named),
                };
                OneOrder { account, instrument, order }.into()
            }
            5 => {
                let count = self.chance.below(40);
                let orders = (0..count).map(|_| (instrument, self.order_id())).collect();
                ExpireCauses { orders }.into()
            }
            6 => {
                let order_id = self.amended().unwrap_or_else(|| self.order_id());
                let from_seq = self.chance.below(50);
                Amendments { account, instrument, order_id, from_seq, limit }.into()
            }
            7 => {
                let order_list = self.chance.maybe(|chance| OrderListId(chance.below(40)));
                let number = self.chance.below(self.applied.len() as u64);
                let cl_ord_id = self.chance.maybe(|chance| earlier(chance, number));
                let instrument = self.chance.maybe(|_| instrument);
                OneOrderList { account, instrument, order_list, cl_ord_id }.into()
            }
            8 => {
                let instrument = self.chance.maybe(|_| instrument);
                let from_id = self.chance.maybe(|chance| OrderListId(chance.below(40)));
                let filter = ListFilter { instrument, from_id, times, limit };
                AllOrderLists { account, filter }.into()
            }
            9 => {
                let from_id = self.chance.below(30);
                let filter = if self.chance.one_in(2) {
                    PreventedFilter::One(from_id)
                } else {
                    PreventedFilter::OfOrder { order_id: self.order_id(), from_id, limit }
                };
                PreventedMatches { account, instrument, filter }.into()
            }
            10 => {
                let order_id = self.chance.one_in(3).then(|| self.order_id());
                let from_id = self.chance.one_in(3).then(|| self.trade_id());
                let filter = TradeFilter { order_id, from_id, times, limit };
                MyTrades { account, instrument, filter }.into()
            }
            11 => TradesInAll { account, times, limit }.into(),
            12 => {
                let from_id = self.chance.one_in(2).then(|| self.trade_id());
                HistoricalTrades { instrument, from_id, limit }.into()
            }
            13 => {
                let from_id = self.chance.one_in(2).then(|| self.trade_id());
                AggTrades { instrument, filter: AggFilter { from_id, times, limit } }.into()
            }
            14 => self.transfers(),
            15 => OneTrade { instrument, trade_id: self.trade_id() }.into(),
            16 => AnyOrder { instrument, order_id: self.order_id() }.into(),
            17 => {
                let last = self.applied.len() as u64;
                AuditTrail {
                    from: self.chance.maybe(|chance| chance.below(last)),
                    until: self.chance.maybe(|chance| chance.below(last)),
                    times,
                    key: self.chance.maybe(|chance| KeyId(chance.below(2) as u32)),
                    command: self
                        .chance
                        .maybe(|chance| chance.of(&["Deposit", "BustTrade", "None"]).to_owned()),
                    limit,
                }
                .into()
            }
            _ => unreachable!("there are {KINDS} kinds"),
        }
    }

    fn transfers(&mut self) -> Question {
        let last = self.applied.len() as u64;
        let statuses = [WithdrawalStatus::Completed, WithdrawalStatus::Requested];
        let filter = TransferFilter {
            is_deposit: self.chance.one_in(2),
            asset: self.chance.maybe(|chance| AssetId(chance.below(3) as u16)),
            external_ref: self
                .chance
                .one_in(5)
                .then(|| ExternalRef::parse(&format!("ref-{}", self.chance.0 % last)).unwrap()),
            status: self.chance.maybe(|chance| chance.of(&statuses)),
            ids: self
                .chance
                .one_in(4)
                .then(|| self.applied.iter().map(|applied| applied.sequence).step_by(2).collect()),
            times: self.times(),
            offset: self.chance.below(3) as usize,
            limit: self.limit(),
        };
        Transfers { account: self.chance.of(&ACCOUNTS), filter }.into()
    }
}
