//! The counts of readers: messages, gaps, and the age of what they received.

use std::collections::VecDeque;
use std::time::Instant;

use super::super::flow::ProbeOrder;
use super::super::spec::Reading;
use super::super::wire::{find, number_after};

/// Probes that not all readers have seen; above that the oldest is given up.
const PROBES_MAX: usize = 1_024;
/// `U`, `u` and `E` stand within this many bytes.
const FRONT: usize = 160;

/// The ids and the time of a message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Update {
    first: u64,
    last: u64,
    event_ms: u64,
}

impl Update {
    fn parse(payload: &[u8]) -> Option<Self> {
        let front = &payload[..payload.len().min(FRONT)];
        Some(Self {
            first: number_after(front, br#""U":"#)?,
            last: number_after(front, br#""u":"#)?,
            event_ms: number_after(front, br#""E":"#)?,
        })
    }
}

pub(super) struct Count {
    readers: usize,
    pub(super) measured_since: Option<Instant>,
    /// The last update that any reader has.
    newest: u64,
    probes: VecDeque<Probe>,
    pub(super) reading: Reading,
}

/// An order that was sent, until all readers have seen its level.
struct Probe {
    level: String,
    sent: Instant,
    /// The last update id of the message that shows it.
    update: Option<u64>,
    unseen: usize,
}

impl Count {
    pub(super) fn new(readers: usize) -> Self {
        let (probes, reading) = (VecDeque::new(), Reading::default());
        Self { readers, measured_since: None, newest: 0, probes, reading }
    }

    /// Counts a message of a reader whose last update was `before`, and returns its new last one.
    pub(super) fn add(&mut self, before: u64, payload: &[u8], now: Instant, now_ns: u64) -> u64 {
        let Some(update) = Update::parse(payload) else {
            self.fail("a message that is no depth update".into());
            return before;
        };
        if before != 0 && update.first != before + 1 {
            self.reading.gaps += 1;
        }
        if update.last > self.newest {
            self.newest = update.last;
            self.find_probes(payload, update.last);
        }
        if self.measured_since.is_some() {
            self.reading.messages += 1;
            self.reading.bytes += payload.len() as u64;
            let since_event_ns = now_ns.saturating_sub(update.event_ms * 1_000_000);
            self.reading.since_event.record(since_event_ns, 1);
        }
        self.see_probes(update, now);
        update.last
    }

    fn find_probes(&mut self, payload: &[u8], update: u64) {
        for probe in self.probes.iter_mut().filter(|probe| probe.update.is_none()) {
            if find(payload, probe.level.as_bytes()).is_some() {
                probe.update = Some(update);
            }
        }
    }

    fn see_probes(&mut self, update: Update, now: Instant) {
        let Self { probes, reading, .. } = self;
        probes.retain_mut(|probe| {
            let shown = probe.update.filter(|id| (update.first..=update.last).contains(id));
            if shown.is_some() {
                let age = now.saturating_duration_since(probe.sent).as_nanos();
                reading.order_to_update.record(u64::try_from(age).unwrap_or(u64::MAX), 1);
                probe.unseen -= 1;
            }
            probe.unseen > 0
        });
    }

    pub(super) fn expect(&mut self, order: ProbeOrder) {
        if self.probes.len() == PROBES_MAX {
            self.probes.pop_front();
            self.fail("a probe that not all readers saw".into());
        }
        self.reading.probes += 1;
        self.probes.push_back(Probe {
            level: order.level(),
            sent: Instant::now(),
            update: None,
            unseen: self.readers,
        });
    }

    pub(super) fn fail(&mut self, cause: String) {
        *self.reading.errors.entry(cause).or_default() += 1;
    }

    pub(super) fn close(mut self) -> Reading {
        for _ in 0..self.probes.len() {
            self.fail("a probe that not all readers saw".into());
        }
        self.reading
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::*;

    pub(crate) fn update(first: u64, last: u64, levels: &str) -> String {
        format!(
            r#"{{"e":"depthUpdate","E":1700000000000,"s":"BTCUSDT","U":{first},"u":{last},"b":[{levels}],"a":[]}}"#
        )
    }

    /// What is counted of the updates of two readers.
    fn read(readers: [&[(u64, u64)]; 2]) -> Reading {
        let mut count = Count::new(2);
        count.measured_since = Some(Instant::now());
        for updates in readers {
            let mut last = 0;
            for (first, to) in updates {
                last = count.add(last, update(*first, *to, "").as_bytes(), Instant::now(), 0);
            }
        }
        count.close()
    }

    #[test]
    fn an_update_that_is_missing_is_counted() {
        let all: &[_] = &[(5, 7), (8, 8), (9, 20)];
        assert_eq!(read([all, all]).gaps, 0);
        assert_eq!(read([all, &all[1..]]).gaps, 0, "a later reader has missed nothing");
        assert_eq!(read([all, &[all[0], all[2]]]).gaps, 1);
        assert_eq!(read([all, &[all[0], all[0], all[1]]]).gaps, 1, "nor may one come twice");
        assert_eq!(read([all, all]).messages, 6);
    }

    #[test]
    fn a_probe_is_seen_by_each_reader_that_has_its_update() {
        let (sent, order) = (Instant::now(), ProbeOrder { lane: 0, number: 7 });
        let mut count = Count::new(3);
        count.expect(order);
        let arrived = sent + Duration::from_secs(2);
        let shows = update(2, 3, &format!("{}000000\",\"1000.00000000\"]", order.level()));
        let mut add = |last, message: &str| count.add(last, message.as_bytes(), arrived, 0);
        add(0, &update(1, 1, ""));
        add(1, &shows);
        add(1, &shows);
        add(3, &update(4, 4, ""));
        let ages = &count.reading.order_to_update;
        assert_eq!(ages.orders, 2);
        assert!(ages.min_ms() > 1_900.0, "{}", ages.min_ms());
        assert_eq!(count.probes.len(), 1, "the third reader is still without it");
        count.add(1, shows.as_bytes(), arrived, 0);
        assert!(count.close().errors.is_empty());
    }
}
