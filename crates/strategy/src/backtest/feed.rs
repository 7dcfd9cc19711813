//! The record as two streams: in the order in which the market saw it, and in that in which it
//! reached the strategy.
//!
//! Events come in batches, of which a window is kept: what the market has processed and the
//! strategy has not, and as much ahead as the two orders may differ. So memory depends on the rate
//! of the record, never on its length, and the result does not depend on the sizes of batches.

use recorded::Event;

/// How far an event may be out of the order of its file in either clock. One that is later still
/// counts as if it were this late.
pub(crate) const REORDER_NS: i64 = 2_000_000_000;
/// Processed events are dropped when there are this many.
const DROP_MIN: usize = 1 << 13;

/// Gives the events of a run, batch after batch.
pub trait Source {
    /// What goes wrong while events are read.
    type Error;

    /// Appends events, and returns `false` at the end of the record.
    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, Self::Error>;

    /// Before this time, of either clock, no further event comes. A record that goes on while
    /// nothing happens, as a live one does, lets time pass by it.
    fn complete_ns(&self) -> i64 {
        i64::MIN
    }
}

/// The feed's latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeedLatency {
    /// As the two clocks of the record differ.
    #[default]
    Recorded,
    /// In place of the recorded one.
    Constant { ns: i64 },
}

impl<S: Source> Source for &mut S {
    type Error = S::Error;

    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, Self::Error> {
        (**self).read(into)
    }

    fn complete_ns(&self) -> i64 {
        (**self).complete_ns()
    }
}

#[derive(Debug)]
pub(crate) struct Feed<S> {
    source: S,
    latency: FeedLatency,
    events: Vec<Event>,
    market: Cursor,
    local: Cursor,
    /// Highest time read so far, of either clock.
    read_ns: i64,
    /// No event with a time of this or later may be processed yet.
    safe_ns: i64,
    is_at_end: bool,
    /// Events whose times were moved, since they were too late.
    pub(crate) late: u64,
}

/// Positions of events in the order of one clock, and the first that is not processed.
#[derive(Debug, Default)]
struct Cursor {
    order: Vec<u32>,
    at: usize,
}

impl<S: Source> Feed<S> {
    pub(crate) fn new(source: S, latency: FeedLatency) -> Self {
        Self {
            source,
            latency,
            events: Vec::new(),
            market: Cursor::default(),
            local: Cursor::default(),
            read_ns: i64::MIN,
            safe_ns: i64::MIN,
            is_at_end: false,
            late: 0,
        }
    }

    /// The time of the next event of the market, `i64::MAX` at the end.
    #[inline]
    pub(crate) fn market_ns(&self) -> i64 {
        match self.market.order.get(self.market.at) {
            Some(at) => self.events[*at as usize].exchange_ns,
            None => i64::MAX,
        }
    }

    #[inline]
    pub(crate) fn local_ns(&self) -> i64 {
        match self.local.order.get(self.local.at) {
            Some(at) => self.events[*at as usize].local_ns,
            None => i64::MAX,
        }
    }

    #[inline]
    pub(crate) fn next_market(&mut self) -> &Event {
        self.market.at += 1;
        &self.events[self.market.order[self.market.at - 1] as usize]
    }

    #[inline]
    pub(crate) fn next_local(&mut self) -> &Event {
        self.local.at += 1;
        &self.events[self.local.order[self.local.at - 1] as usize]
    }

    /// Times below this are complete.
    #[inline]
    pub(crate) fn safe_ns(&self) -> i64 {
        self.safe_ns
    }

    /// Reads until times up to some later one are complete.
    pub(crate) fn refill(&mut self) -> Result<(), S::Error> {
        self.drop_processed();
        let before = self.safe_ns;
        while !self.is_at_end && self.safe_ns <= before {
            let start = self.events.len();
            self.is_at_end = !self.source.read(&mut self.events)?;
            for at in start..self.events.len() {
                self.settle_times(at);
                self.market.order.push(at as u32);
                self.local.order.push(at as u32);
            }
            let by_events_ns = self.read_ns.saturating_sub(REORDER_NS);
            self.safe_ns = self.safe_ns.max(by_events_ns).max(self.source.complete_ns());
        }
        if self.is_at_end {
            self.safe_ns = i64::MAX;
        }
        let Self { events, market, local, .. } = self;
        market.sort(|at| events[at as usize].exchange_ns);
        local.sort(|at| events[at as usize].local_ns);
        Ok(())
    }

    /// Gives an event the times that it has in the run.
    #[inline]
    fn settle_times(&mut self, at: usize) {
        let event = &mut self.events[at];
        if let FeedLatency::Constant { ns } = self.latency {
            event.local_ns = event.exchange_ns.saturating_add(ns);
        }
        let earliest_ns = self.read_ns.saturating_sub(REORDER_NS);
        if event.local_ns < earliest_ns || event.exchange_ns < earliest_ns {
            self.late += 1;
            event.local_ns = event.local_ns.max(earliest_ns);
            event.exchange_ns = event.exchange_ns.max(earliest_ns);
        }
        // A strategy cannot know what has not happened: the clocks differ.
        event.local_ns = event.local_ns.max(event.exchange_ns);
        self.read_ns = self.read_ns.max(event.exchange_ns);
    }

    fn drop_processed(&mut self) {
        if self.local.at < DROP_MIN || self.local.at * 2 < self.local.order.len() {
            return;
        }
        // The first events are not all processed where the clocks differ in order.
        let rest = |cursor: &Cursor| cursor.order[cursor.at..].iter().copied().min();
        let processed = self.events.len() as u32;
        let first = rest(&self.market).into_iter().chain(rest(&self.local)).min();
        let first = first.unwrap_or(processed);
        self.events.drain(..first as usize);
        for cursor in [&mut self.market, &mut self.local] {
            cursor.order.drain(..cursor.at);
            cursor.at = 0;
            cursor.order.iter_mut().for_each(|at| *at -= first);
        }
    }
}

impl Cursor {
    /// Sorts what is not processed, stable by the order of the file.
    fn sort(&mut self, time: impl Fn(u32) -> i64) {
        let rest = &mut self.order[self.at..];
        if !rest.is_sorted_by_key(|at| time(*at)) {
            rest.sort_by_key(|at| (time(*at), *at));
        }
    }
}

/// Events in memory, some number of times: each pass follows the one before as if the record went
/// on.
#[derive(Debug)]
pub struct Memory<'a> {
    events: &'a [Event],
    at: usize,
    batch: usize,
    passes: u32,
    shift_ns: i64,
    span_ns: i64,
}

/// Events of a batch: two hundred kilobytes stay in the cache until they are processed.
const BATCH: usize = 1 << 12;

impl<'a> Memory<'a> {
    pub fn new(events: &'a [Event]) -> Self {
        Self::repeated(events, 1)
    }

    pub fn repeated(events: &'a [Event], passes: u32) -> Self {
        let times = || events.iter().flat_map(|event| [event.exchange_ns, event.local_ns]);
        let span_ns = match (times().min(), times().max()) {
            (Some(first), Some(last)) => last - first + 1,
            _ => 0,
        };
        Self { events, at: 0, batch: BATCH, passes, shift_ns: 0, span_ns }
    }

    /// With `batch` events at a time. The result of a run does not depend on it.
    pub fn in_batches(events: &'a [Event], batch: usize) -> Self {
        Self { batch: batch.max(1), ..Self::new(events) }
    }
}

impl Source for Memory<'_> {
    type Error = std::convert::Infallible;

    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, Self::Error> {
        let end = self.events.len().min(self.at + self.batch);
        let start = into.len();
        into.extend_from_slice(&self.events[self.at..end]);
        if self.shift_ns != 0 {
            for event in &mut into[start..] {
                event.exchange_ns += self.shift_ns;
                event.local_ns += self.shift_ns;
            }
        }
        self.at = end;
        if self.at == self.events.len() && self.passes > 1 {
            self.passes -= 1;
            self.at = 0;
            self.shift_ns += self.span_ns;
        }
        Ok(self.at < self.events.len())
    }
}

#[cfg(test)]
mod tests;
