//! The read model, through the binary.

use std::fs;

use crate::process::{Serving, run, run_refused, text};

fn printed(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_operator_asks_for_it_and_has_it_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    assert!(run_refused(&["projection", "rebuild", data]).contains("there is no venue in"));
    assert!(run_refused(&["projection", "status", data]).contains("there is no "));
    assert!(fs::read_dir(data).unwrap().next().is_none(), "nothing was begun there");

    let serving = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    assert!(run_refused(&["projection", "rebuild", data]).contains("is in use"));
    serving.kill();
    let serving = Serving::start(&["--data", data, "--no-bots"]);
    serving.stop();
    let status = printed(&["projection", "status", data]);
    assert!(status.starts_with("commands 1 to "), "{status}");
    let of = |status: &str, table: &str| {
        let line = status.lines().find(|line| line.starts_with(table)).unwrap().to_owned();
        line.split_whitespace().last().unwrap().parse::<u64>().unwrap()
    };
    assert!(of(&status, "balance_changes") > 0, "a demo has deposits: {status}");

    let rebuilt = printed(&["projection", "rebuild", data]);
    let (_, commands) = rebuilt.trim_end().rsplit_once("commands ").unwrap();
    assert!(status.starts_with(&format!("commands {commands}\n")), "{status} {rebuilt}");
    let again = printed(&["projection", "status", data]);
    let tables = |status: &str| {
        let lines = status.lines().filter(|line| !line.starts_with("schema"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(tables(&again), tables(&status));
}
