//! Browsers that sign in, as `docs/security.md` promises it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use gateway::WebSettings;
use serde_json::json;
use types::{Command, RevokeLogin, Role, UpdateLogin};
use venue::TotpSecret;

use crate::browser::{
    Browser, JSON, PASSWORD, WRONG, demo, log_on, metric, set_cookie, signed_by_key, text,
};
use crate::socket::{ask, connect};
use crate::support::{Exposure, MAKER, Site, TAKER, now_ms};
use crate::ws_api::{PATH, order};

const USED: &str = "The code is wrong, or was used before: open the address in the newest line \
                    `open` that the venue has printed.";

#[tokio::test(flavor = "multi_thread")]
async fn a_code_signs_one_browser_in_and_is_followed_by_another() {
    let site = demo().await;
    let mut browser = Browser::default();
    let accounts = json!(["maker", "taker"]);
    let out = json!({ "signedIn": false, "demo": true, "accounts": accounts });
    assert_eq!(browser.get(&site).await, out);
    let code = site.code().unwrap();
    assert_eq!(site.code(), None);

    let by_code = |code: &str, account: &str| json!({ "code": code, "account": account });
    let wrong = browser.sign_in(&site, by_code("x", "maker")).await;
    wrong.is_error(401, -1002, USED);
    let other = browser.sign_in(&site, by_code(&code, "nobody")).await;
    other.is_error(
        401,
        -1002,
        "The demo has no such account for a person: choose one that the page offers.",
    );
    assert_eq!(site.code(), None, "a wrong account uses no code up");

    let reply = browser.sign_in(&site, by_code(&code, "maker")).await;
    let signed_in = reply.ok();
    assert_eq!(signed_in["user"], "maker");
    assert_eq!((&signed_in["account"], &signed_in["accountId"]), (&json!("maker"), &json!(1)));
    assert_eq!((&signed_in["role"], &signed_in["demo"]), (&json!("trader"), &json!(true)));
    assert!(signed_in["startedAt"].as_u64().unwrap().abs_diff(now_ms()) < 10_000);
    assert!(reply.head.contains("; httponly; samesite=strict; path=/\r\n"), "{}", reply.head);
    assert!(reply.head.contains("cache-control: no-store\r\n"), "{}", reply.head);
    assert_eq!(browser.get(&site).await, signed_in);

    let again = Browser::default().sign_in(&site, by_code(&code, "maker")).await;
    again.is_error(401, -1002, USED);
    let next = site.code().unwrap();
    assert_eq!(Browser::default().sign_in(&site, by_code(&next, "taker")).await.status, 200);
    assert_eq!([metric(&site, "code", "ok").await, metric(&site, "code", "refused").await], [2, 3]);

    let real = Site::new().await;
    let refused = Browser::default().sign_in(&real, by_code(&next, "maker")).await;
    let sentence = "This venue is no demo: sign in by user and password.";
    refused.is_error(401, -1002, sentence);
    assert_eq!(Browser::default().get(&real).await, json!({ "signedIn": false, "demo": false }));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_a_browser_trades_until_it_signs_out() {
    let site = demo().await;
    let mut browser = Browser::default();
    let refused = browser.register(&site, 1).await;
    refused.is_error(401, -1002, "You are not signed in: sign in first.");
    browser.by_password(&site, "maker").await.ok();
    let registered = browser.register(&site, 1).await.ok();
    let api_key = text(&registered["apiKey"]);
    let days = (registered["expiresAt"].as_u64().unwrap() - now_ms()).div_ceil(86_400_000);
    assert_eq!(days, 30);

    let mut socket = connect(&site, PATH).await;
    assert_eq!(log_on(&mut socket, api_key, 1).await["status"], 200);
    let placed = ask(&mut socket, 2, "order.place", order("100")).await;
    assert_eq!(placed["result"]["status"], "NEW", "{placed}");

    let stolen = browser.cookie.clone();
    let out = browser.sign_out(&site, false).await;
    assert_eq!(out.ok(), json!({}));
    assert!(
        out.head.contains("set-cookie: bw_session=; httponly; samesite=strict; path=/; max-age=0")
    );
    let mut thief = Browser { cookie: stolen };
    assert_eq!(thief.get(&site).await["signedIn"], false);
    thief.register(&site, 2).await.is_error(401, -1002, "You are not signed in: sign in first.");
    let mut socket = connect(&site, PATH).await;
    assert_eq!(log_on(&mut socket, api_key, 1).await["error"]["code"], -2015);
    assert_eq!(Browser::default().sign_out(&site, true).await.status, 200, "without a session");
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_everywhere_ends_all_sessions_and_keys_of_the_login_alone() {
    let site = demo().await;
    let mut browsers = [(); 3].map(|()| Browser::default());
    let mut keys = Vec::new();
    for (browser, (user, seed)) in
        browsers.iter_mut().zip([("maker", 1), ("maker", 2), ("taker", 3)])
    {
        browser.by_password(&site, user).await.ok();
        let key = browser.register(&site, seed).await.ok();
        keys.push((text(&key["apiKey"]).to_owned(), seed));
    }
    assert_eq!(browsers[0].sign_out(&site, true).await.status, 200);
    assert_eq!(browsers[1].get(&site).await["signedIn"], false);
    assert_eq!(browsers[2].get(&site).await["user"], "taker");
    let mut statuses = Vec::new();
    for (api_key, seed) in keys {
        let mut socket = connect(&site, PATH).await;
        statuses.push(log_on(&mut socket, &api_key, seed).await["status"].as_u64());
        let by_key = signed_by_key(&api_key, seed, "0123456789abcdef", now_ms());
        let reply = Browser::default().sign_in(&site, by_key).await;
        assert_eq!(reply.status == 200, seed == 3, "{}", reply.body);
    }
    assert_eq!(statuses, [Some(401), Some(401), Some(200)]);
    // The operator's own key is none of a browser.
    let own = site.signed(&site.maker, "GET", "/api/v3/openOrders", "").await;
    assert_eq!(own.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_signs_a_person_out_and_revokes_a_login() {
    let site = demo().await;
    let (mut maker, mut taker) = (Browser::default(), Browser::default());
    maker.by_password(&site, "maker").await.ok();
    taker.by_password(&site, "taker").await.ok();
    let logins =
        site.ask(|engine| engine.logins().map(|(id, spec)| (id, *spec)).collect::<Vec<_>>());
    let [(of_maker, spec), (of_taker, _)] = logins.await[..] else { panic!() };
    let update = UpdateLogin {
        login: of_maker,
        ways: spec.ways,
        sealed_secret: spec.sealed_secret,
        sign_out: true,
    };
    site.operate(Command::UpdateLogin(Box::new(update))).await;
    site.operate(Command::RevokeLogin(RevokeLogin { login: of_taker })).await;
    site.handle.read_views(|_, _| ()).unwrap().await.unwrap();
    for browser in [&maker, &taker] {
        assert_eq!(browser.get(&site).await["signedIn"], false);
    }
    assert_eq!(maker.by_password(&site, "maker").await.status, 200);
    taker.by_password(&site, "taker").await.is_error(401, -1002, WRONG);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_origins_and_names_sign_nothing_in_or_out() {
    let origins = vec!["http://desk.example.com".parse().unwrap()];
    let demo = vec!["maker".to_owned()];
    let site = Site::exposed(Exposure { origins, demo, ..Exposure::default() }).await;
    site.add_login(MAKER, Role::Trader, ("maker", PASSWORD), None).await;
    let mut browser = Browser::default();
    browser.by_password(&site, "maker").await.ok();
    let cookie = ("cookie", browser.cookie.as_str());
    let paths = ["/web/v1/sign-in", "/web/v1/sign-out", "/web/v1/keys"];
    for path in paths {
        // A listed origin may use the API, by a key of its own; not by the cookie of the page.
        for origin in
            ["http://evil.example", "http://localhost:9999", "null", "http://desk.example.com"]
        {
            let headers = [JSON, cookie, ("origin", origin)];
            let reply = site.send("POST", path, &headers, b"{}").await;
            assert_eq!((reply.status, &reply.json()["code"]), (403, &json!(-1002)), "{origin}");
        }
        let rebound = [JSON, cookie, ("host", "evil.example"), ("origin", "http://evil.example")];
        assert_eq!(site.send("POST", path, &rebound, b"{}").await.status, 421);
        // What a form of another site can send.
        for content_type in ["text/plain", "application/x-www-form-urlencoded", ""] {
            let headers = [cookie, ("content-type", content_type)];
            assert_eq!(
                site.send("POST", path, &headers, b"{}").await.status,
                415,
                "{content_type}"
            );
        }
        assert_eq!(site.send("GET", path, &[cookie], b"").await.status, 405);
    }
    let rebound = [cookie, ("host", "evil.example")];
    for path in ["/", "/web/v1/session"] {
        assert_eq!(site.send("GET", path, &rebound, b"").await.status, 421);
    }
    assert_eq!(browser.get(&site).await["user"], "maker", "all of this changed nothing");
    // No page reads the session of another origin: the browser keeps the answer from it.
    let read = [cookie, ("origin", "http://evil.example")];
    let reply = site.send("GET", "/web/v1/session", &read, b"").await;
    assert!(!reply.head.contains("access-control-allow-credentials"), "{}", reply.head);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_under_tls_is_secure() {
    let site = demo().await;
    let body = json!({ "user": "maker", "password": PASSWORD }).to_string();
    // A proxy encrypts, and hands the request on.
    for (origin, is_secure) in [("https://localhost", true), ("http://localhost", false)] {
        let headers = [JSON, ("origin", origin)];
        let reply = site.send("POST", "/web/v1/sign-in", &headers, body.as_bytes()).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_eq!(reply.head.contains("; path=/; secure\r\n"), is_secure, "{}", reply.head);
        let cookie = set_cookie(&reply).unwrap();
        assert_eq!(cookie.starts_with("__Host-bw_session="), is_secure, "{cookie}");
        let mut browser = Browser { cookie: cookie.clone() };
        assert_eq!(browser.get(&site).await["user"], "maker");
        // One of the two is another host's.
        browser.cookie = format!("{cookie}; {cookie}");
        assert_eq!(browser.get(&site).await["signedIn"], false);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn passwords_are_checked_and_one_sentence_is_for_all_that_is_wrong() {
    let site = demo().await;
    let mut browser = Browser::default();
    for (user, password) in
        [("maker", "correct horse batterz"), ("maker", ""), ("unknown", PASSWORD), ("", PASSWORD)]
    {
        let body = json!({ "user": user, "password": password });
        browser.sign_in(&site, body).await.is_error(401, -1002, WRONG);
    }
    let upper = json!({ "user": "MAKER", "password": PASSWORD });
    assert_eq!(browser.sign_in(&site, upper).await.ok()["user"], "maker");
    for bad in
        [json!({}), json!({ "user": "maker" }), json!({ "code": "x" }), json!({ "apiKey": "x" })]
    {
        assert_eq!(browser.sign_in(&site, bad.clone()).await.json()["code"], -1102, "{bad}");
    }
    // No part of the body comes back.
    for bad in [
        json!({ "user": "maker", "password": ["hunter2-hunter2"] }),
        json!({ "password": "x", "user": 123_454_321 }),
        json!({ "hunter2-hunter2": "maker" }),
        json!("hunter2-hunter2"),
    ] {
        let reply = browser.sign_in(&site, bad.clone()).await;
        let body = reply.json();
        assert_eq!((reply.status, &body["code"]), (400, &json!(-1135)), "{bad}");
        let place = "The body is not the JSON of this request: see line 1, column ";
        let column = text(&body["msg"]).strip_prefix(place).expect("a place").strip_suffix('.');
        assert!(column.unwrap().parse::<usize>().is_ok(), "{bad}: {body}");
    }
    assert_eq!(metric(&site, "password", "refused").await, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_signs_in_with_a_code_that_is_good_once_and_gets_no_key() {
    let site = Site::new().await;
    let totp = TotpSecret::generate();
    let login = ("desk", PASSWORD);
    site.add_login(TAKER, Role::Operator, login, Some(totp.clone())).await;
    let code = totp.code_at(now_ms() * 1_000_000);
    let mut browser = Browser::default();
    let body = |password: &str, code: Option<&str>| json!({ "user": "desk", "password": password, "totp": code });
    // A code with a wrong password is not used up.
    for refused in
        [body(PASSWORD, None), body("wrong password", Some(&code)), body(PASSWORD, Some("x"))]
    {
        browser.sign_in(&site, refused).await.is_error(401, -1002, WRONG);
    }
    let signed_in = browser.sign_in(&site, body(PASSWORD, Some(&code))).await.ok();
    assert_eq!(signed_in["role"], "operator");
    let again = Browser::default().sign_in(&site, body(PASSWORD, Some(&code))).await;
    again.is_error(401, -1002, WRONG);
    let refused = browser.register(&site, 1).await;
    assert_eq!((refused.status, &refused.json()["reason"]), (409, &json!("KeyBeyondLogin")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_ends_sessions_and_the_key_of_the_browser_signs_in_again() {
    let site = demo().await;
    let mut browser = Browser::default();
    browser.by_password(&site, "maker").await.ok();
    let registered = browser.register(&site, 1).await.ok();
    let api_key = text(&registered["apiKey"]);
    let site = site.restarted().await;
    assert_eq!(browser.get(&site).await["signedIn"], false);
    let nonce = "0123456789abcdef";
    let good = signed_by_key(api_key, 1, nonce, now_ms());

    let foreign =
        "This browser's key is not, or no longer, of a login: sign in by user and password.";
    let other_pair = signed_by_key(api_key, 2, nonce, now_ms());
    browser.sign_in(&site, other_pair).await.is_error(401, -1002, foreign);
    let unknown = signed_by_key("unknown", 1, nonce, now_ms());
    browser.sign_in(&site, unknown).await.is_error(401, -1002, foreign);
    let mut altered = good.clone();
    altered["nonce"] = "0123456789abcdeX".into();
    browser.sign_in(&site, altered).await.is_error(401, -1002, foreign);
    let late = signed_by_key(api_key, 1, nonce, now_ms() - 60_000);
    assert_eq!(browser.sign_in(&site, late).await.json()["code"], -1021);

    assert_eq!(browser.sign_in(&site, good.clone()).await.ok()["user"], "maker");
    let repeated = browser.sign_in(&site, good).await;
    repeated.is_error(400, -1022, "The nonce was used before: sign again with another one.");
    // Signing out revokes the key that signed in.
    assert_eq!(browser.sign_out(&site, false).await.status, 200);
    let revoked = signed_by_key(api_key, 1, "fedcba9876543210", now_ms());
    browser.sign_in(&site, revoked).await.is_error(401, -1002, foreign);
    let [ok, refused] = [metric(&site, "key", "ok").await, metric(&site, "key", "refused").await];
    assert_eq!((ok, refused), (1, 6), "each attempt is counted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_has_a_limit_of_keys_and_abandoned_ones_make_room() {
    let site = demo().await;
    let mut first = Browser::default();
    first.by_password(&site, "maker").await.ok();
    let abandoned = first.register(&site, 1).await.ok();
    let mut second = Browser::default();
    second.by_password(&site, "maker").await.ok();
    for seed in 2..=64 {
        assert_eq!(second.register(&site, seed).await.status, 200, "{seed}");
    }
    let full = second.register(&site, 65).await;
    let found = (full.status, full.json()["reason"].clone());
    assert_eq!(found, (409, json!("TooManyKeysOfLogin")), "both sessions use theirs");
    let mut socket = connect(&site, PATH).await;
    assert_eq!(log_on(&mut socket, text(&abandoned["apiKey"]), 1).await["status"], 200);

    // After a restart no session uses any, and the oldest goes.
    let site = site.restarted().await;
    second.by_password(&site, "maker").await.ok();
    let newest = second.register(&site, 65).await.ok();
    for (key, seed, status) in [(&abandoned, 1, 401), (&newest, 65, 200)] {
        let mut socket = connect(&site, PATH).await;
        assert_eq!(log_on(&mut socket, text(&key["apiKey"]), seed).await["status"], status);
    }
    for bad in ["", "x", "AAAA", &STANDARD.encode([0; 32]), &STANDARD.encode([1; 33])] {
        let reply = second.post(&site, "/web/v1/keys", &json!({ "publicKey": bad })).await;
        assert_eq!(reply.json()["code"], -1130, "{bad}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_have_a_limit_and_end_when_they_are_idle() {
    let (sessions_max, session_idle_max) = (2, Duration::from_millis(1_500));
    let settings = WebSettings { sessions_max, session_idle_max, ..WebSettings::default() };
    let site = Site::with(settings).await;
    site.add_login(MAKER, Role::Trader, ("maker", PASSWORD), None).await;
    let mut browser = Browser::default();
    browser.by_password(&site, "maker").await.ok();
    Browser::default().by_password(&site, "maker").await.ok();
    let full = Browser::default().by_password(&site, "maker").await;
    let sentence = "2 browsers are signed in, and the venue takes no more: try again when others \
                    have signed out.";
    full.is_error(429, -1003, sentence);
    assert!(full.head.contains("retry-after: 60\r\n"), "{}", full.head);
    tokio::time::sleep(Duration::from_millis(1_600)).await;
    assert_eq!(browser.get(&site).await["signedIn"], false);
    assert_eq!(browser.by_password(&site, "maker").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_sign_ins_a_second_are_slowed_and_counted_while_orders_go_on() {
    const ATTEMPTS: u64 = 1_000;
    let site = demo().await;
    let (has_ended, begun) = (AtomicBool::new(false), Instant::now());
    let attack = async {
        let guess = |n: u64| {
            let site = &site;
            async move {
                tokio::time::sleep(Duration::from_millis(n)).await;
                let body = json!({ "user": "maker", "password": format!("guess number {n}") });
                Browser::default().sign_in(site, body).await
            }
        };
        let replies = join_all((0..ATTEMPTS).map(guess)).await;
        has_ended.store(true, Ordering::Release);
        replies
    };
    let trade = async {
        let mut slowest = Duration::ZERO;
        while !has_ended.load(Ordering::Acquire) {
            let sent = Instant::now();
            site.order(&site.taker, "BUY", "1", "100").await;
            slowest = slowest.max(sent.elapsed());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        slowest
    };
    let (replies, slowest) = tokio::join!(attack, trade);
    let took = begun.elapsed();
    let mut slowed = 0;
    for reply in &replies {
        match reply.status {
            401 => reply.is_error(401, -1002, WRONG),
            429 => {
                assert!(reply.head.contains("\r\nretry-after: "), "{}", reply.head);
                slowed += 1;
            }
            _ => panic!("{} {}", reply.status, reply.body),
        }
    }
    // Five are free; then one is judged after 1 s, the next after 2 s more, and so on.
    let judged = ATTEMPTS - slowed;
    assert!((5..=12).contains(&judged), "{judged} in {took:?}");
    let [ok, refused, counted] = [
        metric(&site, "password", "ok").await,
        metric(&site, "password", "refused").await,
        metric(&site, "password", "slowed").await,
    ];
    assert_eq!((ok, refused, counted), (0, judged, slowed));
    assert!(slowest < Duration::from_secs(2), "an order took {slowest:?}");
}
