//! The page of the venue: its files, and the sessions of the browsers that sign in, `/web/v1`.
//!
//! A session does no more than to register a key of the browser. With it the page trades through
//! the API as any other client does.
//!
//! # Invariants
//! - No request is carried out for a page of another origin, or under a cookie alone but to
//!   register a key and to sign out.
//! - Each registration and revocation of a key is an entry of the log.

mod codes;
mod cookie;
mod keys;
mod metrics;
mod one_time;
mod page;
mod registrations;
mod request;
mod sessions;
mod settings;
mod sign_in;
mod sign_out;
mod user;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CACHE_CONTROL, HeaderValue, SET_COOKIE};
use axum::http::{Method, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use protocol::signed::ApiError;
use types::RejectReason;
use venue::MetricSource;

use crate::Settings;
use crate::door::back_off::BackOff;
use crate::door::browser_keys::NoBrowserKey;
use crate::door::passwords::Passwords;
use crate::door::shared::Door;
use crate::socket::answered::Answered;
use crate::socket::http::{ErrorReply, Peer, RequestHead, json};
use crate::socket::settings::SocketSettings;
pub use crate::web::codes::DemoSignIn;
use crate::web::metrics::SignInMetrics;
use crate::web::one_time::OneTimeCodes;
use crate::web::page::{Page, SECURITY};
use crate::web::registrations::Registrations;
use crate::web::request::Posted;
use crate::web::sessions::Sessions;
pub use crate::web::settings::WebSettings;
use crate::web::sign_in::{Answer, Cookie};

const REQUEST_WEIGHT: u32 = 1;

/// Places in [`WebState::answered`].
const FILES: usize = 0;
const SESSIONS: usize = 1;

/// State shared by all browsers.
#[derive(Debug)]
pub(crate) struct WebState {
    door: Arc<Door>,
    settings: SocketSettings,
    page: Page,
    /// `None` where no code signs in.
    demo: Option<DemoSignIn>,
    sessions: Arc<Sessions>,
    back_off: Arc<BackOff>,
    passwords: Arc<Passwords>,
    one_time_codes: OneTimeCodes,
    registrations: Registrations,
    sign_ins: Arc<SignInMetrics>,
    is_tls: bool,
    pub(crate) answered: Arc<Answered>,
}

impl WebState {
    pub(crate) fn new(
        door: &Arc<Door>,
        settings: &Settings,
        demo: Option<DemoSignIn>,
        (back_off, passwords): (Arc<BackOff>, Arc<Passwords>),
        is_tls: bool,
    ) -> Arc<Self> {
        let sessions = Arc::new(Sessions::new(settings.web));
        Arc::new(Self {
            door: Arc::clone(door),
            settings: settings.socket,
            page: Page::built(),
            demo,
            sign_ins: Arc::new(SignInMetrics::new(Arc::clone(&sessions))),
            sessions,
            back_off,
            passwords,
            one_time_codes: OneTimeCodes::default(),
            registrations: Registrations::default(),
            is_tls,
            answered: Answered::new(["page", "/web/v1"].map(str::to_owned)),
        })
    }

    pub(crate) fn metrics(&self) -> Arc<dyn MetricSource> {
        Arc::clone(&self.sign_ins) as _
    }

    fn refuse(&self, head: &RequestHead, error: ApiError) -> Response {
        self.door.record_error(&head.attempt(), &error);
        ErrorReply(error).into_response()
    }
}

pub(crate) fn router(web: Arc<WebState>) -> Router {
    let mut router = Router::new()
        .route("/web/v1/session", get(session))
        .route(sign_in::PATH, post(sign_in))
        .route("/web/v1/sign-out", post(sign_out))
        .route("/web/v1/keys", post(register))
        .route("/assets/{*path}", any(file));
    for path in web.page.paths().filter(|path| !path.starts_with("/assets/")) {
        router = router.route(path, any(file));
    }
    router.layer(map_response(secure)).with_state(web)
}

/// Adds the headers of the page to an answer.
async fn secure(mut response: Response) -> Response {
    response.headers_mut().extend(SECURITY);
    response
}

async fn file(State(web): State<Arc<WebState>>, request: Request) -> Response {
    let (begun, head) = (Instant::now(), RequestHead::of(&request));
    let (method, path) = (request.method(), request.uri().path());
    let response = if let Err(error) = spend(&web, &request) {
        web.refuse(&head, error)
    } else if !matches!(*method, Method::GET | Method::HEAD) {
        let mut refusal = web.refuse(&head, ApiError::method_not_allowed(method.as_str(), path));
        refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        refusal
    } else {
        web.page
            .answer(path, request.headers())
            .unwrap_or_else(|| web.refuse(&head, ApiError::not_found(method.as_str(), path)))
    };
    web.answered.count(FILES, response.status().as_u16(), begun.elapsed());
    response
}

async fn session(State(web): State<Arc<WebState>>, request: Request) -> Response {
    let (begun, head) = (Instant::now(), RequestHead::of(&request));
    let answer = spend(&web, &request).map(|()| sign_in::session(&web, request.headers()));
    reply(&web, &head, begun, answer.map(|answer| (answer, false)))
}

async fn sign_in(State(web): State<Arc<WebState>>, request: Request) -> Response {
    post_to(&web, request, async |posted| sign_in::sign_in(&web, &posted, posted.json()?).await)
        .await
}

async fn sign_out(State(web): State<Arc<WebState>>, request: Request) -> Response {
    let state = Arc::clone(&web);
    post_to(&web, request, async |posted| {
        let sent = posted.json()?;
        to_the_end(async move { sign_out::sign_out(&state, &posted, sent).await }).await
    })
    .await
}

async fn register(State(web): State<Arc<WebState>>, request: Request) -> Response {
    let state = Arc::clone(&web);
    post_to(&web, request, async |posted| {
        let sent = posted.json()?;
        let body = to_the_end(async move { keys::register(&state, &posted, sent).await }).await?;
        Ok(Answer { body, cookie: Cookie::Stays })
    })
    .await
}

/// Completes a task also when its client has gone: half of it would leave keys behind.
async fn to_the_end<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> T {
    tokio::spawn(task).await.expect("it does not panic")
}

/// Reads a request that changes something, and answers it.
async fn post_to(
    web: &WebState,
    request: Request,
    carry_out: impl AsyncFnOnce(Arc<Posted>) -> Result<Answer, ApiError>,
) -> Response {
    let (begun, head) = (Instant::now(), RequestHead::of(&request));
    let answered = async {
        spend(web, &request)?;
        let posted = Arc::new(Posted::read(web, request).await?);
        let answer = carry_out(Arc::clone(&posted)).await?;
        Ok((answer, posted.is_encrypted(web)))
    };
    let answered = answered.await;
    reply(web, &head, begun, answered)
}

fn reply(
    web: &WebState,
    head: &RequestHead,
    begun: Instant,
    answered: Result<(Answer, bool), ApiError>,
) -> Response {
    let mut response = match answered {
        Ok((Answer { body, cookie }, is_encrypted)) => {
            let mut response = json(body).into_response();
            let set = match cookie {
                Cookie::Stays => None,
                Cookie::Is(id) => Some(cookie::set(&id, is_encrypted)),
                Cookie::Ends => Some(cookie::clear(is_encrypted)),
            };
            if let Some(set) = set {
                response.headers_mut().insert(SET_COOKIE, set);
            }
            response
        }
        Err(error) => web.refuse(head, error),
    };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    web.answered.count(SESSIONS, response.status().as_u16(), begun.elapsed());
    debug_assert_ne!(response.status(), StatusCode::NOT_MODIFIED);
    response
}

fn spend(web: &WebState, request: &Request) -> Result<(), ApiError> {
    let Peer(peer) = *request.extensions().get().expect("every connection has one");
    Ok(web.door.limits.spend(peer, REQUEST_WEIGHT).map(drop)?)
}

impl From<NoBrowserKey> for ApiError {
    fn from(none: NoBrowserKey) -> Self {
        match none {
            NoBrowserKey::Unsubmitted(error) => error.into(),
            NoBrowserKey::Rejected(reason) => {
                let sentence = match reason {
                    RejectReason::TooManyKeysOfLogin => {
                        "This login has as many keys of browsers as it may have: sign out \
                         everywhere, and in again."
                            .into()
                    }
                    RejectReason::KeyBeyondLogin => {
                        "A browser of an operator gets no key: make one with `admin key add`, and \
                         sign requests with it."
                            .into()
                    }
                    _ => format!("The venue refused the key ({reason:?}): sign in again."),
                };
                Self { reason: Some(reason), ..Self::new(409, -1002, sentence) }
            }
        }
    }
}
