//! One request, over REST or WebSocket: its parameters, and the identity of its sender.

use std::net::IpAddr;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, Uri};
use bytes::Bytes;
use protocol::signed::sign::Window;
use protocol::signed::{ApiError, Params, TimeUnit, sign};
use types::{Command, Envelope, Event, InstrumentId, Origin, RetryKey, SessionId};
use venue::{api_key_hash, request_hash, retry_key as hash_retry_key};

use crate::binance::shared::BinanceContext;
use crate::clock::{now_us, signing_clock};
use crate::door;
use crate::door::access::{Attempt, ClaimedKey, WS_METHOD};
use crate::door::identity::{Permission, Signer};
use crate::door::single_use::NotOnce;
use crate::door::submit::CommandOutcome;
use crate::socket::connection::{CallTimes, ConnectionPermit};
use crate::socket::http::{JsonReply, header_text, query_of};

/// A request that was read completely.
pub(crate) struct Call {
    pub(crate) shared: Arc<BinanceContext>,
    pub(crate) received_ns: u64,
    /// How long the request waited until it was read.
    pub(crate) waited: Duration,
    pub(crate) times: CallTimes,
    pub(crate) unit: TimeUnit,
    pub(crate) params: Params,
    pub(crate) peer: IpAddr,
    pub(crate) connection: Option<Arc<ConnectionPermit>>,
    pub(crate) origin: Origin,
    pub(crate) proof: Proof,
    /// From the header `Idempotency-Key`. An invalid one is an error only for a request that
    /// submits a command.
    pub(crate) retry_key: Result<Option<RetryKey>, ApiError>,
}

/// How a request proves its sender.
#[derive(Debug)]
pub(crate) enum Proof {
    /// A header names the key. Query and body are signed as they were sent.
    Http { api_key: Option<HeaderValue>, uri: Uri, body: Bytes },
    /// A message of the WebSocket API. Key and signature are parameters; the signature covers the
    /// other parameters. A session that has logged on needs neither.
    Message { logon: Option<LogonKey> },
}

/// The key of a session that has logged on, for messages that name none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogonKey {
    pub(crate) hash: [u8; 16],
    /// The venue's session that ends with the connection; zero if there is none.
    pub(crate) session: SessionId,
}

/// A request whose key is verified, and its signature where the operation needs one.
pub(crate) struct KeyedCall {
    call: Call,
    pub(crate) signer: Arc<Signer>,
    /// The venue's session that its orders belong to; zero if there is none.
    pub(crate) session: SessionId,
    /// When the `recvWindow` ends; never for a request without a signature.
    expires_us: u64,
}

impl Deref for KeyedCall {
    type Target = Call;

    fn deref(&self) -> &Call {
        &self.call
    }
}

impl DerefMut for KeyedCall {
    fn deref_mut(&mut self) -> &mut Call {
        &mut self.call
    }
}

/// A request that was refused, with the error that Binance's clients know.
pub(crate) type Refusal = door::refusal::Refusal<ApiError>;

/// Only the gateway refuses a request before its command is submitted.
impl<E: Into<ApiError>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::BeforeLog(error.into())
    }
}

pub(crate) type Answer<T = JsonReply> = Result<T, Refusal>;

impl Call {
    /// For the access record, under this path or name.
    pub(crate) fn attempt(&self, method: &'static str, path: &'static str) -> Attempt {
        let (key, method) = match &self.proof {
            Proof::Http { api_key, .. } => (api_key.clone().map(ClaimedKey::Header), method),
            Proof::Message { logon } => {
                let logged_on = || logon.map(|logon| ClaimedKey::Hash(logon.hash));
                (claimed_key(&self.params).or_else(logged_on), WS_METHOD)
            }
        };
        let address = Some(self.peer);
        Attempt { address, key, method: method.into(), path: path.into() }
    }

    /// Verifies sender, signature and time, for an operation that needs this permission.
    pub(crate) async fn signed(mut self, permission: Permission) -> Result<KeyedCall, ApiError> {
        let logon = self.logon();
        let signer = self.named_signer(permission).await?;
        let key = &signer.verifying_key;
        match &self.proof {
            Proof::Http { uri, body, .. } => sign::verify(key, query_of(uri), body)?,
            Proof::Message { .. } if logon.is_some() => {}
            Proof::Message { .. } => sign::verify_message(key, &self.params)?,
        }
        let window = sign::check_time(&mut self.params, signing_clock())?;
        // A session that has logged on signs nothing more.
        if signer.credential.is_single_use && logon.is_none() {
            self.use_up(&signer, window)?;
        }
        self.times.checked();
        let session = logon.map_or(SessionId(0), |logon| logon.session);
        Ok(KeyedCall { call: self, signer, session, expires_us: window.expires_us })
    }

    /// Refuses a request that was sent before. The signed bytes are remembered: the same signature
    /// may be written in several ways.
    fn use_up(&self, signer: &Signer, window: Window) -> Result<(), ApiError> {
        let request = match &self.proof {
            Proof::Http { uri, body, .. } => request_hash(&sign::payload(query_of(uri), body)?),
            Proof::Message { .. } => {
                let signed = self.params.signed();
                request_hash(signed.map_or(&[][..], |(payload, _)| payload.as_bytes()))
            }
        };
        let uses = &self.shared.door.single_uses;
        uses.use_up(signer.key, request, window, now_us()).map_err(|not| match not {
            NotOnce::Repeated => ApiError::signed_before(),
            NotOnce::Late => ApiError::outside_recv_window(),
            NotOnce::TooMany => ApiError::overloaded(),
        })
    }

    /// Verifies that the key may see its account, for an operation that needs no signature.
    pub(crate) async fn keyed(mut self) -> Result<KeyedCall, ApiError> {
        let signer = self.named_signer(Permission::UserData).await?;
        Ok(KeyedCall { call: self, signer, session: SessionId(0), expires_us: u64::MAX })
    }

    /// The key that the request names. The refusal gives no reason: only the key's owner may know.
    async fn named_signer(&mut self, permission: Permission) -> Result<Arc<Signer>, ApiError> {
        let hash_of = |api_key| sign::check_api_key(api_key).map(api_key_hash);
        let hash = match &self.proof {
            Proof::Http { api_key, .. } => hash_of(api_key.as_ref().map(header_text))?,
            Proof::Message { logon } => match (self.params.text("apiKey")?, logon) {
                (None, Some(logon)) => logon.hash,
                (api_key, _) => hash_of(api_key.as_deref())?,
            },
        };
        let may =
            |signer: &Arc<Signer>| permission.is_of(signer.role) && signer.is_valid(self.peer);
        let signer = self.shared.door.signer(hash).await?;
        signer.filter(may).ok_or_else(ApiError::api_key_rejected)
    }

    /// The key of the session, if this request uses it.
    fn logon(&self) -> Option<LogonKey> {
        match self.proof {
            Proof::Message { logon } if !self.params.contains("apiKey") => logon,
            _ => None,
        }
    }
}

impl CommandOutcome {
    /// The answer that `build` makes from the events. A repeated request must equal the first one.
    pub(crate) fn answer<T>(
        &self,
        instrument: InstrumentId,
        build: impl FnOnce(&[Event]) -> Result<T, ApiError>,
    ) -> Result<T, Refusal> {
        let other_request = || {
            ApiError::new(400, -1130, "This Idempotency-Key was used for another request before.")
        };
        if self.is_repeated && self.is_foreign_to(instrument) {
            return Err(Refusal::ByEngine(other_request()));
        }
        build(&self.events).map_err(|error| {
            let is_other = self.is_repeated && error == ApiError::unknown();
            Refusal::ByEngine(if is_other { other_request() } else { error })
        })
    }
}

impl KeyedCall {
    /// Whether an operator has limited the orders of the signer's account.
    pub(crate) fn has_order_rate(&self) -> bool {
        self.shared.door.directory().has_order_rate(self.signer.account)
    }

    /// Submits a command, which is executed once. A request of several commands numbers them as its
    /// parts: when it is repeated, each is recognised by itself.
    pub(crate) async fn submit(
        &self,
        part: Option<usize>,
        command: Command,
    ) -> Result<CommandOutcome, Refusal> {
        let mut retry_key = self.retry_key.clone()?;
        if let (Some(key), Some(part)) = (&mut retry_key, part) {
            *key = hash_retry_key(&[&key[..], &part.to_le_bytes()].concat());
        }
        let fault = self.fault(&command);
        if let Some(fault) = fault {
            self.meet_before(fault, &command).await?;
        }
        if now_us() > self.expires_us {
            return Err(ApiError::outside_recv_window().into());
        }
        let envelope = Envelope {
            account: self.signer.account,
            key: self.signer.key,
            session: self.session,
            client_seq: 0,
            origin: self.origin,
            received_ns: self.received_ns,
            retry_key,
            address: None,
        };
        // Messages of a WebSocket are gathered into batches already: to wait for more would delay
        // them, and a client that does not read would hold up the rest.
        let is_gathered = self.origin == Origin::WebSocket;
        let outcome = self.shared.door.submit(envelope, command, is_gathered).await;
        let outcome = outcome.map_err(Refusal::by_engine)?;
        if let Some(fault) = fault {
            self.meet_after(fault).await?;
        }
        Ok(outcome)
    }
}

/// The key that a message claims.
pub(crate) fn claimed_key(params: &Params) -> Option<ClaimedKey> {
    params.peek("apiKey").map(ClaimedKey::text)
}
