//! RFC 6455 conformance: the Autobahn suite against the venue's WebSockets, on a route that echoes
//! messages. `make autobahn` installs the suite and runs this.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::support::Site;

/// Framing, pings and pongs, reserved bits, opcodes, fragments, UTF-8, closing.
const SECTIONS: [&str; 7] = ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*"];
const CASES_LEAST: usize = 240;

/// Cases, by the beginning of their names, whose result differs from the suite's expectation, and
/// the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("1.2.", "binary messages: the venue speaks JSON, and closes with 1003"),
    ("6.4.3", "text that is no UTF-8 is refused at the end of its frame, not in the midst of it"),
    ("6.4.4", "the same, octet by octet; the suite calls both non-strict, not wrong"),
];

#[tokio::test(flavor = "multi_thread")]
async fn the_suite_finds_no_fault_but_those_with_a_reason() {
    let python = std::env::var("WSTEST_PYTHON").expect("run this by `make autobahn`");
    let site = Site::new().await;
    let dir = tempfile::tempdir().unwrap();
    let spec = json!({
        "outdir": dir.path(),
        "servers": [{ "agent": "venue", "url": format!("ws://{}/echo", site.address) }],
        "cases": SECTIONS,
    });
    let spec_path = dir.path().join("spec.json");
    std::fs::write(&spec_path, spec.to_string()).unwrap();
    let mut wstest = Command::new(python);
    wstest.args(["-m", "autobahntestsuite.wstest", "--mode", "fuzzingclient", "--spec"]);
    wstest.arg(&spec_path).current_dir(dir.path());
    let ended = spawn_blocking(move || wstest.output()).await.unwrap().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    check(&read_report(dir.path()));
}

fn read_report(dir: &Path) -> Value {
    let text = std::fs::read_to_string(dir.join("index.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["venue"].take()
}

fn check(report: &Value) {
    let cases = report.as_object().expect("cases by name");
    assert!(cases.len() >= CASES_LEAST, "only {} cases were run", cases.len());
    let is_fault = |ended: &Value| !matches!(ended.as_str(), Some("OK" | "INFORMATIONAL"));
    let mut unexplained = Vec::new();
    let mut used = BTreeSet::new();
    for (name, case) in cases {
        if !is_fault(&case["behavior"]) && !is_fault(&case["behaviorClose"]) {
            continue;
        }
        match EXCEPTIONS.iter().find(|(prefix, _)| name.starts_with(prefix)) {
            Some((prefix, _)) => drop(used.insert(*prefix)),
            None => unexplained.push(format!("{name}: {case}")),
        }
    }
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    assert_eq!(used.len(), EXCEPTIONS.len(), "some exceptions are none any more: {used:?}");
}
