//! Which crate may depend on which. *Sees* means these and all that they see.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

mod built;
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
    ("recorded", &["protocol"]),
    ("venue", &["engine", "log", "spool", "marketdata"]),
    ("sim", &["venue"]),
    ("projection", &["spool", "marketdata"]),
    ("gateway", &["venue", "projection", "protocol"]),
    ("client", &["protocol"]),
    // The client is for the demo's bots, which come in by the front door.
    ("server", &["gateway", "client"]),
    ("replay", &["engine", "marketdata", "recorded"]),
    ("cli", &["server"]),
    ("admin", &["cli"]),
    ("audit", &["cli"]),
    ("bench", &["cli", "client", "replay"]),
    ("buttonwood", &["admin", "audit", "bench", "sim"]),
];

/// What the tests of a crate need beyond what the crate itself depends on. Such an edge is in no program.
const DEV_SEES: &[(&str, &[&str])] =
    &[("gateway", &["log"]), ("buttonwood", &["client", "log", "protocol", "recorded", "types"])];

/// Libraries of command lines, and the crates that have none.
const WITHOUT_A_COMMAND_LINE: (&str, &[&str]) = ("clap", &["server", "replay", "gateway", "venue"]);

#[test]
fn crates_depend_only_on_what_they_may_see() {
    let allowed = allowed();
    for Edges { name, sees, dev_sees, .. } in workspace() {
        let may_see = allowed.get(name.as_str());
        let may_see = may_see.unwrap_or_else(|| panic!("crate {name} has no place in the house"));
        for dependency in sees {
            assert!(may_see.contains(dependency.as_str()), "{name} may not see {dependency}");
        }
        let for_tests = DEV_SEES.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, all)| all);
        for dependency in dev_sees {
            let is_fine = for_tests.contains(&dependency.as_str());
            assert!(is_fine, "the tests of {name} may not see {dependency}");
        }
    }
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
