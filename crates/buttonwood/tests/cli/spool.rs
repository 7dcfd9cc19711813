//! The event spool, through the binary.

use std::fs;

use crate::process::{Serving, run, run_refused, text};

#[test]
fn an_operator_has_the_spool_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let rebuild = ["log", "rebuild-spool", data];
    assert!(run_refused(&rebuild).contains("holds no venue"));
    assert!(fs::read_dir(data).unwrap().next().is_none(), "nothing was begun there");

    let serving = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    assert!(run_refused(&rebuild).contains("is in use"));
    serving.stop();
    let spool = dir.path().join("spool");
    let bytes = |name: &str| fs::read(spool.join(name)).unwrap();
    let segment = format!("{:020}.spool", 1);
    let before = bytes(&segment);
    fs::write(spool.join(&segment), "nothing like it").unwrap();
    let told = run(&rebuild);
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.starts_with("the spool holds the events of commands 1 to "), "{told}");
    assert!(bytes(&segment) == before);

    fs::write(spool.join("notes.txt"), "mine").unwrap();
    assert!(run_refused(&rebuild).contains("notes.txt"));
    assert!(bytes(&segment) == before && bytes("notes.txt") == b"mine");
    let sentence = run_refused(&["log", "rebuild-spool", data, "--spool-max-mib", "1"]);
    assert!(sentence.contains("spool_max_mib must be between 32"), "{sentence}");
}
