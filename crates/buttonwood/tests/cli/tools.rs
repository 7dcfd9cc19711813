//! Commands that need no venue: the simulation, completions, man pages.

use std::fs;

use crate::process::{run, text};

#[test]
fn the_simulation_passes_its_seeds_and_finds_a_planted_bug() {
    let passed = run(&["sim", "--seeds", "3"]);
    let summary = String::from_utf8_lossy(&passed.stdout);
    assert!(passed.status.success() && summary.starts_with("3 seeds in "), "{passed:?}");
    for (world, plant) in
        [("local", "ack-before-sync"), ("local", "skip-checksum"), ("shared", "forget-retries")]
    {
        let found = run(&["sim", "--seeds", "200", "--world", world, "--plant", plant]);
        assert_eq!(found.status.code(), Some(1), "{plant}: {found:?}");
        let sentences = String::from_utf8_lossy(&found.stderr);
        assert!(sentences.starts_with("seed "), "{plant}: {sentences}");
        let last = sentences.lines().last();
        assert_eq!(last, Some("buttonwood: a run has failed; its seed stands above"), "{plant}");
    }
}

#[test]
fn each_shell_has_a_script_that_completes_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let printed = run(&["completions", shell]);
        let script = String::from_utf8_lossy(&printed.stdout);
        assert!(printed.status.success(), "{shell}: {printed:?}");
        assert!(script.contains("buttonwood") && script.contains("serve"), "{shell}: {script}");
    }
}

#[test]
fn each_command_has_a_man_page() {
    let dir = tempfile::tempdir().unwrap();
    assert!(run(&["man", text(dir.path())]).status.success());
    for page in ["buttonwood.1", "buttonwood-serve.1", "buttonwood-admin-deposit.1"] {
        let page = fs::read_to_string(dir.path().join(page)).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    let refused = run(&["man", text(&dir.path().join("absent"))]);
    let sentence = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && sentence.contains("absent"), "{sentence}");
}
