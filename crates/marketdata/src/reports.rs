//! Reports to logins about their numbered orders: those of each event, and the count of a login's
//! reports on this numbering day.
//!
//! # Invariants
//! - The reports are a pure function of committed events. A report has its number by its position
//!   among those of its login and day, so a restart numbers them alike.

use std::collections::BTreeMap;

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
    /// At every `every`th report, and at the last one.
    marks: Vec<Mark>,
    every: u64,
}

/// The number of a report, and that of its event among those of the account.
pub type Mark = (u64, u64);

/// Marks of a login: when there are more, every second one is dropped.
const MARKS_MAX: usize = 1_024;
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

    /// The marks of a login around one of its reports: the last one at or before it, and the first
    /// one after it, if there is any. `None` if the login has no report yet.
    pub fn around(&self, login: LoginId, number: u64) -> Option<(Mark, Option<Mark>)> {
        let marks = &self.of_logins.get(&login)?.marks;
        let after = marks.partition_point(|(marked, _)| *marked <= number);
        Some((*marks.get(after.checked_sub(1)?)?, marks.get(after).copied()))
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
        Self { count: 0, marks: Vec::new(), every: EVERY }
    }
}

impl OfLogin {
    fn add(&mut self, account_seq: u64) {
        // Unless it is to stay, the last mark moves on to this report.
        if self.count > 0 && !(self.count - 1).is_multiple_of(self.every) {
            self.marks.pop_if(|(marked, _)| *marked == self.count);
        }
        self.count += 1;
        if self.marks.len() == MARKS_MAX {
            let mut at = 0;
            self.marks.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.every *= 2;
        }
        self.marks.push((self.count, account_seq));
    }
}

impl Wire for OfLogin {
    fn write(&self, out: &mut Vec<u8>) {
        (self.count, self.every).write(out);
        self.marks.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (count, every) = r.read()?;
        let marks: Vec<Mark> = r.read()?;
        let is_sound = marks.len() <= MARKS_MAX
            && every >= EVERY
            && marks.first().is_none_or(|first| first.0 == 1)
            && marks.is_sorted_by(|one, next| one.0 < next.0 && one.1 <= next.1)
            && marks.last().is_none_or(|last| last.0 <= count);
        is_sound.then_some(Self { count, marks, every })
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
    fn each_report_is_found_from_a_mark_at_or_before_it() {
        let login = LoginId(3);
        let mut reports = Reports::default();
        for number in 1..=200_000_u64 {
            // Events of others lie between those of the login.
            reports.apply(ReportUpdate::Report { login, day: 1, account_seq: 10 * number });
        }
        assert_eq!(reports.count(login), 200_000);
        for number in [1, 2, 64, 65, 1_000, 65_537, 199_999, 200_000] {
            let ((marked, account_seq), after) = reports.around(login, number).unwrap();
            assert!(marked <= number && number - marked < 512, "{number}: {marked}");
            assert_eq!(account_seq, 10 * marked);
            // The last report has a mark of its own.
            let (next, account_seq) = after.unwrap_or((200_001, 2_000_010));
            assert!(next > number && next - marked <= 512, "{number}: {next}");
            assert_eq!(account_seq, 10 * next);
            assert_eq!(after.is_none(), number == 200_000);
        }
        assert_eq!(reports.around(LoginId(4), 1), None);
        let mut bytes = Vec::new();
        reports.write(&mut bytes);
        assert_eq!(Reader(&bytes).read(), Some(reports.clone()));
        // A report of another day, and a new day.
        reports.apply(ReportUpdate::Report { login, day: 2, account_seq: 1 });
        assert_eq!(reports.count(login), 200_000);
        reports.apply(ReportUpdate::DayBegun(2));
        assert_eq!((reports.day(), reports.count(login)), (2, 0));
    }
}
