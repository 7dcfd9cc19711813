//! The reporter of the OUCH sessions: it encodes reports where commands are applied.

use std::collections::HashMap;
use std::sync::Arc;

use marketdata::Report;
use spool::Applied;
use types::{Event, LoginId, NumberedName, Refused, SessionId};
use venue::{Reply, Reporter};

use crate::ouch::book::Book;
use crate::ouch::hub::Hub;
use crate::ouch::link::{End, Link};
use crate::ouch::report::{Moment, put_end_of_day, put_report};
use crate::ouch::scale::Scales;

pub(crate) struct OuchReporter {
    hub: Arc<Hub>,
    scales: Arc<Scales>,
    day: u32,
    books: HashMap<LoginId, Arc<Book>>,
    links: HashMap<SessionId, Arc<Link>>,
    /// The links with something new for their connections.
    touched: Vec<Arc<Link>>,
}

impl OuchReporter {
    pub(crate) fn new(hub: Arc<Hub>) -> Self {
        let books = hub.books().into_iter().map(|book| (book.login, book)).collect();
        let (scales, day) = (hub.scales(), hub.day());
        let (links, touched) = (HashMap::new(), Vec::new());
        Self { hub, scales, day, books, links, touched }
    }

    fn follow(&mut self, applied: &Applied) {
        for event in &applied.events {
            self.prepare(event, applied.sequenced_ns);
            let moment = Moment { sequenced_ns: applied.sequenced_ns, scales: &self.scales };
            let (books, touched) = (&self.books, &mut self.touched);
            let day = self.day % NumberedName::DAYS;
            Report::each_of(event, |report| {
                if report.day == day
                    && let Some(book) = books.get(&report.login)
                {
                    put(book, &report, &moment, touched);
                }
            });
        }
    }

    /// Follows the sessions, logins, instruments and days that the reports depend on.
    fn prepare(&mut self, event: &Event, sequenced_ns: u64) {
        match event {
            Event::SessionOpened(opened) => {
                if let Some(numbering) = opened.numbering {
                    self.open(numbering.login, opened.session);
                }
            }
            Event::SessionClosed(closed) => {
                if let Some(link) = self.links.remove(&closed.session) {
                    self.end(link, End::Closed);
                }
            }
            Event::NumberingDayBegun(begun) => self.begin_day(begun.day, sequenced_ns),
            Event::LoginCreated(created) => {
                self.hub.add(created.login);
                self.books.extend(self.hub.book(created.login).map(|book| (created.login, book)));
            }
            Event::InstrumentListed(listed) => {
                self.change_scales(|scales| scales.list(&listed.instrument));
            }
            Event::InstrumentUpdated(updated) => {
                self.change_scales(|scales| scales.list(&updated.instrument));
            }
            Event::PhaseChanged(changed) => {
                let closes = changed.until_ns > 0;
                if self.scales.get(changed.instrument).closes != closes {
                    self.change_scales(|scales| scales.set_closes(changed.instrument, closes));
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, login: LoginId, session: SessionId) {
        let (Some(book), Some(link)) = (self.books.get(&login), self.hub.opened(session)) else {
            return;
        };
        let mut state = book.lock();
        let mut of_link = link.lock();
        (of_link.before, of_link.reported) = (state.count, state.count);
        drop(of_link);
        state.link = Some(Arc::clone(&link));
        drop(state);
        self.links.insert(session, link);
    }

    fn end(&mut self, link: Arc<Link>, why: End) {
        link.lock().end(why);
        self.touched.push(link);
    }

    fn begin_day(&mut self, day: u32, sequenced_ns: u64) {
        self.day = day;
        self.hub.set_day(day);
        let books: Vec<_> = self.books.values().cloned().collect();
        for book in books {
            let mut state = book.lock();
            state.begin_day();
            let Some(link) = state.link.take() else { continue };
            drop(state);
            put_end_of_day(sequenced_ns, &mut link.lock().packets);
            self.end(link, End::Day);
        }
    }

    fn change_scales(&mut self, change: impl FnOnce(&mut Scales)) {
        let mut scales = Scales::clone(&self.scales);
        change(&mut scales);
        self.hub.set_scales(scales);
        self.scales = self.hub.scales();
    }
}

/// Counts a report, and puts it into the link of its login, if there is one.
fn put(book: &Book, report: &Report<'_>, moment: &Moment<'_>, touched: &mut Vec<Arc<Link>>) {
    let mut state = book.lock();
    state.follow(report);
    let Some(link) = &state.link else { return };
    let mut of_link = link.lock();
    if of_link.end.is_some() {
        return;
    }
    put_report(report, moment, &mut of_link.packets);
    of_link.reported = state.count;
    of_link.bound();
    drop(of_link);
    if touched.last().is_none_or(|last| last.session != link.session) {
        touched.push(Arc::clone(link));
    }
}

impl Reporter for OuchReporter {
    fn applied(&mut self, reply: &Reply, posted_by: Option<SessionId>) {
        self.follow(&reply.applied);
        reply.continued.iter().for_each(|applied| self.follow(applied));
        if let Some(link) = posted_by.and_then(|session| self.links.get(&session)) {
            link.lock().applied += 1;
            if self.touched.last().is_none_or(|last| last.session != link.session) {
                self.touched.push(Arc::clone(link));
            }
        }
    }

    fn refused(&mut self, posted_by: SessionId, refused: Refused) {
        if let Some(link) = self.links.get(&posted_by).cloned() {
            self.end(link, End::Refused(refused));
        }
    }

    fn batch_done(&mut self) {
        self.touched.drain(..).for_each(|link| link.changed.notify_one());
    }
}
