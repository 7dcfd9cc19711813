//! Signing in, and the state of a session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use protocol::signed::ApiError;
use protocol::signed::covered::{self, Covered};
use serde::{Deserialize, Serialize};
use types::KeyId;
use venue::{api_key_hash, request_hash};

use crate::clock::{now_ns, signing_clock};
use crate::door::back_off::{Attempted, Slowed};
use crate::door::identity::Login;
use crate::door::single_use::NotOnce;
use crate::web::WebState;
use crate::web::codes::DemoSignIn;
use crate::web::cookie;
use crate::web::metrics::{Outcome, SignInWay};
use crate::web::request::Posted;
use crate::web::sessions::{NewSession, NotStarted, Session};
use crate::web::user::User;

/// Of a sign-in. A key's signature covers it.
pub(crate) const PATH: &str = "/web/v1/sign-in";

/// How long a client waits when too many passwords are being checked.
const BUSY_WAIT: Duration = Duration::from_secs(1);

/// How long a client waits when there is no room for a session.
const FULL_WAIT: Duration = Duration::from_secs(60);

/// The session of a request.
pub(crate) struct Current<'a> {
    pub(crate) id: &'a str,
    pub(crate) session: Session,
    pub(crate) user: User,
}

/// An answer, and what the browser does with the cookie.
pub(crate) struct Answer {
    pub(crate) body: String,
    pub(crate) cookie: Cookie,
}

pub(crate) enum Cookie {
    Stays,
    Is(String),
    Ends,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionBody<'a> {
    signed_in: bool,
    demo: bool,
    /// That a code signs in to, in a demo.
    #[serde(skip_serializing_if = "Option::is_none")]
    accounts: Option<&'a [String]>,
    #[serde(flatten)]
    of_user: Option<UserBody<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UserBody<'a> {
    user: &'a str,
    account: &'a str,
    account_id: u32,
    role: &'static str,
    started_at: u64,
}

/// The fields of all ways to sign in.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SignIn {
    code: Option<String>,
    account: Option<String>,
    user: Option<String>,
    password: Option<String>,
    totp: Option<String>,
    api_key: Option<String>,
    timestamp: Option<u64>,
    nonce: Option<String>,
    signature: Option<String>,
}

/// A request signed by a key that the browser registered before.
struct SignedByKey<'a> {
    api_key: &'a str,
    timestamp: &'a str,
    nonce: &'a str,
    signature: &'a str,
}

/// `GET /web/v1/session`
pub(crate) fn session(web: &WebState, headers: &HeaderMap) -> Answer {
    let body = match web.session(headers) {
        Some(current) => signed_in(web, &current.user, current.session.started_ms),
        None => {
            let accounts = web.demo.as_ref().map(DemoSignIn::accounts);
            let demo = accounts.is_some();
            json(&SessionBody { signed_in: false, demo, accounts, of_user: None })
        }
    };
    Answer { body, cookie: Cookie::Stays }
}

/// `POST /web/v1/sign-in`
pub(crate) async fn sign_in(
    web: &WebState,
    posted: &Posted,
    sent: SignIn,
) -> Result<Answer, ApiError> {
    match sent {
        SignIn { code: Some(code), account: Some(account), .. } => {
            by_code(web, posted, &code, &account)
        }
        SignIn { user: Some(user), password: Some(password), totp, .. } => {
            by_password(web, posted, &user, password, totp).await
        }
        SignIn {
            api_key: Some(api_key),
            timestamp: Some(timestamp),
            nonce: Some(nonce),
            signature: Some(signature),
            ..
        } => {
            let (timestamp, api_key) = (&timestamp.to_string(), &api_key);
            let signed = SignedByKey { api_key, timestamp, nonce: &nonce, signature: &signature };
            by_key(web, posted, signed).await
        }
        _ => Err(ApiError::new(
            400,
            -1102,
            "To sign in, send `code` and `account` (in a demo), `user` and `password`, or \
             `apiKey`, `timestamp`, `nonce` and `signature`.",
        )),
    }
}

fn by_code(web: &WebState, posted: &Posted, code: &str, account: &str) -> Result<Answer, ApiError> {
    let way = SignInWay::Code;
    let attempt = web.begin(way, posted, None)?;
    let Some(demo) = &web.demo else {
        return Err(web.refused(way, "This venue is no demo: sign in by user and password."));
    };
    let is_of_demo = demo.accounts().iter().any(|name| name == account);
    let Some(user) = User::named(&web.door, account).filter(|_| is_of_demo) else {
        return Err(web.refused(
            way,
            "The demo has no such account for a person: choose one that the page offers.",
        ));
    };
    let wrong = "The code is wrong, or was used before: open the address in the newest line `open` \
                 that the venue has printed.";
    let started = web.start(posted, &user, None, || demo.use_up(code));
    web.judged(way, attempt, started, wrong)
}

/// One sentence for all that is wrong: it does not say which users exist. The one-time code is used
/// up only by the right password, and only where there is room for the session.
async fn by_password(
    web: &WebState,
    posted: &Posted,
    name: &str,
    password: String,
    totp: Option<String>,
) -> Result<Answer, ApiError> {
    let way = SignInWay::Password;
    let attempt = web.begin(way, posted, Some(name))?;
    let user = User::named(&web.door, name);
    let hash = user.as_ref().map(|user| user.login.secret.password.clone());
    let Ok(is_right) = web.passwords.check(hash, password).await else {
        attempt.unjudged();
        return Err(web.slowed(way, Slowed(BUSY_WAIT)));
    };
    let wrong = "User, password or one-time code is wrong: try again, with the next code.";
    let Some(user) = user.filter(|_| is_right) else {
        return Err(web.refused(way, wrong));
    };
    let has_code = || {
        let Login { login, secret, .. } = &*user.login;
        let code = totp.as_deref().unwrap_or_default();
        secret
            .totp
            .as_ref()
            .is_none_or(|totp| web.one_time_codes.use_up(*login, totp, code, now_ns()))
    };
    let started = web.start(posted, &user, None, has_code);
    web.judged(way, attempt, started, wrong)
}

/// Failures under a user's name do not slow this: a browser that was signed in before gets in while
/// others guess the password.
async fn by_key(
    web: &WebState,
    posted: &Posted,
    signed: SignedByKey<'_>,
) -> Result<Answer, ApiError> {
    let way = SignInWay::Key;
    let attempt = web.begin(way, posted, None)?;
    let wrong =
        "This browser's key is not, or no longer, of a login: sign in by user and password.";
    let refused = || web.refused(way, wrong);
    let counted = |error: ApiError| {
        web.sign_ins.count(way, Outcome::Refused);
        error
    };
    let signer = match web.door.signer(api_key_hash(signed.api_key)).await {
        Ok(signer) => signer.filter(|signer| signer.is_valid(posted.peer)),
        Err(error) => {
            attempt.unjudged();
            return Err(error.into());
        }
    };
    let Some((signer, login)) =
        signer.and_then(|signer| Some((Arc::clone(&signer), signer.login?)))
    else {
        return Err(refused());
    };
    covered::check_nonce("nonce", signed.nonce).map_err(counted)?;
    let (method, path) = ("POST", PATH);
    let SignedByKey { timestamp, nonce, signature, .. } = signed;
    let covered = Covered { method, path, query: "", body: b"", timestamp, nonce };
    let verified = signer.verifying_key.verify(covered.payload().as_bytes(), signature.as_bytes());
    if verified.is_err() {
        return Err(refused());
    }
    // The owner of the key made it: no clock that is off counts against the address.
    attempt.succeeded();
    let clock = signing_clock();
    let window = covered::check_time("timestamp", timestamp, clock).map_err(counted)?;
    let request = request_hash(nonce.as_bytes());
    let used = web.door.single_uses.use_up(signer.key, request, window, clock.now_us);
    let not_once = |not| match not {
        NotOnce::Repeated => {
            ApiError::new(400, -1022, "The nonce was used before: sign again with another one.")
        }
        NotOnce::Late => ApiError::outside_recv_window(),
        NotOnce::TooMany => ApiError::overloaded(),
    };
    used.map_err(not_once).map_err(counted)?;
    let user = User::of_login(&web.door, login).ok_or_else(refused)?;
    let started = web.start(posted, &user, Some(signer.key), || true);
    web.concluded(way, started, wrong)
}

impl WebState {
    /// The session of a request's cookie, with its user as of now.
    pub(crate) fn session<'a>(&self, headers: &'a HeaderMap) -> Option<Current<'a>> {
        let id = cookie::read(headers, self.is_tls)?;
        let session = self.sessions.find(id, Instant::now())?;
        let has_key = session.by_key.is_none_or(|key| self.door.directory().is_usable(key));
        let Some(user) = User::still(&self.door, session.signed_in).filter(|_| has_key) else {
            self.sessions.end(id);
            return None;
        };
        Some(Current { id, session, user })
    }

    fn begin(
        &self,
        way: SignInWay,
        posted: &Posted,
        user: Option<&str>,
    ) -> Result<Attempted<'_>, ApiError> {
        let begun = self.back_off.begin(posted.peer, user, Instant::now());
        begun.map_err(|slowed| self.slowed(way, slowed))
    }

    /// Starts a session in place of the browser's session before, if `prove` is right.
    fn start(
        &self,
        posted: &Posted,
        user: &User,
        by_key: Option<KeyId>,
        prove: impl FnOnce() -> bool,
    ) -> Result<Answer, NotStarted> {
        let started_ms = now_ns() / 1_000_000;
        let replaced = cookie::read(&posted.headers, self.is_tls);
        let new = NewSession { signed_in: user.signed_in(), by_key, replaced, started_ms };
        let id = self.sessions.start(new, Instant::now(), prove)?;
        Ok(Answer { body: signed_in(self, user, started_ms), cookie: Cookie::Is(id) })
    }

    /// Concludes an attempt that was judged, unless there was no room for its session.
    fn judged(
        &self,
        way: SignInWay,
        attempt: Attempted<'_>,
        started: Result<Answer, NotStarted>,
        wrong: &'static str,
    ) -> Result<Answer, ApiError> {
        match started {
            Ok(_) => attempt.succeeded(),
            Err(NotStarted::Full { .. }) => attempt.unjudged(),
            Err(NotStarted::Unproven) => {}
        }
        self.concluded(way, started, wrong)
    }

    fn concluded(
        &self,
        way: SignInWay,
        started: Result<Answer, NotStarted>,
        wrong: &'static str,
    ) -> Result<Answer, ApiError> {
        match started {
            Ok(answer) => {
                self.sign_ins.count(way, Outcome::Ok);
                Ok(answer)
            }
            Err(NotStarted::Unproven) => Err(self.refused(way, wrong)),
            Err(NotStarted::Full { max }) => {
                self.sign_ins.count(way, Outcome::Slowed);
                let sentence = format!(
                    "{max} browsers are signed in, and the venue takes no more: try again when \
                     others have signed out."
                );
                Err(ApiError {
                    retry_after_s: Some(FULL_WAIT.as_secs()),
                    ..ApiError::new(429, -1003, sentence)
                })
            }
        }
    }

    fn refused(&self, way: SignInWay, sentence: &'static str) -> ApiError {
        self.sign_ins.count(way, Outcome::Refused);
        ApiError::new(401, -1002, sentence)
    }

    fn slowed(&self, way: SignInWay, slowed: Slowed) -> ApiError {
        self.sign_ins.count(way, Outcome::Slowed);
        slowed.error("Too many attempts to sign in")
    }
}

fn signed_in(web: &WebState, user: &User, started_at: u64) -> String {
    let (name, account) = (user.login.user.as_str(), user.account_name.as_str());
    let (account_id, role) = (user.login.account.0, user.role());
    let of_user = UserBody { user: name, account, account_id, role, started_at };
    let demo = web.demo.is_some();
    json(&SessionBody { signed_in: true, demo, accounts: None, of_user: Some(of_user) })
}

fn json(body: &impl Serialize) -> String {
    serde_json::to_string(body).expect("texts and numbers are JSON")
}
