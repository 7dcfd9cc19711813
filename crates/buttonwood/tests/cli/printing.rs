//! Output that has no reader, as behind `| head`: the tools finish their work all the same.

use std::fs;
use std::io::PipeWriter;
use std::process::{Command, Stdio};

use crate::process::{Serving, command, run, run_json, text};

const MARKET: &str = r#"
[asset.EUR]
decimals = 2

[asset.KWH]
decimals = 3

[account.carol]
"#;

/// A pipe whose reader has left.
fn closed() -> PipeWriter {
    std::io::pipe().unwrap().1
}

/// Exit status and standard error of a command whose standard output has no reader.
fn run_unread(args: &[&str]) -> (Option<i32>, String) {
    let output = command(args).stdout(closed()).stderr(Stdio::piped()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn code(mut command: Command) -> Option<i32> {
    command.stdout(closed()).stderr(closed()).status().unwrap().code()
}

#[test]
fn a_reader_that_leaves_stops_no_work() {
    let dir = tempfile::tempdir().unwrap();
    let (venue, market) = (dir.path().join("venue"), dir.path().join("market.toml"));
    let (backup, out) = (dir.path().join("backup"), dir.path().join("out"));
    fs::create_dir(&venue).unwrap();
    let [venue, backup, out] = [&venue, &backup, &out].map(|path| text(path));
    fs::write(&market, MARKET).unwrap();
    let done = (Some(0), String::new());
    let apply = ["apply", text(&market), "--yes", "--data", venue];
    assert_eq!(run_unread(&apply), done);
    let shown = String::from_utf8(run(&apply).stdout).unwrap();
    assert!(shown.starts_with("no difference"), "{shown}");
    assert_eq!(run_unread(&["backup", venue, backup]), done);
    for unread in [
        &["admin", "settings", "--data", venue][..],
        &["admin", "account", "list", "--data", venue],
        &["export", "market", "--data", venue],
        &["log", "verify", venue],
        &["log", "dump", venue],
        &["log", "state", venue],
        &["log", "export", venue, "--out", out],
        &["log", "rebuild-spool", venue],
        &["projection", "rebuild", venue],
        &["projection", "status", venue],
        &["bench", "gen", "--orders", "1000"],
        &["completions", "bash"],
        &["sim", "--seeds", "1"],
        &["--help"],
    ] {
        assert_eq!(run_unread(unread), done, "{unread:?}");
    }
    assert_eq!(code(command(&["log", "verify", backup])), Some(0));
    assert_eq!(code(command(&["log", "verify", out])), Some(1), "its status is of its work");
}

#[test]
fn a_secret_that_was_not_shown_is_reported_after_the_work() {
    let dir = tempfile::tempdir().unwrap();
    let [venue, market, key] =
        ["venue", "market.toml", "master.key"].map(|name| dir.path().join(name));
    fs::create_dir(&venue).unwrap();
    let [venue, market, key] = [&venue, &market, &key].map(|path| text(path));
    fs::write(market, format!("{MARKET}\n[account.carol.key.main]\n\n[account.dave]\n")).unwrap();
    run(&["admin", "new-master-key", key]);
    let apply = ["apply", market, "--yes", "--data", venue, "--master-key", key];
    let (status, sentence) = run_unread(&apply);
    assert_eq!(status, Some(1), "{sentence}");
    assert!(sentence.contains("the secret of account carol, key main"), "{sentence}");
    let shown = String::from_utf8(run(&apply).stdout).unwrap();
    assert!(shown.starts_with("no difference"), "{shown}");
}

#[test]
fn a_venue_serves_without_a_reader_of_its_log() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let mut serve =
        command(&["serve", "--http", "127.0.0.1:0", "--data", data, "--demo", "--no-bots"]);
    serve.stderr(closed());
    let venue = Serving::ready(serve);
    run_json(&["admin", "account", "list", "--data", data]);
    venue.stop();
}

#[test]
fn a_key_whose_secret_has_no_reader_is_no_success() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let serving = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let add = ["admin", "--data", data, "key", "add", "bob", "--name", "lost"];
    let (code, sentence) = run_unread(&add);
    assert_eq!(code, Some(1));
    let keys = run_json(&["admin", "--data", data, "key", "list"]);
    let lost = keys.as_array().unwrap().iter().find(|key| key["name"] == "lost").unwrap();
    let number = lost["key"].as_u64().unwrap();
    assert!(sentence.contains("its secret is lost"), "{sentence}");
    assert!(sentence.contains(&format!("admin key revoke {number}`")), "{sentence}");
    serving.stop();
}
