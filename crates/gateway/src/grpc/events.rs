//! Streams of numbered events: those of an account, and the trades of an instrument. They begin in
//! the event spool and go on live.
//!
//! # Invariants
//! - A stream has each event from the number asked for, once and in order, until it ends.
//! - It ends with the number of the last event: a new call goes on after it.

use std::net::IpAddr;
use std::sync::Arc;
use std::vec;

use futures_util::stream::unfold;
use marketdata::PublicTrade;
use proto::v1;
use protocol::signed::ApiError;
use spool::{NumberedEvent, SpoolError, SpoolReader};
use tonic::Code;
use tonic::codegen::BoxStream;
use types::{AccountId, Event, Market};

use crate::door::in_use::{Held, Streams};
use crate::feed::backlog::{Backlog, EventsOf};
use crate::grpc::call::{Call, KeyedCall};
use crate::grpc::caller::Caller;
use crate::grpc::hub::Subscription;
use crate::grpc::refusal::{Failure, Refused};
use crate::grpc::report;
use crate::grpc::shared::GrpcShared;

/// The events of the caller's account.
pub(super) async fn of_account(
    call: &KeyedCall,
    sent: v1::StreamAccountRequest,
) -> Result<BoxStream<v1::AccountEvent>, Failure> {
    let (shared, account) = (&call.call.shared, call.caller.account);
    let door = &shared.door;
    let held = door.in_use.stream_of_account(account);
    let max = door.settings.user_streams_per_account_max;
    let held = held.ok_or_else(|| ApiError::too_many_user_streams(max))?;
    let last = door.account_seq(account).await?;
    let reader = Reader {
        shared: Arc::clone(shared),
        of: EventsOf::Account(account),
        caller: Some((call.caller.clone(), call.call.peer)),
    };
    let events = EventStream::open(reader, (sent.from_event, last), Place::Account(held)).await?;
    let own = Arc::clone(shared);
    let message = move |event: &NumberedEvent| {
        Some(report::account_event(&own.door.directory(), account, event))
    };
    Ok(events.into_messages(message))
}

/// The trades of an instrument.
pub(super) async fn of_trades(
    call: &Call,
    market: Market,
    sent: v1::StreamTradesRequest,
) -> Result<BoxStream<v1::Trade>, Failure> {
    let shared = &call.shared;
    let place = call.stream_place()?;
    let id = market.instrument.id;
    let last = shared.door.ask_views(move |views, _| {
        views.instrument(id).map_or(0, |view| view.book.last_update_id())
    });
    let last = last.await?;
    let of = EventsOf::Instrument(id);
    let reader = Reader { shared: Arc::clone(shared), of, caller: None };
    let events = EventStream::open(reader, (sent.from_event, last), Place::Address(place)).await?;
    let message = move |event: &NumberedEvent| match &event.event {
        Event::TradeExecuted(trade) => {
            Some(report::trade(&market, &PublicTrade::of(trade), event.number))
        }
        _ => None,
    };
    Ok(events.into_messages(message))
}

struct Reader {
    shared: Arc<GrpcShared>,
    of: EventsOf,
    /// Of a stream that ends with its key or its login.
    caller: Option<(Caller, IpAddr)>,
}

/// What the stream takes up of the limits, given back with it.
enum Place {
    Account(#[expect(dead_code, reason = "held")] Held<AccountId>),
    Address(#[expect(dead_code, reason = "held")] Streams),
}

struct EventStream {
    reader: Reader,
    /// The number of the next event.
    next: u64,
    /// Events of the spool that are not sent yet.
    page: vec::IntoIter<NumberedEvent>,
    /// Where events from before the subscription are read; `None` once all of them are sent.
    backlog: Option<Backlog>,
    /// New events; `None` while there are many older ones. They are held until all older ones are
    /// sent.
    live: Option<Subscription>,
    _place: Place,
}

impl Reader {
    async fn spool(&self) -> Result<SpoolReader, Failure> {
        Ok(self.shared.door.ask_views(|_, spool| spool.reader()).await?)
    }

    /// On the publisher's thread: the subscription gets what it publishes next.
    async fn subscribe(&self, holds: bool) -> Result<Subscription, Failure> {
        let (hub, of) = (Arc::clone(&self.shared.hub), self.of);
        let holder = self.caller.as_ref().map(|(caller, _)| caller.holder.clone());
        let subscribe = move |_: &_, _: &_| hub.subscribe(of, holder, holds);
        Ok(self.shared.door.ask_views(subscribe).await?)
    }

    async fn release(&self, subscription: &Subscription, next: u64) -> Result<(), Failure> {
        let (hub, place) = (Arc::clone(&self.shared.hub), subscription.place());
        let release = move |_: &_, _: &_| Subscription::release(&hub, place, next);
        Ok(self.shared.door.ask_views(release).await?)
    }

    fn is_valid(&self) -> bool {
        let door = &self.shared.door;
        self.caller.as_ref().is_none_or(|(caller, peer)| caller.is_valid(door, *peer))
    }
}

impl EventStream {
    /// From a number on; zero is the next event.
    async fn open(reader: Reader, (from, last): (u64, u64), place: Place) -> Result<Self, Failure> {
        if from > last + 1 {
            return Err(events_ahead(from, last).into());
        }
        let page = Vec::new().into_iter();
        if from == 0 {
            let live = Some(reader.subscribe(false).await?);
            let next = last + 1;
            return Ok(Self { reader, next, page, backlog: None, live, _place: place });
        }
        let backlog = Backlog { spool: reader.spool().await?, of: reader.of };
        let page = read(&backlog, from).await?;
        Ok(Self { reader, next: from, page, backlog: Some(backlog), live: None, _place: place })
    }

    fn into_messages<T: Send + 'static>(
        self,
        message: impl FnMut(&NumberedEvent) -> Option<T> + Send + 'static,
    ) -> BoxStream<T> {
        Box::pin(unfold(Some((self, message)), |state| async {
            let (mut events, mut message) = state?;
            match events.next_message(&mut message).await {
                Ok(next) => Some((Ok(next), Some((events, message)))),
                Err(failure) => Some((Err(failure.into_refused().into_status()), None)),
            }
        }))
    }

    async fn next_message<T>(
        &mut self,
        message: &mut impl FnMut(&NumberedEvent) -> Option<T>,
    ) -> Result<T, Failure> {
        loop {
            if let Some(message) = message(&self.next_event().await?) {
                return Ok(message);
            }
        }
    }

    async fn next_event(&mut self) -> Result<NumberedEvent, Failure> {
        loop {
            if let Some(event) = self.page.next() {
                self.next = event.number + 1;
                return Ok(event);
            }
            if let Some(backlog) = &self.backlog {
                self.page = read(backlog, self.next).await?;
                if self.page.len() == 0 {
                    self.join().await?;
                }
                continue;
            }
            let Some(Subscription { outlet, queue, .. }) = &mut self.live else {
                return Err(Failure::Other(ApiError::unknown().into()));
            };
            tokio::select! {
                biased;
                () = outlet.cut.notified() => return Err(self.ended().into()),
                Some(event) = queue.recv() => {
                    if event.number >= self.next {
                        self.next = event.number + 1;
                        return Ok(event);
                    }
                }
                () = self.reader.shared.door.stopped() => return Err(Refused::stopping().into()),
            }
        }
    }

    /// All that the spool had is sent: first new events are held, and once those between are sent,
    /// the held ones follow.
    async fn join(&mut self) -> Result<(), Failure> {
        match &self.live {
            None => self.live = Some(self.reader.subscribe(true).await?),
            Some(live) => {
                self.reader.release(live, self.next).await?;
                self.backlog = None;
            }
        }
        Ok(())
    }

    fn ended(&self) -> Refused {
        if self.reader.is_valid() {
            Refused::too_slow(Some(self.next - 1))
        } else {
            ApiError::api_key_rejected().into()
        }
    }
}

async fn read(backlog: &Backlog, from: u64) -> Result<vec::IntoIter<NumberedEvent>, Failure> {
    match backlog.page(from).await {
        Ok(page) => Ok(page.into_iter()),
        Err(SpoolError::Gone { .. }) => {
            let message = format!("The events from number {from} on are no longer kept.");
            Err(Refused::new(Code::OutOfRange, "EVENTS_GONE", message).into())
        }
        Err(error) => {
            tracing::error!(%error, "the events of a stream cannot be read");
            Err(Failure::Other(ApiError::unknown().into()))
        }
    }
}

fn events_ahead(from: u64, last: u64) -> Refused {
    let message = format!(
        "The last event has number {last}, and {from} is beyond the next one: the venue may have \
         been restored from a backup."
    );
    Refused::new(Code::OutOfRange, "EVENTS_AHEAD", message)
}
