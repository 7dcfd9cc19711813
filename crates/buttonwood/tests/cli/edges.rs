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
    (
        "buttonwood",
        &[
            "types",
            "engine",
            "disk",
            "log",
            "spool",
            "marketdata",
            "protocol",
            "recorded",
            "venue",
            "sim",
            "projection",
            "gateway",
            "client",
        ],
    ),
];

#[test]
fn crates_depend_only_on_what_they_may_see() {
    let allowed = allowed();
    for (name, dependencies) in workspace_dependencies() {
        let may_see = allowed.get(name.as_str());
        let may_see = may_see.unwrap_or_else(|| panic!("crate {name} has no place in the house"));
        for dependency in dependencies {
            assert!(may_see.contains(dependency.as_str()), "{name} may not see {dependency}");
        }
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

/// Each crate of the workspace with those of the workspace that it names, for whatever purpose.
fn workspace_dependencies() -> Vec<(String, Vec<String>)> {
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
            let ours = dependencies.iter().filter(|dependency| !dependency["path"].is_null());
            (name(package), ours.map(name).collect())
        })
        .collect()
}
