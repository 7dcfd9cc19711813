//! All views of all instruments, and their form in a snapshot.

use types::{Event, InstrumentId, Price, Reader, Wire};

use crate::l2::{BookUpdate, L2Book};
use crate::orders::{OrderIndex, OrderUpdates};
use crate::reports::{ReportUpdate, Reports};
use crate::statistics::Statistics;
use crate::trade::{PublicTrade, RecentTrades};

/// The first bytes of written views. A change of the bytes after them increments it.
const FORMAT_VERSION: u16 = 1;

/// Sequence of an instrument's first event, its listing.
const LISTED: u64 = 1;

/// The views of one instrument.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct InstrumentView {
    pub book: L2Book,
    pub trades: RecentTrades,
    pub statistics: Statistics,
}

impl InstrumentView {
    /// The last trade's price; `None` until the first trade.
    pub fn last_price(&self) -> Option<Price> {
        self.trades.last().map(|trade| trade.price)
    }
}

/// The parts of some events that the views need, in order: small enough for another thread.
#[derive(Clone, Debug, Default)]
pub struct ViewUpdates {
    books: Vec<BookUpdate>,
    trades: Vec<(InstrumentId, PublicTrade)>,
    reports: Vec<ReportUpdate>,
    orders: OrderUpdates,
}

impl ViewUpdates {
    /// One command, with its events.
    pub fn push(&mut self, sequence: u64, sequenced_ns: u64, events: &[Event]) {
        self.orders.push(sequence, sequenced_ns, events);
        events.iter().for_each(|event| self.push_event(event));
    }

    fn push_event(&mut self, event: &Event) {
        self.books.extend(BookUpdate::of(event));
        if let Event::TradeExecuted(trade) = event {
            self.trades.push((trade.instrument, PublicTrade::of(trade)));
        }
        ReportUpdate::each_of(event, |update| self.reports.push(update));
    }

    pub fn len(&self) -> usize {
        self.books.len().max(self.reports.len()).max(self.orders.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn clear(&mut self) {
        self.books.clear();
        self.trades.clear();
        self.reports.clear();
        self.orders.clear();
    }
}

/// The views of all instruments.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Views {
    instruments: Vec<InstrumentView>,
    reports: Reports,
    orders: OrderIndex,
}

impl Views {
    /// A command begins, whose events come one by one to [`Views::apply`].
    pub fn begin_command(&mut self, sequence: u64, sequenced_ns: u64, events: &[Event]) {
        self.orders.command(sequence, sequenced_ns, events);
    }

    /// Returns the event's effect on its instrument's market data, for callers such as
    /// [`DepthAccumulator`](crate::DepthAccumulator).
    pub fn apply(&mut self, event: &Event) -> Option<BookUpdate> {
        ReportUpdate::each_of(event, |update| self.reports.apply(update));
        self.apply_to_market(event)
    }

    /// The views of all instruments alone, for [`Views::apply_to_market`].
    pub fn market(&self) -> Self {
        Self { instruments: self.instruments.clone(), ..Self::default() }
    }

    /// [`Views::apply`] without what is not of an instrument's market data.
    pub fn apply_to_market(&mut self, event: &Event) -> Option<BookUpdate> {
        let update = BookUpdate::of(event)?;
        self.update_book(&update);
        if let Event::TradeExecuted(trade) = event {
            self.add_trade(trade.instrument, &PublicTrade::of(trade));
        }
        Some(update)
    }

    /// [`Views::apply`] for all events of these updates.
    pub fn update(&mut self, updates: &ViewUpdates) {
        updates.books.iter().for_each(|update| self.update_book(update));
        updates.trades.iter().for_each(|(instrument, trade)| self.add_trade(*instrument, trade));
        updates.reports.iter().for_each(|update| self.reports.apply(*update));
        self.orders.update(&updates.orders);
    }

    fn update_book(&mut self, update: &BookUpdate) {
        let index = update.instrument.0 as usize;
        if update.update_id == LISTED {
            let listed = self.instruments.len();
            assert_eq!(index, listed, "instruments are listed in order of their id");
            self.instruments.push(InstrumentView::default());
        }
        self.view(update.instrument).book.apply(update);
    }

    fn add_trade(&mut self, instrument: InstrumentId, trade: &PublicTrade) {
        let view = self.view(instrument);
        view.trades.push(*trade);
        view.statistics.push(trade);
    }

    fn view(&mut self, instrument: InstrumentId) -> &mut InstrumentView {
        let view = self.instruments.get_mut(instrument.0 as usize);
        view.expect("an instrument is listed first")
    }

    /// `None` if no such instrument is listed.
    pub fn instrument(&self, id: InstrumentId) -> Option<&InstrumentView> {
        self.instruments.get(id.0 as usize)
    }

    /// The reports to logins.
    pub fn reports(&self) -> &Reports {
        &self.reports
    }

    /// The messages order by order.
    pub fn orders(&self) -> &OrderIndex {
        &self.orders
    }

    /// In order of their ids, from 0.
    pub fn instruments(&self) -> &[InstrumentView] {
        &self.instruments
    }
}

impl Wire for InstrumentView {
    fn write(&self, out: &mut Vec<u8>) {
        self.book.write(out);
        self.trades.write(out);
        self.statistics.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { book: r.read()?, trades: r.read()?, statistics: r.read()? })
    }
}

impl Wire for Views {
    fn write(&self, out: &mut Vec<u8>) {
        FORMAT_VERSION.write(out);
        self.instruments.write(out);
        self.reports.write(out);
        self.orders.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        if r.read::<u16>()? != FORMAT_VERSION {
            return None;
        }
        Some(Self { instruments: r.read()?, reports: r.read()?, orders: r.read()? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use types::{AccountId, CommandRepeated, Side};

    use super::*;
    use crate::market::{EventSource, Op, op};

    /// The events of two instruments, mixed: the flag of an op selects the second one.
    fn events(ops: Vec<(bool, Op)>) -> Vec<Event> {
        let mut sources = [0, 1].map(|id| EventSource::new(InstrumentId(id)));
        let listed = sources.each_mut().map(EventSource::list);
        let random = ops.into_iter().map(|(second, op)| sources[usize::from(second)].random(op));
        listed.into_iter().chain(random).collect()
    }

    fn views(events: &[Event]) -> Views {
        let mut views = Views::default();
        for (sequence, event) in (1..).zip(events) {
            views.begin_command(sequence, sequence, std::slice::from_ref(event));
            views.apply(event);
        }
        views
    }

    fn bytes(views: &Views) -> Vec<u8> {
        let mut bytes = Vec::new();
        views.write(&mut bytes);
        bytes
    }

    fn written_and_read(views: &Views) -> Views {
        let bytes = bytes(views);
        let mut r = Reader(&bytes);
        let read = Views::read(&mut r).expect("what was written");
        assert!(r.is_empty());
        read
    }

    #[test]
    fn each_instrument_has_its_own_view() {
        let mut sources = [0, 1].map(|id| EventSource::new(InstrumentId(id)));
        let [first, second] = &mut sources;
        let views = views(&[
            first.list(),
            second.list(),
            first.rest(Side::Buy, 1, 60, 10),
            second.rest(Side::Buy, 1, 60, 20),
            second.trade(1, 60),
        ]);
        let [first, second] = views.instruments() else { panic!("two instruments") };
        assert_eq!(views.instrument(InstrumentId(0)), Some(first));
        assert_eq!(views.instrument(InstrumentId(2)), None);
        assert_eq!((first.book.last_update_id(), second.book.last_update_id()), (2, 3));
        assert_eq!((first.last_price(), second.last_price()), (None, Some(Price::from_ticks(20))));
        assert_eq!(second.book.best_bid(), None);
    }

    #[test]
    fn events_without_an_instrument_change_nothing() {
        let repeated = CommandRepeated { account: AccountId(1), first_sequence: 1 };
        let mut views = Views::default();
        assert_eq!(views.apply(&Event::CommandRepeated(repeated)), None);
        assert_eq!(views, Views::default());
    }

    #[test]
    fn only_this_version_is_read() {
        let mut bytes = bytes(&Views::default());
        assert_eq!(Views::read(&mut Reader(&bytes)), Some(Views::default()));
        bytes[0] += 1;
        assert_eq!(Views::read(&mut Reader(&bytes)), None);
        bytes[0] = 0;
        assert_eq!(Views::read(&mut Reader(&bytes)), None);
    }

    #[test]
    fn a_cut_snapshot_is_not_read() {
        let mut source = EventSource::new(InstrumentId(0));
        let views = views(&[
            source.list(),
            source.rest(Side::Buy, 1, 60, 10),
            source.rest(Side::Sell, 2, 60, 11),
            source.trade(1, 5),
        ]);
        let bytes = bytes(&views);
        for cut in 0..bytes.len() {
            assert_eq!(Views::read(&mut Reader(&bytes[..cut])), None, "cut at {cut}");
        }
    }

    proptest! {
        #[test]
        fn updates_give_the_same_views_as_events(
            ops in prop::collection::vec((any::<bool>(), op()), 0..150),
            page in 1_usize..40,
        ) {
            let events = events(ops);
            let (mut handed_on, mut updates) = (Views::default(), ViewUpdates::default());
            let commands: Vec<_> = (1..).zip(&events).collect();
            for page in commands.chunks(page) {
                for (sequence, event) in page {
                    updates.push(*sequence, *sequence, std::slice::from_ref(*event));
                }
                handed_on.update(&updates);
                updates.clear();
            }
            prop_assert_eq!(handed_on, views(&events));
        }

        /// A venue that stops, keeps its views and starts again has the same views as one that
        /// never stopped.
        #[test]
        fn a_restart_changes_no_view(
            ops in prop::collection::vec((any::<bool>(), op()), 0..150),
            stops_at in 0_usize..150,
        ) {
            let events = events(ops);
            let (before, after) = events.split_at(stops_at.min(events.len()));
            let mut never_stopped = views(before);
            let mut restarted = written_and_read(&never_stopped);
            prop_assert_eq!(&restarted, &never_stopped);
            for (sequence, event) in (before.len() as u64 + 1..).zip(after) {
                restarted.begin_command(sequence, sequence, std::slice::from_ref(event));
                never_stopped.begin_command(sequence, sequence, std::slice::from_ref(event));
                prop_assert_eq!(restarted.apply(event), never_stopped.apply(event));
                prop_assert_eq!(&restarted, &never_stopped);
            }
            prop_assert_eq!(bytes(&restarted), bytes(&never_stopped));
        }

        #[test]
        fn arbitrary_bytes_are_read_as_written_or_not_at_all(
            tail in prop::collection::vec(prop_oneof![3 => Just(0), 2 => 0_u8..3, 1 => any::<u8>()], 0..200),
        ) {
            let mut input = bytes(&Views::default())[..2].to_vec();
            input.extend(tail);
            let mut r = Reader(&input);
            if let Some(views) = Views::read(&mut r) {
                prop_assert_eq!(bytes(&views), &input[..input.len() - r.0.len()]);
            }
        }
    }
}
