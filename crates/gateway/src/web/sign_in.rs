//! Signing in and out, and the state of a session.

use std::time::Instant;

use axum::http::HeaderMap;
use protocol::signed::ApiError;
use serde::{Deserialize, Serialize};
use types::Role;

use crate::clock::now_ns;
use crate::web::back_off::Slowed;
use crate::web::cookie;
use crate::web::metrics::{Outcome, SignInWay};
use crate::web::request::Posted;
use crate::web::sessions::{Full, Session};
use crate::web::user::User;
use crate::web::{WebState, keys};

/// An answer, and what the browser does with the cookie.
pub(crate) struct Answer {
    pub(crate) body: String,
    pub(crate) cookie: Cookie,
}

#[derive(Debug)]
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
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignOut {
    #[serde(default)]
    everywhere: bool,
}

/// `GET /web/v1/session`
pub(crate) fn session(web: &WebState, headers: &HeaderMap) -> Answer {
    let found = web.session(headers).map(|(_, session)| session);
    let body = match &found {
        Some(session) => signed_in(web, &session.user, session.started_ms),
        None => {
            let accounts = web.demo.as_ref().map(|demo| demo.accounts());
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
    let SignIn { code, account } = sent;
    match (code, account) {
        (Some(code), Some(account)) => by_code(web, posted, &code, &account),
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
    let attempt = web
        .back_off
        .begin(posted.peer, None, Instant::now())
        .map_err(|slowed| web.slowed(way, slowed))?;
    let Some(demo) = &web.demo else {
        return Err(web.refused(way, "This venue is no demo: sign in with user and password."));
    };
    let is_of_demo = demo.accounts().iter().any(|name| name == account);
    let user = User::of_demo(&web.door, account).filter(|_| is_of_demo);
    let Some(user) = user else {
        return Err(web.refused(way, "The demo has no such account for a person."));
    };
    if !demo.use_up(code) {
        return Err(web.refused(
            way,
            "The code is wrong, or was used before: open the address in the newest line `open` \
             that the venue has printed.",
        ));
    }
    attempt.succeeded();
    web.start(way, user, None)
}

/// `POST /web/v1/sign-out`: ends this session, or all of the user, and revokes their keys.
pub(crate) async fn sign_out(
    web: &WebState,
    posted: &Posted,
    SignOut { everywhere }: SignOut,
) -> Result<Answer, ApiError> {
    let found = cookie::read(&posted.headers).and_then(|id| web.sessions.end(id));
    if let Some(session) = found {
        let mut ended = vec![session];
        if everywhere {
            let more = web.sessions.end_all(&ended[0].user);
            ended.extend(more);
        }
        let keys = ended.iter().flat_map(|session| session.keys.iter().copied()).collect();
        keys::revoke(web, posted, keys).await?;
    }
    Ok(Answer { body: "{}".to_owned(), cookie: Cookie::Ends })
}

impl WebState {
    /// The session of a request's cookie, with its id.
    pub(crate) fn session<'a>(&self, headers: &'a HeaderMap) -> Option<(&'a str, Session)> {
        let id = cookie::read(headers)?;
        Some((id, self.sessions.find(id, Instant::now())?))
    }

    fn start(
        &self,
        way: SignInWay,
        user: User,
        key: Option<types::KeyId>,
    ) -> Result<Answer, ApiError> {
        let started_ms = now_ns() / 1_000_000;
        let body = signed_in(self, &user, started_ms);
        let started = self.sessions.start(user, key, (Instant::now(), started_ms));
        let id = started.map_err(|Full { max }| {
            let error = ApiError::new(
                429,
                -1003,
                format!("{max} browsers are signed in, and the venue takes no more."),
            );
            ApiError { retry_after_s: Some(60), ..error }
        })?;
        self.sign_ins.count(way, Outcome::Ok);
        Ok(Answer { body, cookie: Cookie::Is(id) })
    }

    fn refused(&self, way: SignInWay, sentence: &'static str) -> ApiError {
        self.sign_ins.count(way, Outcome::Refused);
        ApiError::new(401, -1002, sentence)
    }

    fn slowed(&self, way: SignInWay, Slowed(wait): Slowed) -> ApiError {
        self.sign_ins.count(way, Outcome::Slowed);
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let sentence = format!("Too many failed attempts to sign in: try again in {seconds} s.");
        ApiError { retry_after_s: Some(seconds), ..ApiError::new(429, -1003, sentence) }
    }
}

fn signed_in(web: &WebState, user: &User, started_at: u64) -> String {
    let role = match user.role {
        Role::Trader => "trader",
        Role::ReadOnly => "read-only",
        Role::MarketData => "market-data",
        Role::Operator => "operator",
    };
    let account_id = user.account.0;
    let (user, account) = (user.name.as_str(), user.account_name.as_str());
    let of_user = UserBody { user, account, account_id, role, started_at };
    let demo = web.demo.is_some();
    json(&SessionBody { signed_in: true, demo, accounts: None, of_user: Some(of_user) })
}

fn json(body: &impl Serialize) -> String {
    serde_json::to_string(body).expect("texts and numbers are JSON")
}
