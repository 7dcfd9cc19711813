//! What an operator does with `admin --url`, from another machine.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::process::{Serving, command, run, run_json, run_refused, text};

/// An operator with a key in a file, and the folder that has it.
struct Operator {
    dir: tempfile::TempDir,
    url: String,
}

impl Operator {
    fn of(venue: &Serving, data: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let key = run(&["admin", "--data", data, "key", "add", "alice", "--role", "operator"]);
        write_secret(&dir.path().join("desk.json"), key.stdout);
        Self { dir, url: venue.url.clone() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn words<'a>(&'a self, key: &'a Path, args: &'a str) -> Vec<&'a str> {
        let flags = ["admin", "--url", &self.url, "--key-file", text(key)];
        flags.into_iter().chain(args.split(' ')).collect()
    }

    fn run(&self, args: &str) -> Output {
        run(&self.words(&self.file("desk.json"), args))
    }

    fn done(&self, args: &str) -> Value {
        run_json(&self.words(&self.file("desk.json"), args))
    }

    fn refused(&self, args: &str) -> String {
        run_refused(&self.words(&self.file("desk.json"), args))
    }
}

/// A file for its owner alone.
fn write_secret(file: &Path, bytes: impl AsRef<[u8]>) {
    let mut options = fs::File::options();
    let opened = options.write(true).create(true).truncate(true).mode(0o600).open(file);
    opened.unwrap().write_all(bytes.as_ref()).unwrap();
}

fn demo(dir: &Path) -> Serving {
    Serving::start(&["--data", text(dir), "--demo", "--no-bots"])
}

#[test]
fn an_operator_works_from_another_machine_as_beside_the_venue() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let venue = demo(dir.path());
    let operator = Operator::of(&venue, data);
    let local = |args: &str| {
        let args: Vec<_> = ["admin", "--data", data].into_iter().chain(args.split(' ')).collect();
        run(&args)
    };

    // One command for each place of a field: body, path, path and body.
    operator.done("asset add KWH");
    operator
        .done("instrument add KWHUSDT --base KWH --quote USDT --tick-size 0.01 --lot-size 0.01");
    operator.done("account add carol --maker-fee-bps 1 --taker-fee-bps 2");
    operator.done("deposit carol USDT 12.5 --ref bank-1");
    let requested = operator.done("withdrawal request carol USDT 2.5 --ref out/1");
    assert_eq!(requested["status"], "Requested");
    assert_eq!(operator.done("withdrawal list"), json!([requested]));
    operator.done("withdrawal confirm carol --ref out/1");
    assert_eq!(operator.done("withdrawal list"), json!([]));
    assert_eq!(operator.done("limits carol KWHUSDT --max-order-qty 2.5")["max_order_qty"], "2.50");
    operator.done("instrument fees KWHUSDT --tier 0 10 20 --tier 1000 -0.5 15");
    operator.done("instrument calendar KWHUSDT --session Mon-Sun 00:00 Closed");
    operator.done("instrument rules KWHUSDT --max-stop-orders 5");
    operator.done("risk carol --stp-group 3");
    operator.done("kill carol on");
    operator.done("breaker BTCUSDT --level 700 900");
    operator.done("halt --level 2");
    operator.done("resume");
    operator.done("log-level warn");
    let added = operator.done("key add carol --allow-ip 192.0.2.0/24 --name feed");
    operator.done(&format!("key revoke {}", added["key"]));
    operator.done("delist KWHUSDT");

    // Answers are those of the socket, byte for byte; the text of the audit trail too.
    for args in [
        "asset list",
        "account list",
        "account balances carol",
        "instrument list",
        "instrument update BTCUSDT",
        "withdrawal list carol",
        "order list alice",
        "owed",
        "key list",
        "audit --limit 5",
        "audit --limit 2 --json --command Deposit",
    ] {
        let (here, there) = (local(args), operator.run(args));
        assert_eq!((here.status.code(), there.status.code()), (Some(0), Some(0)), "{args}");
        assert_eq!(String::from_utf8(there.stdout), String::from_utf8(here.stdout), "{args}");
    }
    let audited = operator.done("audit --json --command Deposit --limit 1");
    assert_eq!(audited[0]["origin"], "AdminApi");
    assert_eq!(audited[0]["address"], "127.0.0.1");

    // So are refusals.
    for args in [
        "account add carol",
        "account balances none",
        "deposit alice USDT x --ref bank-2",
        "resume",
        "order show BTCUSDT 77",
        "settle 1",
    ] {
        let here = String::from_utf8(local(args).stderr).unwrap();
        assert_eq!(operator.refused(args), here, "{args}");
    }
    let sentence = operator.refused("key add carol --role operator");
    assert!(sentence.contains("on the venue's machine"), "{sentence}");

    // These have no route: one key could end the need for a second one.
    let sentence = operator.refused("settings --withdrawal-approvals 0");
    assert!(sentence.contains("run it on the venue's machine"), "{sentence}");
    let sentence = operator.refused("rotate-master-key new.key");
    assert!(sentence.contains("rotate it on the venue's machine"), "{sentence}");
    venue.stop();
    let sentence = operator.refused("asset list");
    assert!(sentence.contains("refused") || sentence.contains("connect"), "{sentence}");
}

#[test]
fn a_market_file_is_applied_to_a_venue_on_another_machine() {
    let dir = tempfile::tempdir().unwrap();
    let venue = demo(dir.path());
    let operator = Operator::of(&venue, text(dir.path()));
    let (key, market) = (operator.file("desk.json"), operator.file("market.toml"));
    fs::write(&market, "[account.dave.deposit.bank-7]\nasset = \"USDT\"\namount = 5\n").unwrap();
    let flags = ["--url", &operator.url, "--key-file", text(&key)];
    let apply = [&["apply", text(&market), "--yes"], &flags[..]].concat();
    let applied = String::from_utf8(run(&apply).stdout).unwrap();
    assert!(applied.contains(&format!("to the venue at {}", operator.url)), "{applied}");
    let again = String::from_utf8(run(&apply).stdout).unwrap();
    assert!(again.starts_with("no difference"), "{again}");
    let impossible = "[asset.EUR]\n[account.dave.key.desk]\nrole = \"operator\"\n";
    fs::write(&market, impossible).unwrap();
    let sentence = run_refused(&apply);
    assert!(sentence.contains("on the venue's machine"), "{sentence}");
    assert!(!run_json(&operator.words(&key, "asset list")).to_string().contains("EUR"));
    let export = [&["export", "market"], &flags[..]].concat();
    assert!(String::from_utf8(run(&export).stdout).unwrap().contains("dave"));
    venue.stop();
}

#[test]
fn a_request_goes_over_tls_to_a_venue_that_is_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let [cert, private, other] = ["cert.pem", "tls.key", "other.pem"].map(|it| dir.path().join(it));
    fs::write(&cert, made.cert.pem()).unwrap();
    fs::write(&private, made.signing_key.serialize_pem()).unwrap();
    let stranger = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(&other, stranger.cert.pem()).unwrap();
    let data = dir.path().join("venue");
    let tls = ["--tls-cert", text(&cert), "--tls-key", text(&private)];
    let demo = ["--data", text(&data), "--demo", "--no-bots"];
    let venue = Serving::start(&[&demo[..], &tls].concat());
    let mut operator = Operator::of(&venue, text(&data));
    operator.url = venue.url.replace("127.0.0.1", "localhost");
    let with = |ca: &Path| format!("--ca {} asset list", text(ca));

    let assets = operator.done(&with(&cert));
    assert_eq!(assets.as_array().map(Vec::len), Some(3), "{assets}");
    let untrusted = operator.refused(&with(&other));
    assert!(untrusted.contains("--ca"), "{untrusted}");
    assert!(operator.refused("asset list").contains("--ca"), "the system does not know it");
    // The certificate is for another name.
    operator.url = venue.url.clone();
    assert!(operator.refused(&with(&cert)).contains("certificate"));
    assert!(operator.refused(&with(&private)).contains("tls.key"), "it holds no certificate");
    venue.stop();
}

#[test]
fn an_ed25519_key_signs_without_a_secret_at_the_venue() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let venue = demo(dir.path());
    let operator = Operator::of(&venue, data);
    let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let [public, private, key] =
        ["public.pem", "private.pem", "key.json"].map(|it| operator.file(it));
    fs::write(&public, pair.public_key_pem()).unwrap();
    write_secret(&private, pair.serialize_pem());
    let add = ["key", "add", "bob", "--role", "operator", "--kind", "ed25519", "--public-key"];
    let add = [&["admin", "--data", data], &add[..], &[text(&public)]].concat();
    write_secret(&key, run(&add).stdout);

    let list = format!("--private-key {} asset list", text(&private));
    let assets = run_json(&operator.words(&key, &list));
    assert_eq!(assets.as_array().map(Vec::len), Some(3), "{assets}");
    let sentence = run_refused(&operator.words(&key, "asset list"));
    assert!(sentence.contains("--private-key"), "{sentence}");
    fs::set_permissions(&public, fs::Permissions::from_mode(0o600)).unwrap();
    let list = format!("--private-key {} asset list", text(&public));
    let sentence = run_refused(&operator.words(&key, &list));
    assert!(sentence.contains("public.pem: no private key"), "{sentence}");
    venue.stop();
}

/// Other users of the machine see command lines.
#[test]
fn an_operators_key_is_read_from_its_file_or_its_variable_only() {
    let dir = tempfile::tempdir().unwrap();
    let venue = demo(dir.path());
    let operator = Operator::of(&venue, text(dir.path()));
    let key = fs::read_to_string(operator.file("desk.json")).unwrap();
    let secret: Value = serde_json::from_str(&key).unwrap();
    let secret = secret["secret_key"].as_str().unwrap();
    let list = ["admin", "--url", &operator.url, "asset", "list"];
    let without = run_refused(&list);
    assert!(without.contains("BUTTONWOOD_OPERATOR_KEY"), "{without}");
    let shown = run_refused(&[&list[..], &["--key-file", &key]].concat());
    assert!(shown.contains("others can see") && !shown.contains(secret), "{shown}");
    for value in [key.as_str(), text(&operator.file("desk.json"))] {
        let output = command(&list).env("BUTTONWOOD_OPERATOR_KEY", value).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let broken = operator.file("broken.json");
    write_secret(&broken, key.replace("secret_key", "secret"));
    let sentence = run_refused(&operator.words(&broken, "asset list"));
    assert!(sentence.contains("broken.json") && !sentence.contains(secret), "{sentence}");

    for mode in [0o640, 0o602] {
        fs::set_permissions(&broken, fs::Permissions::from_mode(mode)).unwrap();
        let sentence = run_refused(&operator.words(&broken, "asset list"));
        assert!(sentence.contains("chmod 600"), "{mode:o}: {sentence}");
    }
    fs::remove_file(&broken).unwrap();

    // A key of another role, and a revoked one.
    let trader = ["admin", "--data", text(dir.path()), "key", "add", "bob"];
    write_secret(&broken, run(&trader).stdout);
    let sentence = run_refused(&operator.words(&broken, "asset list"));
    assert!(sentence.contains("(-2015)"), "{sentence}");
    venue.stop();
}

#[test]
fn flags_that_do_not_fit_together_are_refused_before_anything_is_sent() {
    let key = "admin --url http://127.0.0.1:1 --key-file nowhere.json";
    for (args, said) in [
        ("admin --url http://192.0.2.7:8080 asset list", "--allow-plaintext"),
        ("admin --url https://user:secret@venue asset list", "https://host:port"),
        ("admin --url https://venue/admin/v1 asset list", "https://host:port"),
        ("admin --key-file desk.json asset list", "--key-file has a use with --url only"),
        (&format!("{key} asset list"), "nowhere.json"),
    ] {
        let sentence = run_refused(&args.split(' ').collect::<Vec<_>>());
        assert!(sentence.contains(said) && !sentence.contains("secret"), "{args}: {sentence}");
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("desk.json");
    write_secret(&file, r#"{"api_key": "k", "secret_key": "s"}"#);
    let url = ["admin", "--url", "http://127.0.0.1:1", "--key-file", text(&file)];
    let both = [&url[..], &["asset", "list", "--data", text(dir.path())]].concat();
    assert!(run_refused(&both).contains("--data"));
    let unencrypted = [&url[..], &["--ca", "ca.pem", "asset", "list"]].concat();
    assert!(run_refused(&unencrypted).contains("--ca has a use with an https:// --url only"));
}

/// A proxy that answers by itself, and a connection that is cut.
#[test]
fn what_is_no_answer_of_a_venue_is_said_to_be_none() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("desk.json");
    write_secret(&file, r#"{"api_key": "k", "secret_key": "s"}"#);
    let refused = |reply: &'static str, args: &str| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let answering = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _read = stream.read(&mut [0; 4096]).unwrap();
            stream.write_all(reply.as_bytes()).unwrap();
        });
        let flags = ["admin", "--url", &url, "--key-file", text(&file)];
        let words: Vec<_> = flags.into_iter().chain(args.split(' ')).collect();
        let sentence = run_refused(&words);
        answering.join().unwrap();
        sentence
    };
    let page = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 6\r\n\r\n<html>";
    let sentence = refused(page, "asset list");
    assert!(sentence.contains("HTTP 502, and not an answer of a venue"), "{sentence}");
    let moved = "HTTP/1.1 302 Found\r\nlocation: http://192.0.2.7/\r\ncontent-length: 0\r\n\r\n";
    assert!(refused(moved, "asset list").contains("HTTP 302"));
    assert!(!sentence.contains("may have carried out"), "{sentence}");
    assert!(refused(page, "halt").contains("may have carried out"), "the venue goes on behind it");
    assert!(refused("", "halt").contains("may have carried out"));
    assert!(!refused("", "asset list").contains("may have carried out"));
}
