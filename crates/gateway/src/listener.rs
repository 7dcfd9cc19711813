//! The gateway's listener on the publisher's thread.

use std::sync::Arc;
use std::time::Instant;

use marketdata::{BookUpdate, Views};
use spool::Applied;
use types::Event;
use venue::Listener;

use crate::binance::balances::publish_balances;
use crate::binance::hub::Hub;
use crate::binance::shared::PublisherState;
#[cfg(feature = "grpc")]
use crate::grpc::hub::Hub as GrpcHub;
use crate::operator::hub::OperatorHub;

/// Applies events to the directory, the user streams, operators' events and the hub. It owns the
/// hub: no other thread has it.
pub(crate) struct GatewayListener {
    publisher: Arc<PublisherState>,
    operators: Arc<OperatorHub>,
    hub: Hub,
    #[cfg(feature = "grpc")]
    grpc: Arc<GrpcHub>,
}

impl GatewayListener {
    pub(crate) fn new(
        publisher: Arc<PublisherState>,
        operators: Arc<OperatorHub>,
        #[cfg(feature = "grpc")] grpc: Arc<GrpcHub>,
    ) -> Self {
        let hub = Hub::new(publisher.directory.read().markets());
        Self {
            publisher,
            operators,
            hub,
            #[cfg(feature = "grpc")]
            grpc,
        }
    }

    /// Publishes what is due. Returns when the next is.
    fn flush(&mut self, own: Option<Instant>, views: &Views, now: Instant) -> Option<Instant> {
        #[cfg(feature = "grpc")]
        let own = own.into_iter().chain(self.grpc.flush(views, now)).min();
        #[cfg(not(feature = "grpc"))]
        let _unused = (views, now);
        own
    }
}

impl Listener for GatewayListener {
    fn applied(&mut self, applied: &Arc<Applied>) {
        if applied.events.is_empty() {
            self.operators.applied(applied);
        }
    }

    fn event(&mut self, applied: &Applied, event: &Event, update: Option<&BookUpdate>) {
        let Self { publisher, hub, .. } = self;
        publisher.directory.apply(event);
        if let Event::InstrumentListed(listed) = event
            && let Some(market) = publisher.directory.read().market_of(listed.instrument.id)
        {
            hub.list(market);
        }
        hub.status(applied, event, &publisher.directory);
        // Once a command: the directory then has all its events, and lets in no key that a reader
        // sees revoked.
        if applied.events.last().is_some_and(|last| std::ptr::eq(last, event)) {
            self.operators.applied(applied);
            let (mut user_streams, directory) = publisher.user_streams_and_directory();
            applied.events.iter().for_each(|event| user_streams.event(&directory, applied, event));
        }
        #[cfg(feature = "grpc")]
        self.grpc.event(applied, event, update);
        if let Some(update) = update {
            publisher.queues.apply(update);
            hub.event(applied, event, update);
        }
    }

    fn batch_done(&mut self, views: &Views) -> Option<Instant> {
        let now = Instant::now();
        self.publisher.queues.batch_done(now);
        let deadline = self.hub.batch_done(views, now);
        let query = self.publisher.user_streams().batch_done();
        if let Some(query) = query {
            publish_balances(&self.publisher, query);
        }
        self.flush(deadline, views, now)
    }

    fn due(&mut self, views: &Views, now: Instant) -> Option<Instant> {
        for change in self.publisher.hub_inbox.take() {
            self.hub.change(&change, views);
        }
        if self.publisher.readers.takes_count() {
            let users = self.publisher.user_streams().feed.reader_count();
            self.publisher.readers.set_subscriptions(self.hub.subscription_count(), users);
        }
        let deadline = self.hub.flush(views, now);
        self.flush(deadline, views, now)
    }
}
