//! A browser that signs in at the page, and holds a key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use protocol::signed::covered::Covered;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use types::Role;

use crate::socket::{Socket, ask};
use crate::support::{Exposure, MAKER, Reply, Site, TAKER, now_ms};

pub(crate) const JSON: (&str, &str) = ("content-type", "application/json");
pub(crate) const PASSWORD: &str = "correct horse battery";
pub(crate) const WRONG: &str =
    "User, password or one-time code is wrong: try again, with the next code.";

/// A browser: it keeps the venue's cookie, and a key.
#[derive(Default)]
pub(crate) struct Browser {
    pub(crate) cookie: String,
}

impl Browser {
    pub(crate) async fn get(&self, site: &Site) -> Value {
        let cookie = [("cookie", self.cookie.as_str())];
        site.send("GET", "/web/v1/session", &cookie, b"").await.ok()
    }

    pub(crate) async fn post(&mut self, site: &Site, path: &str, body: &Value) -> Reply {
        let headers = [JSON, ("origin", "http://localhost"), ("cookie", &self.cookie)];
        let reply = site.send("POST", path, &headers, body.to_string().as_bytes()).await;
        if let Some(cookie) = set_cookie(&reply) {
            self.cookie = cookie;
        }
        reply
    }

    pub(crate) async fn sign_in(&mut self, site: &Site, body: Value) -> Reply {
        self.post(site, "/web/v1/sign-in", &body).await
    }

    pub(crate) async fn by_password(&mut self, site: &Site, user: &str) -> Reply {
        self.sign_in(site, json!({ "user": user, "password": PASSWORD })).await
    }

    /// Registers a key of this seed.
    pub(crate) async fn register(&mut self, site: &Site, seed: u8) -> Reply {
        let public = STANDARD.encode(pair(seed).public_key().as_ref());
        self.post(site, "/web/v1/keys", &json!({ "publicKey": public })).await
    }

    pub(crate) async fn sign_out(&mut self, site: &Site, everywhere: bool) -> Reply {
        self.post(site, "/web/v1/sign-out", &json!({ "everywhere": everywhere })).await
    }
}

/// The pair `name=value` of the cookie that an answer sets.
pub(crate) fn set_cookie(reply: &Reply) -> Option<String> {
    let set = reply.raw_head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    set.and_then(|set| set.split(';').next()).map(str::to_owned)
}

pub(crate) fn pair(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap()
}

/// Signs in by a key that the browser registered.
pub(crate) fn signed_by_key(api_key: &str, seed: u8, nonce: &str, timestamp: u64) -> Value {
    let covered = Covered {
        method: "POST",
        path: "/web/v1/sign-in",
        query: "",
        body: b"",
        timestamp: &timestamp.to_string(),
        nonce,
    };
    let signature = STANDARD.encode(pair(seed).sign(covered.payload().as_bytes()));
    json!({ "apiKey": api_key, "timestamp": timestamp, "nonce": nonce, "signature": signature })
}

pub(crate) async fn log_on(socket: &mut Socket, api_key: &str, seed: u8) -> Value {
    let timestamp = now_ms();
    let payload = format!("apiKey={api_key}&timestamp={timestamp}");
    let signature = STANDARD.encode(pair(seed).sign(payload.as_bytes()));
    let params = json!({ "apiKey": api_key, "timestamp": timestamp, "signature": signature });
    ask(socket, 1, "session.logon", params).await
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// A demo with the accounts of the site, and their logins.
pub(crate) async fn demo() -> Site {
    let demo = vec!["maker".to_owned(), "taker".to_owned()];
    let site = Site::exposed(Exposure { demo, ..Exposure::default() }).await;
    site.add_login(MAKER, Role::Trader, ("maker", PASSWORD), None).await;
    site.add_login(TAKER, Role::Trader, ("taker", PASSWORD), None).await;
    site
}

pub(crate) async fn metric(site: &Site, way: &str, outcome: &str) -> u64 {
    let prefix = format!("buttonwood_sign_ins_total{{way=\"{way}\",outcome=\"{outcome}\"}} ");
    let text = site.get("/metrics").await.body;
    text.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap().parse().unwrap()
}
