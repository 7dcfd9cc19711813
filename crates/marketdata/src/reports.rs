//! Reports to logins about their numbered orders: those of each event, and the count of a login's
//! reports on this numbering day.
//!
//! # Invariants
//! - The reports are a pure function of committed events. A report has its number by its position
//!   among those of its login and day, so a restart numbers them alike.

use std::collections::{BTreeMap, VecDeque};

use types::{
    ClOrdId, Event, Fill, FillRevised, LoginId, NumberedName, NumberedRefusal, NumbersAnswered,
    Order, OrderAmended, OrderCanceled, OrderExpired, OrderModified, OrderRefreshed, Prevented,
    Reader, RejectReason, TradeExecuted, Wire,
};

/// What an event says to a login.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    pub login: LoginId,
    /// Modulo [`NumberedName::DAYS`].
    pub day: u32,
    /// The number of its order or command; zero for a report about none.
    pub number: u32,
    pub flags: u8,
    /// The number of the event among those of the login's account.
    pub account_seq: u64,
    pub kind: ReportKind<'a>,
}

#[derive(Clone, Copy, Debug)]
pub enum ReportKind<'a> {
    /// The first session of the login on this day.
    DayBegun,
    Accepted(&'a Order),
    Executed(&'a TradeExecuted, &'a Fill),
    Canceled(&'a OrderCanceled),
    Expired(&'a OrderExpired),
    /// A lower quantity, in the same place.
    Amended(&'a OrderAmended),
    /// Another price or more quantity.
    Modified(&'a OrderModified),
    /// Prevention of a trade with oneself took quantity off an order that stays open.
    Decremented(&'a Order, &'a Prevented),
    /// A pegged order followed the book.
    Repriced(&'a Order),
    /// An iceberg shows its next part.
    Refreshed(&'a OrderRefreshed),
    /// A trade of the order is busted or corrected.
    Revised(&'a FillRevised),
    /// The order stands as it is: its quantity was not lowered.
    CancelRejected,
    Rejected(RejectReason, &'a NumberedRefusal),
    /// The next number, as asked.
    NextNumber(u64),
    /// The mass cancel of this number is carried out.
    MassCanceled(&'a NumbersAnswered),
}

impl<'a> Report<'a> {
    /// Calls `each` with the reports of an event, in their order.
    #[inline]
    pub fn each_of(event: &'a Event, mut each: impl FnMut(Self)) {
        let mut about = |name: &ClOrdId, account_seq, kind| {
            if let Some((NumberedName { login, day, number, flags }, _)) = name.numbered() {
                each(Self { login, day, number, flags, account_seq, kind });
            }
        };
        match event {
            Event::OrderAccepted(e) => {
                about(&e.order.cl_ord_id, e.account_seq, ReportKind::Accepted(&e.order));
            }
            Event::TradeExecuted(e) => {
                for fill in [&e.maker, &e.taker] {
                    let kind = ReportKind::Executed(e, fill);
                    about(&fill.order.cl_ord_id, fill.account_seq, kind);
                }
            }
            Event::OrderCanceled(e) => {
                about(&e.order.cl_ord_id, e.account_seq, ReportKind::Canceled(e));
            }
            Event::OrderExpired(e) => {
                about(&e.order.cl_ord_id, e.account_seq, ReportKind::Expired(e));
            }
            Event::OrderAmended(e) => {
                about(&e.order.cl_ord_id, e.account_seq, ReportKind::Amended(e));
            }
            Event::OrderModified(e) => {
                about(&e.order.cl_ord_id, e.account_seq, ReportKind::Modified(e));
            }
            Event::OrderDecremented(e) => {
                let kind = ReportKind::Decremented(&e.order, &e.prevented);
                about(&e.order.cl_ord_id, e.account_seq, kind);
            }
            Event::OrderRepriced(e) => {
                about(&e.order.cl_ord_id, e.account_seq, ReportKind::Repriced(&e.order));
            }
            Event::OrderRefreshed(e) => {
                about(&e.cl_ord_id, e.account_seq, ReportKind::Refreshed(e));
            }
            Event::FillRevised(e) => about(&e.cl_ord_id, e.account_seq, ReportKind::Revised(e)),
            Event::CommandRejected(e) => {
                if let Some(numbered) = &e.numbered {
                    let rejected = ReportKind::Rejected(e.reason, numbered);
                    let kind = if e.in_cancel { ReportKind::CancelRejected } else { rejected };
                    about(&numbered.cl_ord_id, numbered.account_seq, kind);
                }
            }
            Event::SessionOpened(e) => {
                if let Some(numbering) = e.numbering.filter(|numbering| numbering.is_first) {
                    let day = numbering.day % NumberedName::DAYS;
                    let (login, account_seq) = (numbering.login, e.account_seq);
                    let kind = ReportKind::DayBegun;
                    each(Self { login, day, number: 0, flags: 0, account_seq, kind });
                }
            }
            Event::NumbersAnswered(e) => {
                let day = e.day % NumberedName::DAYS;
                let kind = if e.number == 0 {
                    ReportKind::NextNumber(e.highest.saturating_add(1))
                } else {
                    ReportKind::MassCanceled(e)
                };
                let (login, account_seq) = (e.login, e.account_seq);
                let number = e.number as u32; // A number of OUCH has 32 bits.
                each(Self { login, day, number, flags: 0, account_seq, kind });
            }
            _ => {}
        }
    }
}

/// The reports of each login on this day.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reports {
    day: u32,
    of_logins: BTreeMap<LoginId, OfLogin>,
}

impl Default for Reports {
    fn default() -> Self {
        Self { day: 1, of_logins: BTreeMap::new() }
    }
}

/// The part of an event that the counts need.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReportUpdate {
    DayBegun(u32),
    Report { login: LoginId, day: u32, account_seq: u64 },
}

/// The reports of one login.
#[derive(Clone, Debug, Eq, PartialEq)]
struct OfLogin {
    count: u64,
    /// At every `every`th report.
    marks: Vec<Mark>,
    every: u64,
    /// The events of the last reports, for a login that has few of them beside much else: the spool
    /// may have these, and not the mark before them.
    recent: VecDeque<u64>,
}

/// The number of a report, and that of its event among those of the account.
type Mark = (u64, u64);

/// Marks of a login and its last reports, as snapshots have them.
const MARKS_MAX: usize = 1_024;
const RECENT_MAX: usize = 64;
/// When there are more marks, every second one is dropped.
const THINNED_FROM: usize = MARKS_MAX - RECENT_MAX;
/// Reports between two marks, at first.
const EVERY: u64 = 64;

impl Reports {
    /// The numbering day.
    pub fn day(&self) -> u32 {
        self.day
    }

    /// The reports that a login has had on this day.
    pub fn count(&self, login: LoginId) -> u64 {
        self.of_logins.get(&login).map_or(0, |of| of.count)
    }

    /// The logins that have had reports on this day.
    pub fn counts(&self) -> impl Iterator<Item = (LoginId, u64)> {
        self.of_logins.iter().map(|(login, of)| (*login, of.count))
    }

    /// From where to read a login's reports to come upon one of them: the number of a report at or
    /// before it, and of that one's event among those of the account. `None` if there is none yet.
    pub fn place(&self, login: LoginId, number: u64) -> Option<(u64, u64)> {
        self.of_logins.get(&login)?.place(number)
    }

    pub(crate) fn apply(&mut self, update: ReportUpdate) {
        match update {
            ReportUpdate::DayBegun(day) => *self = Self { day, of_logins: BTreeMap::new() },
            ReportUpdate::Report { login, day, account_seq } => {
                if day == self.day % NumberedName::DAYS {
                    self.of_logins.entry(login).or_default().add(account_seq);
                }
            }
        }
    }
}

impl ReportUpdate {
    #[inline]
    pub(crate) fn each_of(event: &Event, mut each: impl FnMut(Self)) {
        if let Event::NumberingDayBegun(begun) = event {
            return each(Self::DayBegun(begun.day));
        }
        Report::each_of(event, |report| {
            let Report { login, day, account_seq, .. } = report;
            each(Self::Report { login, day, account_seq });
        });
    }
}

impl Default for OfLogin {
    fn default() -> Self {
        Self { count: 0, marks: Vec::new(), every: EVERY, recent: VecDeque::new() }
    }
}

impl OfLogin {
    fn add(&mut self, account_seq: u64) {
        self.count += 1;
        if self.recent.len() == RECENT_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back(account_seq);
        if !self.is_marked(self.count) {
            return;
        }
        self.thin(THINNED_FROM - 1);
        if self.is_marked(self.count) {
            self.marks.push((self.count, account_seq));
        }
    }

    /// Drops every second mark until there are no more than `len`.
    fn thin(&mut self, len: usize) {
        while self.marks.len() > len {
            self.every *= 2;
            let every = self.every;
            self.marks.retain(|(number, _)| (number - 1).is_multiple_of(every));
        }
    }

    fn is_marked(&self, number: u64) -> bool {
        (number - 1).is_multiple_of(self.every)
    }

    fn place(&self, number: u64) -> Option<Mark> {
        let before_recent = self.count - self.recent.len() as u64;
        if number > before_recent && !self.recent.is_empty() {
            let number = number.min(self.count);
            let account_seq = self.recent[(number - before_recent - 1) as usize];
            return Some((number, account_seq));
        }
        let after = self.marks.partition_point(|(marked, _)| *marked <= number);
        self.marks.get(after.checked_sub(1)?).copied()
    }
}

/// The marks and the last reports are one list.
impl Wire for OfLogin {
    fn write(&self, out: &mut Vec<u8>) {
        (self.count, self.every).write(out);
        let before_recent = self.count - self.recent.len() as u64;
        let marks = self.marks.iter().copied().filter(|(number, _)| *number <= before_recent);
        marks
            .chain((before_recent + 1..).zip(self.recent.iter().copied()))
            .collect::<Vec<_>>()
            .write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (count, every): (u64, u64) = r.read()?;
        let list: Vec<Mark> = r.read()?;
        let is_sound = list.len() <= MARKS_MAX
            && every >= EVERY
            && list.first().is_none_or(|first| first.0 == 1)
            && list.is_sorted_by(|one, next| one.0 < next.0 && one.1 <= next.1)
            && list.last().is_none_or(|last| last.0 <= count);
        if !is_sound {
            return None;
        }
        let newest_first = list.iter().rev().zip((1..=count).rev()).take(RECENT_MAX);
        let recent = newest_first.map_while(|(mark, number)| (mark.0 == number).then_some(mark.1));
        let mut recent: VecDeque<u64> = recent.collect();
        recent.make_contiguous().reverse();
        let before_recent = count - recent.len() as u64;
        let mut of = Self { count, marks: list, every, recent };
        of.marks
            .retain(|(number, _)| *number <= before_recent || (number - 1).is_multiple_of(every));
        // Earlier builds have more marks, and no last reports beside them.
        of.thin(THINNED_FROM);
        Some(of)
    }
}

impl Wire for Reports {
    fn write(&self, out: &mut Vec<u8>) {
        self.day.write(out);
        (self.of_logins.len() as u32).write(out);
        for (login, of) in &self.of_logins {
            login.write(out);
            of.write(out);
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (day, count): (u32, u32) = r.read()?;
        let mut of_logins = BTreeMap::new();
        for _ in 0..count {
            let (login, of) = (r.read()?, r.read()?);
            if of_logins.last_key_value().is_some_and(|(last, _)| *last >= login) {
                return None;
            }
            of_logins.insert(login, of);
        }
        Some(Self { day, of_logins })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_has_marks_and_last_reports_at_any_count() {
        let login = LoginId(3);
        let mut reports = Reports::default();
        for number in 1..=130_000_u64 {
            reports.apply(ReportUpdate::Report { login, day: 1, account_seq: 2 * number });
            if number < 200 || number.is_multiple_of(6_143) {
                let mut bytes = Vec::new();
                reports.write(&mut bytes);
                assert_eq!(Reader(&bytes).read(), Some(reports.clone()), "{number}");
                for wanted in [1, number / 2 + 1, number] {
                    let (found, account_seq) = reports.place(login, wanted).unwrap();
                    assert!(found <= wanted && account_seq == 2 * found, "{wanted} of {number}");
                }
            }
        }
    }

    #[test]
    fn a_snapshot_of_an_earlier_build_with_all_its_marks_is_read_and_written() {
        let marks: Vec<Mark> = (0..1_024).map(|at| (128 * at + 1, 1_280 * at + 10)).collect();
        let (login, count, every) = (LoginId(3), 131_000_u64, 128_u64);
        let mut bytes = Vec::new();
        (1_u32, 1_u32).write(&mut bytes);
        login.write(&mut bytes);
        (count, every).write(&mut bytes);
        marks.write(&mut bytes);
        let mut reports: Reports = Reader(&bytes).read().unwrap();
        for number in count + 1..count + 200 {
            let account_seq = 10 * number;
            reports.apply(ReportUpdate::Report { login, day: 1, account_seq });
            bytes.clear();
            reports.write(&mut bytes);
            assert_eq!(Reader(&bytes).read(), Some(reports.clone()), "{number}");
            let (marked, account_seq) = reports.place(login, 70_000).unwrap();
            assert!(marked <= 70_000 && marked > 70_000 - 512 && account_seq == 10 * marked);
        }
    }

    #[test]
    fn each_report_is_found_from_a_mark_at_or_before_it() {
        let login = LoginId(3);
        let mut reports = Reports::default();
        for number in 1..=200_000_u64 {
            // Events of others lie between those of the login.
            reports.apply(ReportUpdate::Report { login, day: 1, account_seq: 10 * number });
        }
        assert_eq!(reports.count(login), 200_000);
        for number in [1, 2, 64, 65, 1_000, 65_537, 199_999, 200_000] {
            let (marked, account_seq) = reports.place(login, number).unwrap();
            assert!(marked <= number && number - marked < 512, "{number}: {marked}");
            assert_eq!(account_seq, 10 * marked);
        }
        // The last ones are found by themselves.
        for number in 200_001 - RECENT_MAX as u64..=200_000 {
            assert_eq!(reports.place(login, number), Some((number, 10 * number)));
        }
        assert_eq!(reports.place(LoginId(4), 1), None);
        let mut bytes = Vec::new();
        reports.write(&mut bytes);
        assert_eq!(Reader(&bytes).read(), Some(reports.clone()));
        // As snapshots of earlier builds have it, without the last ones.
        let mut older = reports.clone();
        older.of_logins.get_mut(&login).unwrap().recent.clear();
        bytes.clear();
        older.write(&mut bytes);
        assert_eq!(Reader(&bytes).read(), Some(older.clone()));
        let (marked, _) = older.place(login, 200_000).unwrap();
        assert!(marked < 200_000 && marked > 200_000 - 512);
        // A report of another day, and a new day.
        reports.apply(ReportUpdate::Report { login, day: 2, account_seq: 1 });
        assert_eq!(reports.count(login), 200_000);
        reports.apply(ReportUpdate::DayBegun(2));
        assert_eq!((reports.day(), reports.count(login)), (2, 0));
    }
}
