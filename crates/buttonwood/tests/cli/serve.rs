//! `serve` as an operator sees it: what it needs, what it refuses, how it stops.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use client::{NewOrder, OrderKey};
use serde_json::Value;

use crate::process::{Serving, command, run, run_json, run_refused, text};

#[test]
fn says_in_one_sentence_why_it_does_not_start() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let data = text(&data);
    let free = ["--http", "127.0.0.1:0"];
    let refused = |args: &[&str]| run_refused(&[&["serve"], &free[..], args].concat());

    let sentence = refused(&["--data", data]);
    assert!(sentence.contains("no master key"), "{sentence}");
    assert!(!Path::new(data).exists(), "nothing is written before the key is there");
    assert!(refused(&["--data", data, "--master-key", "/nowhere"]).contains("/nowhere"));
    assert!(refused(&["--data", "/proc/nowhere", "--demo"]).contains("/proc/nowhere"));
    assert!(refused(&["--data", data, "--demo", "--log-level", "?"]).contains("log level"));

    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let id = venue.id().to_string();
    assert!(
        refused(&["--data", data, "--demo"]).contains(&id),
        "names the process that has the folder"
    );
    let taken = venue.url.strip_prefix("http://").unwrap();
    let other = dir.path().join("other");
    let sentence = run_refused(&["serve", "--http", taken, "--data", text(&other), "--demo"]);
    assert!(sentence.contains(taken), "{sentence}");
    assert!(!other.exists());
    venue.stop();

    let sentence = refused(&["--data", data, "--demo", "--durability", "memory"]);
    assert!(sentence.contains("durable log"), "{sentence}");
}

#[test]
fn refuses_a_folder_of_a_newer_format() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    Serving::start(&["--data", text(&data), "--demo", "--no-bots"]).stop();
    // A snapshot of a later version, intact by its checksum, as that version would leave it.
    let snapshot = only_file(&data.join("snapshots"));
    let mut bytes = fs::read(&snapshot).unwrap();
    let version = u16::from_le_bytes([bytes[8], bytes[9]]);
    bytes[8..10].copy_from_slice(&(version + 1).to_le_bytes());
    let checked = bytes.len() - 32;
    let checksum = *blake3::hash(&bytes[..checked]).as_bytes();
    bytes[checked..].copy_from_slice(&checksum);
    fs::write(&snapshot, &bytes).unwrap();
    let sentence =
        run_refused(&["serve", "--http", "127.0.0.1:0", "--data", text(&data), "--demo"]);
    assert!(sentence.contains(text(&snapshot)) && sentence.contains("later build"), "{sentence}");
    assert_eq!(fs::read(&snapshot).unwrap(), bytes, "it is left as it was");
}

#[test]
fn refuses_a_damaged_log_and_names_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    Serving::start(&["--data", text(&data), "--demo", "--no-bots"]).stop();
    let segment = data.join("log/00000000000000000001.log");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[500] ^= 1;
    fs::write(&segment, &bytes).unwrap();
    let sentence =
        run_refused(&["serve", "--http", "127.0.0.1:0", "--data", text(&data), "--demo"]);
    assert!(sentence.contains(text(&segment)), "{sentence}");
}

#[test]
fn a_full_disk_is_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=200k tmpfs \"$1\" && exec \"$2\" serve --demo \
                  --http 127.0.0.1:0 --data \"$1/data\"";
    let output = std::process::Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", script, "sh", text(dir.path())])
        .arg(env!("CARGO_BIN_EXE_buttonwood"))
        .output();
    let Ok(output) = output else {
        return eprintln!("SKIPPED: there is no `unshare` to make a small disk with");
    };
    let sentence = String::from_utf8_lossy(&output.stderr);
    if !sentence.starts_with("buttonwood: ") {
        return eprintln!("SKIPPED: no small disk could be made here: {sentence}");
    }
    assert_eq!(output.status.code(), Some(1));
    assert!(sentence.contains("the disk is full"), "{sentence}");
}

#[test]
fn what_stands_in_the_way_of_a_demo_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let obstacle = data.join("demo.json.unfinished");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&obstacle).unwrap();
    let args = ["serve", "--http", "127.0.0.1:0", "--demo", "--data", text(&data)];
    let sentence = run_refused(&args);
    assert!(sentence.contains(text(&obstacle)), "{sentence}");
}

#[test]
fn an_operator_at_a_time_when_no_file_can_be_opened_does_not_end_the_venue() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Serving::start(&["--data", text(dir.path()), "--demo", "--no-bots"]);
    let id = venue.id().to_string();
    let limit = |files: &str| {
        let args = ["--pid", &id, &format!("--nofile={files}:")];
        std::process::Command::new("prlimit").args(args).status().is_ok_and(|done| done.success())
    };
    if !limit("3") {
        return eprintln!("SKIPPED: there is no `prlimit` to take the venue's files away with");
    }
    let socket = std::os::unix::net::UnixStream::connect(dir.path().join("admin.sock")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(limit("1000"));
    drop(socket);
    let assets = run_json(&["admin", "--data", text(dir.path()), "asset", "list"]);
    assert_eq!(assets.as_array().unwrap().len(), 3);
    venue.stop();
}

#[test]
fn settings_come_from_flag_then_file_then_environment() {
    let dir = tempfile::tempdir().unwrap();
    let [by_flag, by_file, by_variable] =
        ["flag", "file", "variable"].map(|name| dir.path().join(name));
    let file = dir.path().join("buttonwood.toml");
    fs::write(&file, format!("data_dir = {by_file:?}\n")).unwrap();
    // What it says before it stops for want of a key names the folder that it read: the demo's.
    let demo = |args: &[&str]| {
        let args = [&["serve", "--http", "127.0.0.1:0", "--durability", "memory"], args].concat();
        let output = command(&args).env("BUTTONWOOD_DATA_DIR", &by_variable).output().unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for folder in [&by_flag, &by_file, &by_variable] {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("demo.json"), "not JSON").unwrap();
    }
    let file = text(&file);
    assert!(demo(&["--config", file, "--data", text(&by_flag)]).contains(text(&by_flag)));
    assert!(demo(&["--config", file]).contains(text(&by_file)));
    assert!(demo(&[]).contains(text(&by_variable)));
    let wrong = dir.path().join("wrong.toml");
    fs::write(&wrong, "htpt = 1\n").unwrap();
    assert!(demo(&["--config", text(&wrong)]).contains("htpt"));
}

#[test]
fn every_setting_is_on_the_page_for_operators() {
    let page = include_str!("../../../../docs/operations.md");
    let help = run(&["serve", "--help"]).stdout;
    let help = String::from_utf8(help).unwrap();
    let variables = help.split("[env: ").skip(1).map(|rest| rest.split(']').next().unwrap());
    let settings: Vec<_> = variables.filter(|name| *name != "BUTTONWOOD_CONFIG").collect();
    assert!(settings.len() > 20, "{settings:?}");
    for variable in settings {
        let key = variable.strip_prefix("BUTTONWOOD_").unwrap().to_lowercase();
        assert!(page.contains(&format!("| `{key}` | `{variable}` |")), "{variable}");
    }
}

#[tokio::test]
async fn a_venue_of_ones_own_keeps_its_secrets_sealed() {
    let dir = tempfile::tempdir().unwrap();
    let (data, key_file) = (dir.path().join("data"), dir.path().join("master.key"));
    let (data, key_file) = (text(&data), text(&key_file));
    assert!(run(&["admin", "new-master-key", key_file]).status.success());
    let master_key = fs::read_to_string(key_file).unwrap().trim().to_owned();
    let sentence = run_refused(&["admin", "new-master-key", key_file]);
    assert!(sentence.contains(key_file), "an old key is never overwritten: {sentence}");

    // Set up while it is stopped, and while it runs.
    fs::DirBuilder::new().mode(0o700).create(data).unwrap();
    let admin = |args: &[&str]| {
        run_json(&[&["admin", "--data", data, "--master-key", key_file], args].concat())
    };
    admin(&["asset", "add", "EUR"]);
    admin(&["asset", "add", "KWH"]);
    let stopped = admin(&["account", "add", "carol"]);
    assert_eq!(stopped["account"], "carol");
    let first = admin(&["key", "add", "carol"]);
    let venue = Serving::start(&["--data", data, "--master-key", key_file]);
    admin(&[
        "instrument",
        "add",
        "KWHEUR",
        "--base",
        "KWH",
        "--quote",
        "EUR",
        "--tick-size",
        "0.0001",
        "--lot-size",
        "0.01",
        "--taker-fee-bps",
        "5",
    ]);
    admin(&["deposit", "carol", "EUR", "5000", "--ref", "bank-1"]);
    let second = admin(&["key", "add", "carol", "--role", "read-only"]);
    let string = |value: &Value| value.as_str().unwrap().to_owned();
    let [first, second] =
        [first, second].map(|key| [string(&key["api_key"]), string(&key["secret_key"])]);

    let trader = venue.client(&first[0], &first[1]);
    let order = NewOrder::limit("KWHEUR", types::Side::Buy, "100", "0.25");
    let placed = trader.place(&order).await.unwrap();
    let reader = venue.client(&second[0], &second[1]);
    assert_eq!(reader.account().await.unwrap().balance("EUR").unwrap().locked, "25.00000000");
    assert_eq!(reader.place(&order).await.unwrap_err().code(), Some(-2015));
    venue.kill();

    let venue = Serving::start(&["--data", data, "--master-key", key_file]);
    let trader = venue.client(&first[0], &first[1]);
    let found = trader.order("KWHEUR", OrderKey::OrderId(placed.order_id)).await.unwrap();
    assert_eq!(found.status, "NEW");
    assert_eq!(admin(&["key", "list"]).as_array().unwrap().len(), 2);
    admin(&["key", "revoke", "1"]);
    assert_eq!(trader.account().await.unwrap_err().code(), Some(-2015), "at once");
    venue.stop();

    let other_key = dir.path().join("other.key");
    assert!(run(&["admin", "new-master-key", text(&other_key)]).status.success());
    let serve = ["serve", "--http", "127.0.0.1:0", "--data", data, "--master-key"];
    assert!(run_refused(&[&serve[..], &[text(&other_key)]].concat()).contains("master key"));

    let secrets = first.iter().chain(&second).chain([&master_key]);
    for file in files_below(Path::new(data)) {
        let bytes = fs::read(&file).unwrap();
        for secret in secrets.clone() {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "a secret lies open in {}", file.display());
        }
    }
}

#[test]
fn admin_refuses_what_it_cannot_do() {
    let dir = tempfile::tempdir().unwrap();
    let refused =
        |args: &[&str]| run_refused(&[&["admin", "--data", text(dir.path())], args].concat());
    assert!(run_refused(&["admin", "--data", "/nowhere", "asset", "list"]).contains("/nowhere"));
    assert!(refused(&["asset", "list"]).contains("no venue"));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "looking leaves nothing behind");
    run_json(&["admin", "--data", text(dir.path()), "asset", "add", "EUR", "--decimals", "2"]);
    assert!(refused(&["asset", "add", "EUR"]).contains("already"));
    assert!(refused(&["asset", "add", "eur"]).contains("capital letters"));
    assert!(refused(&["account", "balances", "dave"]).contains("`dave`"));
    run_json(&["admin", "--data", text(dir.path()), "account", "add", "dave"]);
    let deposit = ["deposit", "dave", "EUR", "10", "--ref", "1"];
    let balances = run_json(&[&["admin", "--data", text(dir.path())], &deposit[..]].concat());
    assert_eq!(balances[0]["free"], "10.00");
    let again = run_json(&[&["admin", "--data", text(dir.path())], &deposit[..]].concat());
    assert_eq!(again, balances, "the first one's result");
    let other = ["deposit", "dave", "EUR", "11", "--ref", "1"];
    assert!(refused(&other).contains("an earlier transfer"));
    assert!(refused(&["deposit", "dave", "EUR", "0.001", "--ref", "2"]).contains("2 places"));
    assert!(refused(&["deposit", "dave", "EUR", "0", "--ref", "2"]).contains("above zero"));
    let withdraw = ["withdraw", "dave", "EUR", "11", "--ref", "2"];
    assert!(refused(&withdraw).contains("withdrawals need approvals"));
    assert!(refused(&["settings", "--withdrawal-approvals", "6"]).contains("at most 5"));
    let settings = ["settings", "--withdrawal-approvals", "0"];
    run_json(&[&["admin", "--data", text(dir.path())], &settings[..]].concat());
    assert!(refused(&withdraw).contains("too small"));
    assert!(refused(&["key", "add", "dave"]).contains("no master key"));
    assert!(refused(&["key", "revoke", "9"]).contains("no valid key"));
}

fn only_file(dir: &Path) -> PathBuf {
    let files = files_below(dir);
    assert_eq!(files.len(), 1, "{files:?}");
    files.into_iter().next().unwrap()
}

pub(crate) fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => files.extend(files_below(&entry.path())),
            kind if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
    files
}
