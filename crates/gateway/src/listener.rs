use std::sync::Arc;
use std::time::Instant;

use marketdata::{BookUpdate, Views};
use types::Event;
use venue::{Applied, Listener};

use crate::binance::positions::ask_positions;
use crate::binance::shared::Known;

/// The gateway's ear on the publisher's thread.
pub(crate) struct GatewayListener(pub(crate) Arc<Known>);

impl Listener for GatewayListener {
    fn event(&mut self, applied: &Applied, event: &Event, update: Option<&BookUpdate>) {
        let known = &self.0;
        known.directory.apply(event);
        if let Event::InstrumentListed(listed) = event
            && let Some(market) = known.directory.read().market_of(listed.instrument.id)
        {
            known.hub().list(market);
        }
        known.users().event(&known.directory.read(), applied, event);
        if let Some(update) = update {
            known.hub().event(applied, event, update);
        }
    }

    fn batch_done(&mut self, views: &Views) -> Option<Instant> {
        let known = &self.0;
        let deadline = known.hub().batch_done(views, Instant::now());
        let asked = known.users().batch_done();
        if let Some(asked) = asked {
            ask_positions(known, asked);
        }
        deadline
    }

    fn due(&mut self, views: &Views, now: Instant) -> Option<Instant> {
        self.0.hub().flush(views, now)
    }
}
