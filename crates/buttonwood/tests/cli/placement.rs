//! Where a venue's threads run and its memory lies, as the system reports of the process.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::process::{Serving, command, run, run_refused, text};

const NO_SUCH_CORE: &str = "1023";

fn start(data: &Path, settings: &[&str]) -> Serving {
    Serving::start(&[&["--data", text(data), "--demo", "--no-bots"], settings].concat())
}

/// The words after a name in the system's report on a process or a thread.
fn status(file: &Path, name: &str) -> Option<String> {
    let status = fs::read_to_string(file).unwrap();
    status.lines().find_map(|line| line.strip_prefix(name)).map(|words| words.trim().to_owned())
}

/// On which cores each thread may run, by the threads' names.
fn threads(venue: &Serving) -> Vec<(String, String)> {
    let tasks = fs::read_dir(format!("/proc/{}/task", venue.id())).unwrap();
    let files = tasks.map(|task| task.unwrap().path().join("status"));
    let told = |file: &Path, name| status(file, name).unwrap();
    files.map(|file| (told(&file, "Name:"), told(&file, "Cpus_allowed_list:"))).collect()
}

#[test]
fn threads_run_on_the_named_cores_and_beside_ouch_its_followers_on_the_others() {
    let everywhere = cores_of(&status("/proc/self/status".as_ref(), "Cpus_allowed_list:").unwrap());
    let [first, .., last] = everywhere[..] else {
        return eprintln!("SKIPPED: there is one core only");
    };
    let all_but = |core| everywhere.iter().copied().filter(|other| *other != core).collect();
    let dir = tempfile::tempdir().unwrap();
    let check = |settings: &[&str], pinned: &[&str], pinned_to: Vec<u32>, others: Vec<u32>| {
        let venue = start(&dir.path().join(settings.concat()), settings);
        let threads = threads(&venue);
        venue.stop();
        for name in ["engine", "log-writer", "publisher", "projection", "log-filler"] {
            assert!(threads.iter().any(|(thread, _)| thread == name), "{name}: {threads:?}");
        }
        for (name, cores) in threads {
            let expected = match name.as_str() {
                "publisher" | "projection" => &others,
                name if pinned.contains(&name) => &pinned_to,
                _ => &everywhere,
            };
            assert_eq!(cores_of(&cores), *expected, "{name} with {settings:?}");
        }
    };
    let ouch = ["--ouch", "127.0.0.1:0"];
    check(&[], &[], vec![], everywhere.clone());
    check(&ouch, &[], vec![], all_but(last));
    let core = first.to_string();
    let pin = ["--pin", &core];
    check(&pin, &["engine"], vec![first], everywhere.clone());
    check(&[ouch, pin].concat(), &["engine"], vec![first], all_but(first));
    let both = ["--pin", &format!("{core},{core}")];
    check(&both, &["engine", "log-writer"], vec![first], everywhere.clone());
    check(&[ouch, both].concat(), &["engine", "log-writer"], vec![first], all_but(first));
}

/// Those of a list such as `0-2,5`.
fn cores_of(list: &str) -> Vec<u32> {
    let ranges = list.split(',').map(|range| range.split_once('-').unwrap_or((range, range)));
    ranges.flat_map(|(first, last)| first.parse().unwrap()..=last.parse().unwrap()).collect()
}

#[test]
fn cores_that_cannot_be_had_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let serve = ["serve", "--http", "127.0.0.1:0", "--demo", "--data", text(&data)];
    let refused = |args: &[&str]| run_refused(&[&serve, args].concat());
    assert!(refused(&["--pin", NO_SUCH_CORE]).contains(&format!("core {NO_SUCH_CORE},")));
    assert!(refused(&["--pin", &format!("0,{NO_SUCH_CORE}")]).contains("no such core"));
    assert!(refused(&["--pin", "first"]).contains("`first`"));
    let without_log = refused(&["--pin", "0,0", "--durability", "memory"]);
    assert!(without_log.contains("name one core"), "{without_log}");
    assert!(!data.exists(), "nothing is written before");
}

#[test]
fn the_venue_of_a_bench_gets_its_switch() {
    let output = run(&["bench", "rest-mix", "--durability", "memory", "--pin", NO_SUCH_CORE]);
    let sentences = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && sentences.contains("pin names core"), "{sentences}");
}

#[test]
fn huge_pages_are_switched_off_for_the_whole_process_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let may_have_them = |settings: &[&str]| {
        let venue = start(&dir.path().join(settings.concat()), settings);
        let file = format!("/proc/{}/status", venue.id());
        let enabled = status(file.as_ref(), "THP_enabled:");
        venue.stop();
        enabled
    };
    let here = status("/proc/self/status".as_ref(), "THP_enabled:");
    assert_eq!(may_have_them(&[]), here);
    assert_eq!(may_have_them(&["--huge-pages", "on"]), here);
    assert_eq!(may_have_them(&["--huge-pages", "off"]), here.map(|_| "0".to_owned()));
}

#[test]
fn a_switch_is_on_or_off_wherever_it_is_set() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let serve = ["serve", "--http", "127.0.0.1:0", "--demo", "--data", text(&data)];
    let output = command(&serve).env("BUTTONWOOD_HUGE_PAGES", "maybe").output().unwrap();
    let sentence = String::from_utf8_lossy(&output.stderr);
    assert!(sentence.contains("BUTTONWOOD_HUGE_PAGES") && sentence.contains("maybe"), "{sentence}");
    let output = command(&[&serve[..], &["--huge-pages", "maybe"]].concat()).output().unwrap();
    let sentence = String::from_utf8_lossy(&output.stderr);
    assert!(sentence.contains("--huge-pages") && sentence.contains("maybe"), "{sentence}");
    assert!(!data.exists());
}
