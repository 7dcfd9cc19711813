//! Which module of a crate may name which, inside the crate and beyond it.

use std::collections::BTreeSet;

use super::source::{Source, Sources, is_within};

/// A wall: what stands in the first may not name what stands in the second. Both are written as
/// paths that begin with a crate.
struct Wall {
    inside: String,
    never: String,
    why: &'static str,
}

/// Each dialect has a folder of this name in `gateway`, in `protocol`, or in both.
const DIALECTS: &[&str] =
    &["binance", "operator", "fix", "ouch", "itch", "soup", "mold", "udp", "grpc", "intake", "web"];

/// Each top module of these crates that is no dialect.
const OTHERS: &[(&str, &[&str])] = &[
    ("gateway", &["clock", "door", "echo", "feed", "listener", "monitoring", "server", "socket"]),
    ("protocol", &["layout", "signed", "spare"]),
];

/// What all dialects stand on.
const GROUND: &[&str] = &["door", "socket", "feed"];

fn walls() -> Vec<Wall> {
    let wall = |inside: String, never: String, why| Wall { inside, never, why };
    let mut walls = Vec::new();
    for dialect in DIALECTS {
        for ground in GROUND {
            for home in ["gateway", "protocol"] {
                let never = format!("{home}::{dialect}");
                let why = "the ground names no dialect";
                walls.push(wall(format!("gateway::{ground}"), never, why));
            }
        }
        for other in DIALECTS.iter().filter(|other| *other != dialect) {
            for (inside, never) in
                [("gateway", "gateway"), ("gateway", "protocol"), ("protocol", "protocol")]
            {
                let (inside, never) = (format!("{inside}::{dialect}"), format!("{never}::{other}"));
                walls.push(wall(inside, never, "no dialect names another"));
            }
        }
    }
    // OUCH and Glimpse are spoken over SoupBinTCP, OUCH over datagrams too, ITCH over MoldUDP64.
    let carries = |wall: &Wall| {
        ["soup", "mold", "udp"].iter().any(|carrier| wall.never == format!("protocol::{carrier}"))
            && ["ouch", "itch"].iter().any(|of| wall.inside.ends_with(&format!("::{of}")))
    };
    walls.retain(|wall| !carries(wall));
    for room in ["socket", "feed", "server", "listener", "monitoring"].iter().chain(DIALECTS) {
        let why = "only the door names the engine";
        walls.push(wall(format!("gateway::{room}"), "engine".into(), why));
    }
    walls.push(wall(
        "engine::state".into(),
        "engine::rules".into(),
        "the state knows no rules: it is plain data",
    ));
    for room in ["changes", "error", "feed", "history", "progress", "question", "rebuild"] {
        for never in ["rusqlite", "projection::sqlite"] {
            let why = "the read model knows no database";
            walls.push(wall(format!("projection::{room}"), never.into(), why));
        }
    }
    walls
}

#[test]
fn modules_name_only_what_they_may_see() {
    let mut broken = Vec::new();
    for name in ["gateway", "protocol", "engine", "projection"] {
        let sources = Sources::of(name);
        assert!(sources.sources.len() > 10, "{name} has its sources elsewhere");
        broken.extend(broken_walls(&sources));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn each_dialect_has_walls() {
    for (name, others) in OTHERS {
        let sources = Sources::of(name);
        assert_eq!(without_walls(&sources, name), [""; 0], "add them to DIALECTS");
        for other in *others {
            let module = format!("{name}::{other}");
            assert!(sources.sources.iter().any(|source| source.module == module), "no {module}");
        }
    }
    let planted = Sources::new(vec![Source::parse("gateway::boe::session", "")]);
    assert_eq!(without_walls(&planted, "gateway"), ["gateway::boe"]);
}

/// Top modules of a crate that are neither a dialect nor known as something else.
fn without_walls(sources: &Sources, name: &str) -> Vec<String> {
    let (_, others) = OTHERS.iter().find(|(of, _)| *of == name).expect("a crate with dialects");
    let tops = sources.sources.iter().filter_map(|source| source.module.split("::").nth(1));
    let tops: BTreeSet<_> = tops.collect();
    let unknown = tops.into_iter().filter(|top| !DIALECTS.contains(top) && !others.contains(top));
    unknown.map(|top| format!("{name}::{top}")).collect()
}

#[test]
fn each_kind_of_wrong_path_is_caught() {
    // The module, its text, and what it may not name.
    let planted = [
        ("gateway::door::limits", "use crate::binance::call::Call;", "gateway::binance"),
        ("gateway::door::limits", "use crate::{clock, binance::call as c};", "gateway::binance"),
        (
            "gateway::door::limits",
            "fn f() { super::super::operator::serve::f() }",
            "gateway::operator",
        ),
        ("gateway::feed::account", "type T = protocol::binance::Stream;", "protocol::binance"),
        (
            "gateway::socket::http",
            "mod a { fn f() { super::super::super::ouch::f() } }",
            "gateway::ouch",
        ),
        ("gateway::binance::call", "use crate::operator::serve;", "gateway::operator"),
        (
            "gateway::operator::serve",
            "fn f() { g!(protocol::binance::Params) }",
            "protocol::binance",
        ),
        ("gateway::binance::account", "use engine::Engine;", "engine"),
        ("gateway::server", "fn f(e: &engine::Engine) {}", "engine"),
        ("protocol::fix::session", "use crate::ouch;", "protocol::ouch"),
        (
            "engine::state::account",
            "impl A { fn f(a: super::super::rules::B) {} }",
            "engine::rules",
        ),
        ("engine::state", "use crate::rules::*;", "engine::rules"),
        (
            "projection::feed::thread",
            "use crate::sqlite::store::SqliteStore;",
            "projection::sqlite",
        ),
        ("projection::error", "enum E { A(rusqlite::Error) }", "rusqlite"),
    ];
    for (module, text, never) in planted {
        let broken = broken_walls(&Sources::new(vec![Source::parse(module, text)]));
        assert!(
            broken.iter().any(|broken| broken.contains(&format!("names {never}"))),
            "{text}: {broken:?}"
        );
    }
    let fine = [
        ("gateway::door::query", "use engine::Engine; use crate::door::names::Names;"),
        ("gateway::binance::call", "use crate::door::shared::Door; use super::rest;"),
        (
            "gateway::operator::serve",
            "fn binance() { let operator = protocol::signed::sign::f(); }",
        ),
        ("protocol::ouch::session", "use crate::soup::Packet;"),
        ("engine::rules::orders", "use crate::state::order::Node;"),
    ];
    for (module, text) in fine {
        let broken = broken_walls(&Sources::new(vec![Source::parse(module, text)]));
        assert!(broken.is_empty(), "{text}: {broken:?}");
    }
}

#[test]
fn a_name_handed_on_is_what_it_stands_for() {
    let face = Source::parse("gateway", "pub use crate::binance::operations::{Row as Line, rows};");
    let door = Source::parse("gateway::door::query", "use crate::Line;");
    let broken = broken_walls(&Sources::new(vec![face, door]));
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert!(broken[0].contains("gateway::binance::operations::Row"), "{broken:?}");
}

fn broken_walls(sources: &Sources) -> Vec<String> {
    let walls = walls();
    let mut broken = Vec::new();
    for source in &sources.sources {
        let module = &source.module;
        for path in &source.named.paths {
            let path = sources.resolve(&path.path);
            let walls = walls.iter().filter(|wall| is_within(module, &wall.inside));
            broken.extend(
                walls
                    .filter(|wall| is_within(&path, &wall.never))
                    .map(|wall| format!("{module} names {} ({path}): {}", wall.never, wall.why)),
            );
        }
    }
    broken.sort();
    broken.dedup();
    broken
}
