//! Which crate may depend on which. *Sees* means these and all that they see.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

mod built;
mod knots;
mod source;
mod walls;

/// From the vocabulary outwards; a crate sees only what stands above it.
const SEES: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("engine", &["types"]),
    ("disk", &[]),
    ("log", &["types", "disk"]),
    ("spool", &["types", "disk"]),
    ("marketdata", &["types"]),
    ("protocol", &["types"]),
    ("proto", &[]),
    ("recorded", &["protocol"]),
    ("venue", &["engine", "log", "spool", "marketdata"]),
    ("sim", &["venue"]),
    ("projection", &["spool", "marketdata"]),
    ("sinks", &["projection"]),
    ("shm", &[]),
    ("gateway", &["venue", "projection", "protocol", "proto", "shm"]),
    ("client", &["protocol", "proto", "shm"]),
    ("replay", &["engine", "marketdata", "recorded"]),
    // The client is for the demo's bots, which come in by the front door; the replay for a recorded
    // market.
    ("server", &["gateway", "sinks", "client", "replay"]),
    ("cli", &["server"]),
    ("admin", &["cli"]),
    ("audit", &["cli"]),
    ("bench", &["cli", "client", "replay"]),
    ("strategy", &["replay", "client"]),
    ("pipeline", &["protocol"]),
    ("research", &["cli", "pipeline", "strategy"]),
    ("buttonwood", &["admin", "audit", "bench", "research", "sim"]),
    // For tests only: no crate above may see it, but by the table below.
    ("testing", &["server"]),
];

/// What the tests of a crate depend on, besides the crate's own dependencies. Such an edge is in no
/// program.
const DEV_SEES: &[(&str, &[&str])] = &[
    ("engine", &["marketdata"]),
    ("venue", &["testing"]),
    ("projection", &["log", "testing", "venue"]),
    ("sinks", &["testing", "venue"]),
    ("gateway", &["client", "log", "testing"]),
    ("buttonwood", &["client", "log", "marketdata", "protocol", "recorded", "strategy", "types"]),
];

/// Libraries of command lines, and the crates that have none.
const WITHOUT_A_COMMAND_LINE: (&str, &[&str]) =
    ("clap", &["server", "replay", "strategy", "gateway", "venue"]);

#[test]
fn crates_depend_only_on_what_they_may_see() {
    let broken = broken_edges(&workspace());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn each_kind_of_wrong_edge_is_caught() {
    let planted = |name: &str, sees: &[&str], dev_sees: &[&str]| {
        let names = |of: &[&str]| of.iter().map(|name| (*name).to_owned()).collect();
        let (name, libraries) = (name.to_owned(), Vec::new());
        broken_edges(&[Edges { name, sees: names(sees), dev_sees: names(dev_sees), libraries }])
    };
    assert_eq!(planted("engine", &["log"], &[]), ["engine may not see log"]);
    assert_eq!(planted("projection", &["venue"], &[]), ["projection may not see venue"]);
    assert_eq!(planted("spool", &[], &["venue"]), ["the tests of spool may not see venue"]);
    assert_eq!(planted("gateway", &["testing"], &[]), ["gateway may not see testing"]);
    assert_eq!(planted("shed", &[], &[]), ["crate shed has no place in the house"]);
    // Through another one, and for its tests only.
    let fine: [&str; 0] = [];
    assert_eq!(planted("gateway", &["types", "engine"], &["log"]), fine);
}

#[test]
fn libraries_have_no_command_line() {
    let (library, without) = WITHOUT_A_COMMAND_LINE;
    let workspace = workspace();
    for name in without {
        let found = workspace.iter().find(|edges| edges.name == *name);
        let edges = found.unwrap_or_else(|| panic!("there is no crate {name}"));
        assert!(!edges.libraries.iter().any(|seen| seen == library), "{name} sees {library}");
    }
}

fn broken_edges(workspace: &[Edges]) -> Vec<String> {
    let allowed = allowed();
    let mut broken = Vec::new();
    for Edges { name, sees, dev_sees, .. } in workspace {
        let Some(may_see) = allowed.get(name.as_str()) else {
            broken.push(format!("crate {name} has no place in the house"));
            continue;
        };
        let wrong = sees.iter().filter(|seen| !may_see.contains(seen.as_str()));
        broken.extend(wrong.map(|seen| format!("{name} may not see {seen}")));
        let for_tests = DEV_SEES.iter().find(|(of, _)| of == name).map_or(&[][..], |(_, all)| all);
        let wrong = dev_sees.iter().filter(|seen| !for_tests.contains(&seen.as_str()));
        broken.extend(wrong.map(|seen| format!("the tests of {name} may not see {seen}")));
    }
    broken
}

fn allowed() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let mut allowed: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (name, sees) in SEES {
        let further = sees.iter().flat_map(|seen| allowed[seen].clone());
        let all = further.chain(sees.iter().copied()).collect();
        allowed.insert(*name, all);
    }
    allowed
}

/// What a crate depends on, of the workspace and beyond.
struct Edges {
    name: String,
    sees: Vec<String>,
    /// For its tests and benches alone.
    dev_sees: Vec<String>,
    /// From elsewhere.
    libraries: Vec<String>,
}

fn workspace() -> Vec<Edges> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("a list");
            let named = |is_dev: bool, is_ours: bool| {
                let fits = |of: &&Value| {
                    (of["kind"] == "dev") == is_dev && of["path"].is_string() == is_ours
                };
                dependencies.iter().filter(fits).map(name).collect()
            };
            Edges {
                name: name(package),
                sees: named(false, true),
                dev_sees: named(true, true),
                libraries: named(false, false),
            }
        })
        .collect()
}
