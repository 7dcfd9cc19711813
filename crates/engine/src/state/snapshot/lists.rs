//! The bytes of lists of orders.

use std::collections::BTreeMap;

use types::{
    AMOUNT_MAX, AccountId, Amount, InstrumentId, OrderList, OrderListId, OrderListKind,
    OrderListStatus, OrderType, Reader, Side, Wire,
};

use crate::state::Engine;
use crate::state::codec::{read_map, write_map};
use crate::state::lists::{OrderLists, may_be_first, may_be_legs};
use crate::state::orders::record::Standing;

/// Lists as the state has them: what else is known of them follows from their orders.
#[derive(Debug, Default)]
pub(super) struct SavedLists {
    markets: BTreeMap<InstrumentId, SavedMarket>,
    done: BTreeMap<AccountId, Vec<OrderList>>,
}

/// The last id of an instrument, its open lists with the amounts that they have received, and those
/// that are to be placed.
type SavedMarket = (u64, (Vec<(OrderList, Amount)>, Vec<OrderListId>));

impl Wire for SavedLists {
    fn write(&self, out: &mut Vec<u8>) {
        write_map(&self.markets, out);
        write_map(&self.done, out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { markets: read_map(r)?, done: read_map(r)? })
    }
}

impl Engine {
    pub(super) fn write_lists(&self, out: &mut Vec<u8>) {
        let used = (0..).map(InstrumentId).zip(&self.markets);
        let used = used.filter(|(_, market)| market.lists.last_id > 0);
        let markets = used.map(|(id, market)| {
            let OrderLists { open, to_place, last_id, .. } = &market.lists;
            let open = open.values().map(|open| (open.list, open.received)).collect();
            (id, (*last_id, (open, to_place.iter().copied().collect())))
        });
        let accounts = (0..).map(AccountId).zip(&self.accounts);
        let done = accounts.filter(|(_, account)| !account.done_lists.is_empty());
        let done = done.map(|(id, account)| (id, account.done_lists.iter().copied().collect()));
        SavedLists { markets: markets.collect(), done: done.collect() }.write(out);
    }

    /// Makes lists of orders that have their nodes.
    pub(super) fn restore_lists(&mut self, saved: SavedLists) -> Option<()> {
        const IDS_MAX: u64 = 1 << 53;
        for (instrument, (last_id, (open, to_place))) in saved.markets {
            self.market(instrument)?;
            let sound = (1..IDS_MAX).contains(&last_id)
                && open.is_sorted_by(|(one, _), (next, _)| one.order_list < next.order_list)
                && open.iter().all(|(list, _)| self.list_is_sound(list, instrument, last_id))
                && open.iter().all(|(_, received)| (Amount::ZERO..=AMOUNT_MAX).contains(received));
            if !sound {
                return None;
            }
            let mut lists = OrderLists { last_id, ..OrderLists::default() };
            for (list, received) in open {
                let orders = list.orders.into_iter().flatten();
                let nodes = orders.filter_map(|order_id| self.find_by_id(instrument, order_id));
                let mut standings = nodes.map(|node| self.orders.standing(node));
                let placed = standings.all(|standing| standing != Standing::List);
                let first = list.orders[0].and_then(|first| self.find_by_id(instrument, first));
                let is_oco = list.kind == OrderListKind::Oco;
                // The others of a list are placed once its first order has filled.
                if (is_oco && !placed) || (!is_oco && placed && first.is_some()) {
                    return None;
                }
                lists.insert(list, placed);
                lists.open.entry(list.order_list).and_modify(|open| open.received = received);
            }
            lists.to_place = to_place.into();
            self.markets[instrument.0 as usize].lists = lists;
            for open in self.markets[instrument.0 as usize].lists.open.clone().into_values() {
                let (_, shared) = self.held_by_both(&open, None).unwrap_or_default();
                let lists = &mut self.markets[instrument.0 as usize].lists;
                lists.open.entry(open.list.order_list).and_modify(|open| open.shared = shared);
            }
        }
        for (account, done) in saved.done {
            let of_account = |list: &OrderList| {
                list.account == account && list.status == OrderListStatus::AllDone
            };
            if done.is_empty() || !done.iter().all(of_account) || self.account(account).is_none() {
                return None;
            }
            self.accounts[account.0 as usize].done_lists = done.into();
        }
        Some(())
    }

    fn list_is_sound(&self, list: &OrderList, instrument: InstrumentId, last_id: u64) -> bool {
        let count = list.kind.order_count();
        list.instrument == instrument
            && (1..=last_id).contains(&list.order_list.0)
            && list.status == OrderListStatus::Executing
            && list.orders[..count].iter().all(Option::is_some)
            && list.orders[count..].iter().all(Option::is_none)
            && list.orders[..count].is_sorted_by(|one, next| one < next)
            && self.open_orders_fit(list)
    }

    /// Whether the orders of a list that are still open can be of a list of its kind.
    fn open_orders_fit(&self, list: &OrderList) -> bool {
        let open = |order_id| {
            let node = self.find_by_id(list.instrument, order_id)?;
            let order = self.orders.order(node);
            Some((order.order_type, order.side))
        };
        let orders = list.orders.map(|order_id| order_id.and_then(open));
        let pays = |later: &[Option<(OrderType, Side)>]| {
            orders[0].is_none_or(|(_, side)| side == Side::Buy)
                && later.iter().flatten().all(|(_, side)| *side == Side::Sell)
        };
        let [first, one, other] = orders;
        let places = first.is_none_or(|(order_type, _)| may_be_first(order_type));
        let are_legs =
            |one, other| Option::zip(one, other).is_none_or(|(one, other)| may_be_legs(one, other));
        match list.kind {
            OrderListKind::Oco => are_legs(first, one),
            OrderListKind::Oto => places,
            OrderListKind::Otoco => places && are_legs(one, other),
            OrderListKind::Opo => places && pays(&orders[1..]),
            OrderListKind::Opoco => places && pays(&orders[1..]) && are_legs(one, other),
        }
    }
}
