//! The reports that a client has missed, from the event spool.

use std::sync::Arc;

use marketdata::Report;
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
    /// Finds the first report. `to` must have been applied.
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
            .ask_views(move |views, spool| (views.reports().place(login, from), spool.reader()));
        let (place, spool): (Option<(u64, u64)>, SpoolReader) =
            found.await.map_err(|_| Unreadable::Failed)?;
        let (next, first_event) = place.ok_or(Unreadable::Gone)?;
        let events = backlog::Backlog { spool, of: EventsOf::Account(of.account) };
        let mut backlog = Self { of, events, page: Vec::new(), next, from, to };
        backlog.read_page(first_event).await?;
        backlog.find_first().await?;
        Ok(Some(backlog))
    }

    /// Reads on to the page with the first report: those before it are kept, and it may not be.
    async fn find_first(&mut self) -> Result<(), Unreadable> {
        loop {
            let count: u64 = self.page.iter().map(|numbered| self.of.count_in(numbered)).sum();
            if self.next + count > self.from {
                return Ok(());
            }
            let last = self.page.last().ok_or(Unreadable::Failed)?.number;
            self.next += count;
            self.read_page(last + 1).await?;
        }
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
        self.read_page(last.number + 1).await?;
        Ok(true)
    }

    async fn read_page(&mut self, first_event: u64) -> Result<(), Unreadable> {
        let page = self.events.page(first_event).await;
        self.page = page.map_err(|error| self.failed(&error))?;
        Ok(())
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
        if let SpoolError::Gone { .. } = error {
            return Unreadable::Gone;
        }
        tracing::warn!(%error, login = %self.of.login, "the reports of a login cannot be read");
        Unreadable::Failed
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
