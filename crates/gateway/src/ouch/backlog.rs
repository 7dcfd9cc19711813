//! The reports that a client has missed, from the event spool.

use std::sync::Arc;

use marketdata::Report;
use spool::{NumberedEvent, SpoolReader};
use types::{AccountId, LoginId, NumberedName};

use crate::door::shared::Door;
use crate::feed::backlog;
use crate::feed::backlog::EventsOf;
use crate::ouch::report::{Moment, put_report};
use crate::ouch::scale::Scales;

/// Reads a login's reports from one number to another, page by page.
#[derive(Debug)]
pub(super) struct Backlog {
    login: LoginId,
    day: u32,
    events: backlog::Backlog,
    /// The number of the next event among those of the account.
    next_event: u64,
    /// The number of the next report that is read.
    next: u64,
    /// The first and the last report that are wanted.
    from: u64,
    to: u64,
}

/// The reports are not in the spool any more, or cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Unreadable;

impl Backlog {
    /// Finds where the reports begin. `to` must have been applied.
    pub(super) async fn open(
        door: &Door,
        (login, account): (LoginId, AccountId),
        day: u32,
        (from, to): (u64, u64),
    ) -> Result<Option<Self>, Unreadable> {
        if from > to {
            return Ok(None);
        }
        let found = door
            .ask_views(move |views, spool| (views.reports().place(login, from), spool.reader()));
        let (place, spool): (Option<(u64, u64)>, SpoolReader) =
            found.await.map_err(|_| Unreadable)?;
        let (next, next_event) = place.ok_or(Unreadable)?;
        let events = backlog::Backlog { spool, of: EventsOf::Account(account) };
        let day = day % NumberedName::DAYS;
        Ok(Some(Self { login, day, events, next_event, next, from, to }))
    }

    /// Appends the packets of the next page; `false` when all are there.
    pub(super) async fn page(
        &mut self,
        scales: &Arc<Scales>,
        out: &mut Vec<u8>,
    ) -> Result<bool, Unreadable> {
        if self.next > self.to {
            return Ok(false);
        }
        let page = self.events.page(self.next_event).await.map_err(|error| {
            tracing::warn!(%error, login = %self.login, "the reports of a login cannot be read");
            Unreadable
        })?;
        let Some(last) = page.last() else { return Err(Unreadable) };
        self.next_event = last.number + 1;
        page.iter().for_each(|event| self.put(event, scales, out));
        Ok(self.next <= self.to)
    }

    fn put(&mut self, numbered: &NumberedEvent, scales: &Scales, out: &mut Vec<u8>) {
        let moment = Moment { sequenced_ns: numbered.sequenced_ns, scales };
        Report::each_of(&numbered.event, |report| {
            let is_own = (report.login, report.day, report.account_seq)
                == (self.login, self.day, numbered.number);
            if !is_own {
                return;
            }
            if (self.from..=self.to).contains(&self.next) {
                put_report(&report, &moment, out);
            }
            self.next += 1;
        });
    }
}
