//! The reports that a client has missed, from the event spool.

use std::sync::Arc;

use marketdata::{Mark, Report};
use spool::{NumberedEvent, SpoolError, SpoolReader};
use types::{AccountId, LoginId, NumberedName};

use crate::door::shared::Door;
use crate::feed::backlog;
use crate::feed::backlog::EventsOf;
use crate::ouch::report::{Moment, put_report};
use crate::ouch::scale::Scales;

/// Reads a login's reports from one number to another, page by page.
#[derive(Debug)]
pub(super) struct Backlog {
    of: OfLogin,
    events: backlog::Backlog,
    /// The events that were read last.
    page: Vec<NumberedEvent>,
    /// The number of the next report that is read.
    next: u64,
    /// The first and the last report that are wanted.
    from: u64,
    to: u64,
}

/// The owner of the reports, and the day of their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfLogin {
    pub(super) login: LoginId,
    pub(super) account: AccountId,
    pub(super) day: u32,
}

/// Why reports cannot be sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Unreadable {
    /// They are not in the spool any more.
    Gone,
    /// They may be readable later.
    Failed,
}

impl Backlog {
    /// Finds where the reports begin. `to` must have been applied.
    pub(super) async fn open(
        door: &Door,
        of: OfLogin,
        (from, to): (u64, u64),
    ) -> Result<Option<Self>, Unreadable> {
        if from > to {
            return Ok(None);
        }
        let login = of.login;
        let found = door
            .ask_views(move |views, spool| (views.reports().around(login, from), spool.reader()));
        let (marks, spool): (Option<(Mark, Option<Mark>)>, SpoolReader) =
            found.await.map_err(|_| Unreadable::Failed)?;
        let ((next, first_event), after) = marks.ok_or(Unreadable::Gone)?;
        let events = backlog::Backlog { spool, of: EventsOf::Account(of.account) };
        let mut backlog = Self { of, events, page: Vec::new(), next, from, to };
        match backlog.events.page(first_event).await {
            Ok(page) => backlog.page = page,
            Err(SpoolError::Gone { first }) => backlog.open_behind(first, after).await?,
            Err(error) => return Err(backlog.failed(&error)),
        }
        Ok(Some(backlog))
    }

    /// The mark before the first report is gone, yet the report may be there: counts back from the
    /// mark after it to the first event that is kept.
    async fn open_behind(&mut self, first: u64, after: Option<Mark>) -> Result<(), Unreadable> {
        let (number, event) = after.ok_or(Unreadable::Gone)?;
        let mut at = first;
        let mut count = 0;
        while at < event {
            let page = self.events.page(at).await.map_err(|error| self.failed(&error))?;
            at = page.last().ok_or(Unreadable::Failed)?.number + 1;
            let before = page.iter().take_while(|numbered| numbered.number < event);
            count += before.map(|numbered| self.of.count_in(numbered)).sum::<u64>();
        }
        self.next = number.checked_sub(count).ok_or(Unreadable::Failed)?;
        if self.next > self.from {
            return Err(Unreadable::Gone);
        }
        self.page = self.events.page(first).await.map_err(|error| self.failed(&error))?;
        Ok(())
    }

    /// Appends the packets of the next page; `false` when all are there.
    pub(super) async fn page(
        &mut self,
        scales: &Arc<Scales>,
        out: &mut Vec<u8>,
    ) -> Result<bool, Unreadable> {
        let page = std::mem::take(&mut self.page);
        let Some(last) = page.last() else { return Err(Unreadable::Failed) };
        page.iter().for_each(|event| self.put(event, scales, out));
        if self.next > self.to {
            return Ok(false);
        }
        let next_event = last.number + 1;
        self.page = self.events.page(next_event).await.map_err(|error| self.failed(&error))?;
        Ok(true)
    }

    fn put(&mut self, numbered: &NumberedEvent, scales: &Scales, out: &mut Vec<u8>) {
        let moment = Moment { sequenced_ns: numbered.sequenced_ns, scales };
        self.of.each_in(numbered, |report| {
            if (self.from..=self.to).contains(&self.next) {
                put_report(report, &moment, out);
            }
            self.next += 1;
        });
    }

    fn failed(&self, error: &SpoolError) -> Unreadable {
        tracing::warn!(%error, login = %self.of.login, "the reports of a login cannot be read");
        match error {
            SpoolError::Gone { .. } => Unreadable::Gone,
            _ => Unreadable::Failed,
        }
    }
}

impl OfLogin {
    /// Calls `each` with the login's reports in an event of its account.
    fn each_in(self, numbered: &NumberedEvent, mut each: impl FnMut(&Report<'_>)) {
        let day = self.day % NumberedName::DAYS;
        Report::each_of(&numbered.event, |report| {
            let of = (report.login, report.day, report.account_seq);
            if of == (self.login, day, numbered.number) {
                each(&report);
            }
        });
    }

    fn count_in(self, numbered: &NumberedEvent) -> u64 {
        let mut count = 0;
        self.each_in(numbered, |_| count += 1);
        count
    }
}
