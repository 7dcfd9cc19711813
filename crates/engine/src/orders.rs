//! The orders of all instruments: open ones beside their place in a book, finished ones as long
//! as they are kept, and the ways to find them.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use types::{AccountId, ClOrdId, InstrumentId, Order};

use crate::account::Account;
use crate::book::{NodeId, Nodes};
use crate::slab::{NONE, Slab};

#[derive(Clone, Debug, Default)]
pub(crate) struct Orders {
    pub(crate) nodes: Nodes,
    /// Parallel to `nodes`.
    open: Vec<OpenOrder>,
    pub(crate) finished: Slab<Order>,
    by_cl_ord_id: HashTable<NodeId>,
    /// Its keys differ from process to process, so that no client can craft ids that collide. No
    /// result depends on them: the table is only ever asked for one id.
    hasher: RandomState,
}

/// What matching does not need of an open order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenOrder {
    pub(crate) order: Order,
    /// The account's next and previous open order in the same instrument.
    next: u32,
    prev: u32,
}

/// Where an order lies, as one number for [`crate::OrderIndex`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Place {
    Open(NodeId),
    Finished(u32),
}

const FINISHED: u32 = 1 << 31;

impl Place {
    pub(crate) fn pack(self) -> u32 {
        match self {
            Self::Open(node) => node,
            Self::Finished(at) => at | FINISHED,
        }
    }

    pub(crate) fn unpack(packed: u32) -> Self {
        match packed & FINISHED {
            0 => Self::Open(packed),
            _ => Self::Finished(packed & !FINISHED),
        }
    }
}

impl Orders {
    pub(crate) fn open(&self, node: NodeId) -> &Order {
        &self.open[node as usize].order
    }

    pub(crate) fn open_mut(&mut self, node: NodeId) -> &mut Order {
        &mut self.open[node as usize].order
    }

    /// Makes room for orders whose nodes are there already.
    pub(crate) fn reserve(&mut self, resting: &[(NodeId, Order)]) {
        for (node, order) in resting {
            debug_assert_eq!(*node as usize, self.open.len());
            self.open.push(OpenOrder { order: *order, next: NONE, prev: NONE });
        }
    }

    /// Takes in an order that has just come to rest as `node`.
    pub(crate) fn attach(&mut self, account: &mut Account, node: NodeId, order: &Order) {
        let market = account.market_mut(order.instrument);
        let open = OpenOrder { order: *order, next: NONE, prev: market.tail };
        match self.open.get_mut(node as usize) {
            Some(place) => *place = open,
            None => self.open.push(open), // a new node is the next one
        }
        debug_assert!((node as usize) < self.open.len());
        match market.tail {
            NONE => market.head = node,
            tail => self.open[tail as usize].next = node,
        }
        market.tail = node;
        market.open_orders += 1;
        account.open_orders += 1;
        self.insert_cl_ord_id(node);
    }

    /// Lets go of an order that has left the book.
    pub(crate) fn detach(&mut self, account: &mut Account, node: NodeId) {
        let OpenOrder { order, next, prev } = self.open[node as usize];
        let market = account.market_mut(order.instrument);
        match prev {
            NONE => market.head = next,
            _ => self.open[prev as usize].next = next,
        }
        match next {
            NONE => market.tail = prev,
            _ => self.open[next as usize].prev = prev,
        }
        market.open_orders -= 1;
        account.open_orders -= 1;
        self.remove_cl_ord_id(node);
    }

    /// Gives an open order another name.
    pub(crate) fn rename(&mut self, node: NodeId, cl_ord_id: ClOrdId) {
        self.remove_cl_ord_id(node);
        self.open_mut(node).cl_ord_id = cl_ord_id;
        self.insert_cl_ord_id(node);
    }

    pub(crate) fn by_cl_ord_id(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        cl_ord_id: &ClOrdId,
    ) -> Option<NodeId> {
        let hash = self.hash(account, instrument, cl_ord_id);
        let same = |node: &NodeId| {
            let order = self.open(*node);
            order.account == account
                && order.instrument == instrument
                && order.cl_ord_id == *cl_ord_id
        };
        self.by_cl_ord_id.find(hash, same).copied()
    }

    /// An account's open orders in one instrument, oldest first.
    pub(crate) fn of_account(
        &self,
        account: &Account,
        instrument: InstrumentId,
    ) -> impl Iterator<Item = NodeId> {
        let linked = |node: NodeId| (node != NONE).then_some(node);
        let head = linked(account.market(instrument).head);
        std::iter::successors(head, move |node| linked(self.open[*node as usize].next))
    }

    fn insert_cl_ord_id(&mut self, node: NodeId) {
        let Self { open, hasher, by_cl_ord_id, .. } = self;
        let hash_of = |node: &NodeId| {
            let order = &open[*node as usize].order;
            hash(hasher, order.account, order.instrument, &order.cl_ord_id)
        };
        by_cl_ord_id.insert_unique(hash_of(&node), node, hash_of);
    }

    fn remove_cl_ord_id(&mut self, node: NodeId) {
        let order = self.open(node);
        let hash = self.hash(order.account, order.instrument, &order.cl_ord_id);
        self.by_cl_ord_id
            .find_entry(hash, |other| *other == node)
            .expect("every open order has its name in the table")
            .remove();
    }

    fn hash(&self, account: AccountId, instrument: InstrumentId, cl_ord_id: &ClOrdId) -> u64 {
        hash(&self.hasher, account, instrument, cl_ord_id)
    }
}

fn hash(
    hasher: &RandomState,
    account: AccountId,
    instrument: InstrumentId,
    cl_ord_id: &ClOrdId,
) -> u64 {
    hasher.hash_one((account.0, instrument.0, cl_ord_id.as_bytes()))
}
