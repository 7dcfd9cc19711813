//! The commands that the pages show exist, with the flags that they show.

use std::collections::BTreeSet;
use std::path::Path;

use super::process;

#[test]
fn every_command_on_a_page_is_known_with_its_flags() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![
        root.join("README.md"),
        root.join("ARCHITECTURE.md"),
        root.join("CONTRIBUTING.md"),
        root.join("bench/README.md"),
    ];
    pages.extend(std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    pages.retain(|page| page.extension().is_some_and(|it| it == "md"));
    let mut shown = BTreeSet::new();
    for page in pages {
        shown.extend(commands(&std::fs::read_to_string(page).unwrap()));
    }
    assert!(shown.len() > 40, "the pages show {} commands only", shown.len());
    let stale: Vec<_> = shown.iter().filter_map(|it| complaint(it)).collect();
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn a_stale_command_is_found() {
    let page =
        "Run `buttonwood log cut DIR`, or:\n```sh\nbuttonwood log dump DIR --sideways\n```\n";
    let shown: Vec<_> = commands(page).collect();
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(shown.iter().all(|it| complaint(it).is_some()), "{shown:?}");
}

/// What follows `buttonwood` in code, up to a comment or the end of the command.
fn commands(page: &str) -> impl Iterator<Item = Vec<String>> {
    let page = page.replace("\\\n", " ");
    let mut is_block = false;
    let mut code = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_block = !is_block;
        } else if is_block {
            code.push(line.to_owned());
        } else {
            code.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    code.into_iter().filter_map(|line| {
        let mut words = line.split_whitespace();
        let program = words.next()?;
        if program.rsplit('/').next() != Some("buttonwood") {
            return None;
        }
        let words = words.take_while(|it| !it.starts_with(['#', '|', '>', '&', '…']));
        let words: Vec<_> = words.map(str::to_owned).collect();
        words.first().filter(|it| is_command(it))?;
        Some(words)
    })
}

/// Words before the first flag or value name a command: `--help` beside them must know each.
fn complaint(words: &[String]) -> Option<String> {
    let names = words.iter().map(String::as_str).take_while(|it| is_command(it));
    let output = process::run(&names.chain(["--help"]).collect::<Vec<_>>());
    let help = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Some(format!("buttonwood {}: no such command", words.join(" ")));
    }
    let flags = words.iter().filter(|it| it.starts_with("--"));
    let flags = flags.map(|it| it.split('=').next().unwrap_or(it));
    let unknown = flags.into_iter().find(|flag| !help.split_whitespace().any(|it| it == *flag))?;
    Some(format!("buttonwood {}: {unknown} is not in its --help", words.join(" ")))
}

fn is_command(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.starts_with('-')
}
