//! How many crates a stranger waits for before the first start of the venue.

use std::collections::BTreeSet;
use std::process::Command;

/// As many as `make run` builds. A crate that is added is paid for with another one, or by raising
/// this number, with the reason in the commit.
const BUILT_MAX: usize = 210;

#[test]
fn make_run_builds_no_more_crates_than_before() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--package",
            "buttonwood",
            "--no-default-features",
            "--edges",
            "normal,build",
        ])
        .args(["--prefix", "none", "--no-dedupe", "--format", "{p}", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let built: BTreeSet<&str> = text.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    assert!(built.len() > 100, "cargo lists its crates in another form:\n{text}");
    assert!(built.len() <= BUILT_MAX, "{} crates: {built:#?}", built.len());
}
