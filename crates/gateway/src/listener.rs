//! The gateway's listener on the publisher's thread.

use std::sync::Arc;
use std::time::Instant;

use marketdata::{BookUpdate, Views};
use spool::Applied;
use types::Event;
use venue::Listener;

use crate::binance::hub::Hub;
use crate::binance::positions::ask_positions;
use crate::binance::shared::Known;

/// It owns the hub: no other thread has it.
pub(crate) struct GatewayListener {
    known: Arc<Known>,
    hub: Hub,
}

impl GatewayListener {
    pub(crate) fn new(known: Arc<Known>) -> Self {
        let hub = Hub::new(known.directory.read().markets());
        Self { known, hub }
    }
}

impl Listener for GatewayListener {
    fn event(&mut self, applied: &Applied, event: &Event, update: Option<&BookUpdate>) {
        let Self { known, hub } = self;
        known.directory.apply(event);
        if let Event::InstrumentListed(listed) = event
            && let Some(market) = known.directory.read().market_of(listed.instrument.id)
        {
            hub.list(market);
        }
        {
            let (mut users, directory) = known.users_and_directory();
            users.event(&directory, applied, event);
        }
        if let Some(update) = update {
            hub.event(applied, event, update);
        }
    }

    fn batch_done(&mut self, views: &Views) -> Option<Instant> {
        let deadline = self.hub.batch_done(views, Instant::now());
        let asked = self.known.users().batch_done();
        if let Some(asked) = asked {
            ask_positions(&self.known, asked);
        }
        deadline
    }

    fn due(&mut self, views: &Views, now: Instant) -> Option<Instant> {
        for change in self.known.hub_inbox.take() {
            self.hub.change(&change, views);
        }
        self.hub.flush(views, now)
    }
}
