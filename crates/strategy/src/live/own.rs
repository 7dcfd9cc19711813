//! Own orders at the venue by their names, and ends that wait for their fills.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use types::OrderId;

use crate::order::Outcome;

/// How long an end waits for the reports of its fills before the venue is asked for them.
const FILLS_LATE: Duration = Duration::from_secs(2);

/// An order from its request to its end.
#[derive(Debug)]
pub(super) struct Own {
    pub(super) instrument: u16,
    pub(super) name: String,
    /// The venue's numbers of the order and of what it was replaced from.
    pub(super) venue_ids: HashSet<u64>,
    pub(super) sent_ns: i64,
    /// When it entered the market.
    pub(super) accepted_ns: Option<i64>,
    /// When its first answer arrived.
    pub(super) answered_ns: Option<i64>,
    pub(super) is_being_replaced: bool,
    /// How often it was replaced, and what it may execute in all since.
    pub(super) replaced: u32,
    pub(super) total_lots: Option<u64>,
    pub(super) ending: Option<Ending>,
}

/// The venue has ended the order, after this quantity was executed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    pub(super) outcome: Outcome,
    pub(super) executed_lots: u64,
    since: Instant,
}

impl Ending {
    pub(super) fn new(outcome: Outcome, executed_lots: u64) -> Self {
        Self { outcome, executed_lots, since: Instant::now() }
    }
}

#[derive(Debug, Default)]
pub(super) struct OwnOrders {
    by_id: HashMap<OrderId, Own>,
    names: HashMap<String, OrderId>,
    /// Trades by instrument and the venue's number.
    seen: HashSet<(u16, u64)>,
}

impl OwnOrders {
    pub(super) fn insert(&mut self, id: OrderId, instrument: u16, name: String, sent_ns: i64) {
        self.names.insert(name.clone(), id);
        let own = Own {
            instrument,
            name,
            venue_ids: HashSet::new(),
            sent_ns,
            accepted_ns: None,
            answered_ns: None,
            is_being_replaced: false,
            replaced: 0,
            total_lots: None,
            ending: None,
        };
        self.by_id.insert(id, own);
    }

    pub(super) fn get(&self, id: OrderId) -> Option<&Own> {
        self.by_id.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: OrderId) -> Option<&mut Own> {
        self.by_id.get_mut(&id)
    }

    pub(super) fn named(&self, name: &str) -> Option<OrderId> {
        self.names.get(name).copied()
    }

    /// The order is asked to go on under another name. Reports may come under both.
    pub(super) fn add_name(&mut self, id: OrderId, name: &str) {
        self.names.insert(name.to_owned(), id);
    }

    pub(super) fn by_venue_id(&self, instrument: u16, venue_id: u64) -> Option<OrderId> {
        let is_it = |own: &Own| own.instrument == instrument && own.venue_ids.contains(&venue_id);
        self.by_id.iter().find(|(_, own)| is_it(own)).map(|(id, _)| *id)
    }

    /// Whether a trade is seen for the first time.
    pub(super) fn is_new(&mut self, instrument: u16, trade: u64) -> bool {
        self.seen.insert((instrument, trade))
    }

    /// All orders that have not ended.
    pub(super) fn ids(&self) -> Vec<OrderId> {
        self.by_id.keys().copied().collect()
    }

    pub(super) fn forget(&mut self, id: OrderId) {
        if self.by_id.remove(&id).is_some() {
            self.names.retain(|_, of| *of != id);
        }
    }

    /// Instruments with an end that has waited for its fills for too long. Each is named again only
    /// after as long a time.
    pub(super) fn overdue(&mut self) -> HashSet<u16> {
        let mut found = HashSet::new();
        for own in self.by_id.values_mut() {
            if let Some(ending) = &mut own.ending
                && ending.since.elapsed() >= FILLS_LATE
            {
                ending.since = Instant::now();
                found.insert(own.instrument);
            }
        }
        found
    }
}
