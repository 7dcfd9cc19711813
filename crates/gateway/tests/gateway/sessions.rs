//! Limits of sessions and of their keys, and what happens at the same moment as a sign-out.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gateway::WebSettings;
use ring::signature::KeyPair;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::sleep;
use types::{Command, KeyId, RevokeKey, Role, UpdateLogin};
use venue::TotpSecret;

use crate::browser::{Browser, PASSWORD, demo, pair, signed_by_key, text};
use crate::support::{Exposure, MAKER, Site, TAKER, now_ms};

/// Until a request has come to the venue, or its client has gone.
const MOMENT: Duration = Duration::from_millis(200);

const NOT_SIGNED_IN: &str = "You are not signed in: sign in first.";

async fn keys(site: &Site) -> Vec<KeyId> {
    site.ask(|engine| {
        let of = |(login, _)| engine.keys_of_login(login).collect::<Vec<_>>();
        engine.logins().flat_map(of).collect()
    })
    .await
}

async fn wait_for_keys(site: &Site, count: usize) {
    let mut left = Vec::new();
    for _ in 0..100 {
        left = keys(site).await;
        if left.len() == count {
            return;
        }
        sleep(Duration::from_millis(50)).await;
    }
    panic!("{left:?} and not {count}");
}

async fn signed_in(site: &Site, user: &str) -> Browser {
    let mut browser = Browser::default();
    browser.by_password(site, user).await.ok();
    browser
}

/// Sends a request while the disk stands still, and leaves before the answer.
async fn leave_after(site: &Site, browser: &Browser, path: &str, body: &Value) {
    let (body, cookie) = (body.to_string(), &browser.cookie);
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         cookie: {cookie}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    site.hold.stop();
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    sleep(MOMENT).await;
    drop(stream);
    sleep(MOMENT).await;
    site.hold.go_on();
}

fn public_key(seed: u8) -> Value {
    json!({ "publicKey": STANDARD.encode(pair(seed).public_key().as_ref()) })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_out_is_completed_when_its_browser_has_gone() {
    for everywhere in [false, true] {
        let site = demo().await;
        let mut browser = signed_in(&site, "maker").await;
        for seed in [1, 2, 3] {
            browser.register(&site, seed).await.ok();
        }
        let body = json!({ "everywhere": everywhere });
        leave_after(&site, &browser, "/web/v1/sign-out", &body).await;
        wait_for_keys(&site, 0).await;
        assert_eq!(browser.get(&site).await["signedIn"], false);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_whose_browser_has_gone_is_revoked_with_its_session() {
    let site = demo().await;
    let mut browser = signed_in(&site, "maker").await;
    leave_after(&site, &browser, "/web/v1/keys", &public_key(1)).await;
    wait_for_keys(&site, 1).await;
    sleep(MOMENT).await;
    assert_eq!(browser.sign_out(&site, false).await.status, 200);
    assert_eq!(keys(&site).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_left_of_a_registration_at_the_moment_of_a_sign_out() {
    let site = demo().await;
    for round in 0..20 {
        let mut one = signed_in(&site, "maker").await;
        let mut other = signed_in(&site, "maker").await;
        one.register(&site, 1).await.ok();
        let later = async {
            sleep(Duration::from_millis(round / 4)).await;
            other.register(&site, 2).await
        };
        let (out, registered) = tokio::join!(one.sign_out(&site, true), later);
        assert_eq!(out.status, 200, "{}", out.body);
        if registered.status != 200 {
            registered.is_error(401, -1002, NOT_SIGNED_IN);
        }
        assert_eq!(keys(&site).await, [], "round {round}: {}", registered.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_left_of_a_registration_behind_an_operators_sign_out() {
    let site = demo().await;
    let mut browser = signed_in(&site, "maker").await;
    let logins =
        site.ask(|engine| engine.logins().map(|(id, spec)| (id, *spec)).collect::<Vec<_>>());
    let (login, spec) = logins.await[0];
    let (ways, sealed_secret) = (spec.ways, spec.sealed_secret);
    let update = UpdateLogin { login, ways, sealed_secret, sign_out: true };
    site.hold.stop();
    let operator = site.operate(Command::UpdateLogin(Box::new(update)));
    let person = async {
        sleep(MOMENT).await;
        browser.register(&site, 1).await
    };
    let disk = async {
        sleep(2 * MOMENT).await;
        site.hold.go_on();
    };
    let (_, registered, ()) = tokio::join!(operator, person, disk);
    registered.is_error(401, -1002, NOT_SIGNED_IN);
    assert_eq!(keys(&site).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_registers_one_key_at_a_time_and_a_hundred_in_an_hour() {
    let site = demo().await;
    let mut browser = signed_in(&site, "maker").await;
    let (mut other, mut taker) = (signed_in(&site, "maker").await, signed_in(&site, "taker").await);
    site.hold.stop();
    let second = async {
        sleep(MOMENT).await;
        let refused = other.register(&site, 2).await;
        site.hold.go_on();
        refused
    };
    let (first, refused) = tokio::join!(browser.register(&site, 1), second);
    first.ok();
    let sentence = "This login registers too many keys: try again in 1 s.";
    refused.is_error(429, -1003, sentence);
    assert!(refused.head.contains("retry-after: 1\r\n"), "{}", refused.head);

    for seed in 2..=100 {
        let reply = browser.register(&site, seed).await;
        assert_eq!(reply.status, if seed <= 64 { 200 } else { 409 }, "{seed}: {}", reply.body);
    }
    let refused = browser.register(&site, 101).await;
    assert_eq!((refused.status, &refused.json()["code"]), (429, &json!(-1003)), "{}", refused.body);
    let after = refused.head.lines().find_map(|line| line.strip_prefix("retry-after: "));
    assert!((3_000..=3_600).contains(&after.unwrap().parse::<u32>().unwrap()), "{after:?}");
    assert_eq!(taker.register(&site, 102).await.status, 200, "another login");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_has_a_limit_of_sessions_and_a_browser_has_one() {
    let settings = WebSettings { sessions_per_login_max: 2, ..WebSettings::default() };
    let site = Site::with(settings).await;
    site.add_login(MAKER, Role::Trader, ("maker", PASSWORD), None).await;
    site.add_login(TAKER, Role::Trader, ("taker", PASSWORD), None).await;
    let taker = signed_in(&site, "taker").await;
    let mut first = signed_in(&site, "maker").await;
    let second = signed_in(&site, "maker").await;
    let before = Browser { cookie: first.cookie.clone() };
    first.by_password(&site, "maker").await.ok();
    assert_eq!(before.get(&site).await["signedIn"], false, "the browser signed in again");
    let third = signed_in(&site, "maker").await;
    let mut users = Vec::new();
    for browser in [&taker, &first, &second, &third] {
        users.push(browser.get(&site).await["user"].clone());
    }
    assert_eq!(users, [json!("taker"), json!("maker"), Value::Null, json!("maker")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_a_key_ends_with_the_key() {
    let site = demo().await;
    let mut browser = signed_in(&site, "maker").await;
    let registered = browser.register(&site, 1).await.ok();
    let mut by_key = Browser::default();
    let body = signed_by_key(text(&registered["apiKey"]), 1, "0123456789abcdef", now_ms());
    assert_eq!(by_key.sign_in(&site, body).await.status, 200);
    let [key] = keys(&site).await[..] else { panic!("one key") };
    site.operate(Command::RevokeKey(RevokeKey { key })).await;
    site.handle.read_views(|_, _| ()).unwrap().await.unwrap();
    assert_eq!(by_key.get(&site).await["signedIn"], false);
    assert_eq!(browser.get(&site).await["user"], "maker", "it signed in by password");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_not_used_up_where_there_is_no_room_for_a_session() {
    let settings = WebSettings { sessions_max: 1, ..WebSettings::default() };
    let demo = vec!["maker".to_owned()];
    let site = Site::exposed_with(settings, Exposure { demo, ..Exposure::default() }).await;
    let totp = TotpSecret::generate();
    site.add_login(MAKER, Role::Trader, ("maker", PASSWORD), None).await;
    site.add_login(TAKER, Role::Trader, ("desk", PASSWORD), Some(totp.clone())).await;
    let of_app = totp.code_at(now_ms() * 1_000_000);
    let printed = site.code().unwrap();
    let mut maker = signed_in(&site, "maker").await;
    let mut desk = Browser::default();
    let with_code = [
        json!({ "user": "desk", "password": PASSWORD, "totp": of_app }),
        json!({ "code": printed, "account": "maker" }),
    ];
    for body in &with_code {
        let full = desk.sign_in(&site, body.clone()).await;
        let sentence = "1 browsers are signed in, and the venue takes no more: try again when \
                        others have signed out.";
        full.is_error(429, -1003, sentence);
        assert!(full.head.contains("retry-after: 60\r\n"), "{}", full.head);
    }
    assert_eq!(maker.sign_out(&site, false).await.status, 200);
    for body in with_code {
        desk.sign_in(&site, body).await.ok();
        assert_eq!(desk.sign_out(&site, false).await.status, 200);
    }
}
