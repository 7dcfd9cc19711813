//! What the reporter and the sessions share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use types::{LoginId, Market, NumberedName, Order, SessionId};

use crate::ouch::book::Book;
use crate::ouch::link::Link;
use crate::ouch::scale::Scales;

#[derive(Debug)]
pub(crate) struct Hub {
    books: RwLock<HashMap<LoginId, Arc<Book>>>,
    /// Sessions on their way to the engine.
    opening: Mutex<HashMap<SessionId, Arc<Link>>>,
    scales: RwLock<Arc<Scales>>,
    day: RwLock<u32>,
}

impl Hub {
    /// A hub that stands where the views stand.
    pub(crate) fn new(
        markets: &[Market],
        logins: &[LoginId],
        reports: &marketdata::Reports,
    ) -> Self {
        let mut scales = Scales::default();
        for market in markets {
            scales.list(&market.instrument);
            scales.set_closes(market.instrument.id, market.trading.until_ns.is_some());
        }
        let books = logins.iter().map(|login| {
            let book = Book::new(*login);
            book.lock().count = reports.count(*login);
            (*login, Arc::new(book))
        });
        Self {
            books: RwLock::new(books.collect()),
            opening: Mutex::default(),
            scales: RwLock::new(Arc::new(scales)),
            day: RwLock::new(reports.day()),
        }
    }

    /// Adds an order that is open when the venue starts.
    pub(crate) fn restore(&self, name: NumberedName, order: &Order) {
        if name.day == self.day() % NumberedName::DAYS
            && let Some(book) = self.book(name.login)
        {
            book.lock().restore(name.number, order);
        }
    }

    pub(super) fn book(&self, login: LoginId) -> Option<Arc<Book>> {
        self.books.read().unwrap_or_else(PoisonError::into_inner).get(&login).cloned()
    }

    pub(super) fn books(&self) -> Vec<Arc<Book>> {
        self.books.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    pub(super) fn add(&self, login: LoginId) {
        let mut books = self.books.write().unwrap_or_else(PoisonError::into_inner);
        books.insert(login, Arc::new(Book::new(login)));
    }

    /// Registers a session before the engine opens it.
    pub(super) fn opening(&self, link: &Arc<Link>) {
        let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        opening.insert(link.session, Arc::clone(link));
    }

    /// The link of a session that the engine has opened, or has refused.
    pub(super) fn opened(&self, session: SessionId) -> Option<Arc<Link>> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner).remove(&session)
    }

    pub(super) fn scales(&self) -> Arc<Scales> {
        Arc::clone(&self.scales.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set_scales(&self, scales: Scales) {
        *self.scales.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(scales);
    }

    pub(super) fn day(&self) -> u32 {
        *self.day.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_day(&self, day: u32) {
        *self.day.write().unwrap_or_else(PoisonError::into_inner) = day;
    }
}
