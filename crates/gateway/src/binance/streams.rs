//! Market data over WebSocket: the subscriptions of one connection.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{Extension, RawPathParams, State};
use axum::http::Uri;
use axum::response::Response;
use protocol::binance::stream::{
    self, MESSAGE_LEN_MAX, Names, STREAMS_MAX, Session as Subscriptions, Stream,
};
use protocol::signed::{ApiError, Params, TimeUnit};
use tokio::time::sleep;
use types::{InstrumentId, Symbol};

use crate::binance::hub::inbox::SubscriptionChange;
use crate::binance::listen_keys::ListenKey;
use crate::binance::shared::BinanceContext;
use crate::binance::stream_client::StreamClient;
use crate::binance::user_data::{self, UserDataSubscription};
use crate::binance::user_streams::{PayloadForm, UserDataReader};
use crate::clock::now_ns;
use crate::door::in_use::Streams;
use crate::socket::connection::ConnectionPermit;
use crate::socket::http::{ErrorReply, Peer};
use crate::socket::socket_answer::SocketAnswer;
use crate::socket::websocket::{self, CloseReason, SocketSession, Upgrade};

/// Attempts, and the pause between them, to subscribe while the venue's queue is full.
const SUBSCRIBE_TRIES: u32 = 100;
const SUBSCRIBE_RETRY: Duration = Duration::from_millis(10);

/// `/ws`, `/ws/<stream>/<stream>`: payloads as they are. `/stream?streams=<stream>/<stream>`: each
/// payload with the name of its stream. A name may be a listen key. One that names no stream is no
/// error: it has no payloads.
pub(crate) async fn open(
    State(shared): State<Arc<BinanceContext>>,
    Extension(permit): Extension<Arc<ConnectionPermit>>,
    Extension(Peer(peer)): Extension<Peer>,
    path: Result<RawPathParams, RawPathParamsRejection>,
    uri: Uri,
    upgrade: Upgrade,
) -> Result<Response, ErrorReply> {
    let path = path.map_err(|_| ApiError::illegal_characters("stream", "UTF-8"))?;
    let mut params = Params::parse(uri.query().unwrap_or_default(), b"")?;
    let unit = time_unit(&mut params)?;
    let combined = uri.path().starts_with("/stream");
    let names = if combined {
        params.text("streams").ok().flatten().unwrap_or_default().into_owned()
    } else {
        path.iter().next().map_or(String::new(), |(_, names)| names.to_owned())
    };
    let upgrade = websocket::check(&shared.door.stopping, upgrade)?;
    let names = names.split('/').filter(|name| !name.is_empty());
    let streams: HashSet<Stream> = names.clone().filter_map(Stream::parse).collect();
    if streams.len() > STREAMS_MAX {
        return Err(ApiError::too_many_parameters(STREAMS_MAX, streams.len()).into());
    }
    let (client, queue) =
        StreamClient::new(shared.settings.ws_queue_max, &shared.publisher.readers, combined, unit);
    let is_listen_key = |name: &&str| shared.listen_key(name).is_some();
    let listen_keys = names.filter(is_listen_key).map(str::to_owned).collect();
    let subscriptions = Subscriptions::new(combined, streams.into_iter().collect(), listen_keys);
    let mut session = StreamSession {
        shared: Arc::clone(&shared),
        in_use: shared.door.in_use.streams_of_address(peer),
        client: Arc::clone(&client),
        subscriptions,
        user_data: HashMap::new(),
    };
    if !session.in_use.resize(session.count()) {
        return Err(ApiError::too_many_streams(session.in_use.limit).into());
    }
    session.follow_listen_keys().await?;
    // Before the upgrade is answered: a snapshot that the client queries afterwards is never older
    // than the stream.
    let begin = session.subscriptions.streams();
    session.change(begin, true).await.map_err(|SubscriptionFailed| ApiError::overloaded())?;
    let context = shared.reader_context(permit);
    websocket::open(context, upgrade, (Arc::clone(&client.outlet), queue), session)
}

pub(crate) fn time_unit(params: &mut Params) -> Result<TimeUnit, ApiError> {
    TimeUnit::parse(params.text("timeUnit")?.as_deref())
}

struct StreamSession {
    shared: Arc<BinanceContext>,
    client: Arc<StreamClient>,
    subscriptions: Subscriptions,
    in_use: Streams,
    /// Keyed by listen key.
    user_data: HashMap<String, UserDataSubscription>,
}

/// The venue did not take the subscription.
struct SubscriptionFailed;

impl SocketSession for StreamSession {
    const MESSAGE_LEN_MAX: usize = MESSAGE_LEN_MAX;

    async fn receive(&mut self, text: &str) -> Result<Option<SocketAnswer>, CloseReason> {
        let before: HashSet<Stream> = self.subscriptions.streams().iter().copied().collect();
        let reply = self.control(text);
        let _shrinks = self.in_use.resize(self.count());
        self.client.combined.store(self.subscriptions.is_combined(), Ordering::Relaxed);
        let after: HashSet<Stream> = self.subscriptions.streams().iter().copied().collect();
        let begin: Vec<Stream> = after.difference(&before).copied().collect();
        let end: Vec<Stream> = before.difference(&after).copied().collect();
        self.change(&begin, true).await.map_err(|SubscriptionFailed| CloseReason::VenueGone)?;
        self.change(&end, false).await.map_err(|SubscriptionFailed| CloseReason::VenueGone)?;
        self.follow_listen_keys().await.map_err(|error| match error.status {
            429 => CloseReason::TooManyStreams,
            _ => CloseReason::VenueGone,
        })?;
        Ok(Some(reply.into()))
    }

    fn server_shutdown(&self) -> String {
        stream::server_shutdown(now_ns(), self.client.unit, self.subscriptions.is_combined())
    }

    /// Unsubscribes. If the venue takes no query, the hub finds the queue closed later.
    fn closed(&mut self) {
        let streams = self.found(self.subscriptions.streams());
        self.put(streams, false);
        let _overloaded = self.shared.door.handle.read_views(|_, _| ());
    }
}

impl StreamSession {
    /// The streams of the connection, listen keys among them.
    fn count(&self) -> usize {
        self.subscriptions.streams().len() + self.subscriptions.listen_keys().len()
    }

    fn control(&mut self, text: &str) -> String {
        let shared = &self.shared;
        let in_use = RefCell::new(&mut self.in_use);
        let names = Names {
            is_symbol: &|symbol: &Symbol| shared.door.market(symbol.as_str()).is_some(),
            is_listen_key: &|name: &str| shared.listen_key(name).is_some(),
            too_many: &|streams| {
                let mut in_use = in_use.borrow_mut();
                (!in_use.resize(streams)).then_some(in_use.limit)
            },
        };
        self.subscriptions.receive(text, &names)
    }

    /// Subscribes to accounts and unsubscribes, as the listen keys among the subscriptions require.
    async fn follow_listen_keys(&mut self) -> Result<(), ApiError> {
        let own = self.subscriptions.listen_keys();
        for (_, ended) in self.user_data.extract_if(|name, _| !own.contains(name)) {
            user_data::unsubscribe(&self.shared, &ended).await?;
        }
        for name in own {
            if self.user_data.contains_key(name) {
                continue;
            }
            let Some((key_name, listen_key)) = self.shared.listen_key(name) else { continue };
            let ListenKey { account, key, .. } = listen_key;
            let form = PayloadForm::ListenKey(key_name);
            let reader = UserDataReader { client: Arc::clone(&self.client), form };
            let begun = user_data::subscribe(&self.shared, account, key, reader, None).await?;
            self.user_data.insert(name.clone(), begun);
        }
        Ok(())
    }

    /// Subscribes or unsubscribes.
    async fn change(&self, streams: &[Stream], on: bool) -> Result<(), SubscriptionFailed> {
        let streams = self.found(streams);
        if streams.is_empty() {
            return Ok(());
        }
        self.put(streams, on);
        for _ in 0..SUBSCRIBE_TRIES {
            match self.shared.door.handle.read_views(|_, _| ()) {
                Ok(done) => return done.await.map_err(|_| SubscriptionFailed),
                Err(_) => sleep(SUBSCRIBE_RETRY).await,
            }
        }
        Err(SubscriptionFailed)
    }

    /// Puts a change into the hub's inbox. The hub takes it after the next query of the views.
    fn put(&self, streams: Vec<(Option<InstrumentId>, Stream)>, begins: bool) {
        let client = Arc::clone(&self.client);
        self.shared.publisher.hub_inbox.put(SubscriptionChange { client, streams, begins });
    }

    fn found(&self, streams: &[Stream]) -> Vec<(Option<InstrumentId>, Stream)> {
        let directory = self.shared.door.directory();
        let find = |stream: &Stream| {
            let Some(symbol) = &stream.symbol else { return Some((None, *stream)) };
            let market = directory.market(symbol.as_str())?;
            Some((Some(market.instrument.id), *stream))
        };
        streams.iter().filter_map(find).collect()
    }
}
