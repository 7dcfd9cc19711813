//! Checks that the page of the rules names existing tests, and that every refusal has a scenario.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use types::{CancelCause, ExpireCause, RejectReason};

#[test]
fn every_rule_names_an_existing_test() {
    let page = read(&workspace().join("docs/matching.md"));
    let mut missing = Vec::new();
    for rule in rules(&page) {
        let named = named_tests(&rule.text);
        if named.is_empty() {
            missing.push(format!("{} names no test", rule.number));
        }
        for (file, test) in named {
            let path = if file.contains('/') {
                workspace().join(&file)
            } else {
                scenarios().join(format!("{file}.rs"))
            };
            if !path.exists() || !has_test(&read(&path), &test) {
                missing.push(format!("{} names {file}: {test}, which is not there", rule.number));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Reasons that need more instruments, accounts, keys or logins than a test can create. Also the
/// end of an order that enters without trading and must not rest, which the ladder refuses.
const WITHOUT: [&str; 5] =
    ["TooManyInstruments", "TooManyAccounts", "TooManyKeys", "TooManyLogins", "Phase"];

#[test]
fn every_refusal_and_every_cause_has_a_scenario() {
    let mut text = String::new();
    for file in scenarios().read_dir().unwrap().map(|file| file.unwrap().path()) {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let compares = ["rules", "random", "model_test"].contains(&name);
        if file.is_file() && !compares && !name.starts_with("script") {
            text += &read(&file);
        }
    }
    let words: BTreeSet<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
    let is_refused = |reason: &&RejectReason| words.contains(&format!("{reason:?}")[..]);
    let refusals = RejectReason::ALL.iter().filter(|reason| !is_refused(reason));
    let refusals = refusals.map(|reason| format!("{reason:?}"));
    // The names of causes have other meanings elsewhere.
    let is_told = |cause: &str, kind: &str| {
        text.contains(&format!(" {cause}\"")) || text.contains(&format!("{kind}::{cause}"))
    };
    let missing = |cause: String, kind: &str| (!is_told(&cause, kind)).then_some(cause);
    let expiries =
        ExpireCause::ALL.iter().filter_map(|cause| missing(format!("{cause:?}"), "ExpireCause"));
    let cancels =
        CancelCause::ALL.iter().filter_map(|cause| missing(format!("{cause:?}"), "CancelCause"));
    let unsaid: Vec<String> = refusals.chain(expiries).chain(cancels).collect();
    assert_eq!(unsaid, WITHOUT, "no scenario has these");
}

struct Rule {
    /// As `4.2`.
    number: String,
    text: String,
}

/// The numbered rules of the page, and its chapters that are one rule each.
fn rules(page: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for chapter in page.split("\n## ").skip(1) {
        let (title, body) = chapter.split_once('\n').unwrap();
        let chapter = title.split_once('.').expect("a number").0;
        let of_chapter = rules.len();
        for line in body.lines() {
            match line.split_once(". ") {
                Some((number, text)) if number.parse::<u32>().is_ok() => rules
                    .push(Rule { number: format!("{chapter}.{number}"), text: text.to_owned() }),
                _ if rules.len() > of_chapter => {
                    let rule = rules.last_mut().unwrap();
                    rule.text += "\n";
                    rule.text += line;
                }
                _ => {}
            }
        }
        if rules.len() == of_chapter {
            rules.push(Rule { number: chapter.to_owned(), text: body.to_owned() });
        }
    }
    rules
}

/// `file: test` in quotes, and the tests of that file that follow it in the list.
fn named_tests(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut listed = false;
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 0 {
            listed &= matches!(part.trim(), "," | ";");
            continue;
        }
        let is_name = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b.is_ascii_digit())
        };
        match part.split_once(": ") {
            Some((file, test)) if is_name(test) && !file.contains(' ') => {
                found.push((file.to_owned(), test.to_owned()));
                listed = true;
            }
            None if listed && is_name(part) && part != "model_test" => {
                let file = found.last().unwrap().0.clone();
                found.push((file, part.to_owned()));
            }
            _ => listed = false,
        }
    }
    found
}

fn has_test(file: &str, test: &str) -> bool {
    let lines: Vec<&str> = file.lines().map(str::trim).collect();
    let is_it = |pair: &[&str]| pair[0] == "#[test]" && pair[1].starts_with(&format!("fn {test}("));
    lines.windows(2).any(is_it)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine")
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
