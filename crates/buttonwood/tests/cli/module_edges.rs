//! Which module of a crate may name which, inside the crate and beyond it.
//!
//! The sources are parsed, because an edge need not be a `use`: `super::` and paths inside expressions,
//! types and macros are edges too. What a path means is read off its first segments: `crate`, `self` and
//! `super` are resolved by the file's place, any other first segment is taken for a crate.

use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A wall: what stands in the first may not name what stands in the second. Both are written as paths that
/// begin with a crate.
struct Wall {
    inside: String,
    never: String,
    why: &'static str,
}

/// Each dialect has a folder of this name in `gateway`, in `protocol`, or in both.
const DIALECTS: &[&str] =
    &["binance", "operator", "fix", "ouch", "itch", "soup", "mold", "grpc", "intake", "web"];

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
    // OUCH and Glimpse are spoken over SoupBinTCP, ITCH over MoldUDP64.
    let carries = |wall: &Wall| {
        ["soup", "mold"].iter().any(|carrier| wall.never == format!("protocol::{carrier}"))
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
    walls
}

/// A source file, with the module that it is.
struct Source {
    module: Vec<String>,
    text: String,
}

#[test]
fn modules_name_only_what_they_may_see() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/");
    let mut broken = Vec::new();
    for name in ["gateway", "protocol", "engine"] {
        let mut sources = Vec::new();
        read(&crates.join(name).join("src"), &[name.to_owned()], &mut sources);
        assert!(sources.len() > 10, "{name} has its sources elsewhere");
        broken.extend(sources.iter().flat_map(|source| broken_walls(source, &walls())));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
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
    ];
    for (module, text, never) in planted {
        let module: Vec<String> = module.split("::").map(str::to_owned).collect();
        let broken = broken_walls(&Source { module, text: text.to_owned() }, &walls());
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
        let module: Vec<String> = module.split("::").map(str::to_owned).collect();
        let broken = broken_walls(&Source { module, text: text.to_owned() }, &walls());
        assert!(broken.is_empty(), "{text}: {broken:?}");
    }
}

/// All sources below a folder, which is this module.
fn read(dir: &Path, module: &[String], sources: &mut Vec<Source>) {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let is_face = ["lib", "main", "mod"].contains(&stem.as_str());
        let module =
            if is_face { module.to_vec() } else { [module, std::slice::from_ref(&stem)].concat() };
        if path.is_dir() {
            read(&path, &module, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source is text");
            sources.push(Source { module, text });
        }
    }
}

fn broken_walls(source: &Source, walls: &[Wall]) -> Vec<String> {
    let file = syn::parse_file(&source.text);
    let module = source.module.join("::");
    let file = file.unwrap_or_else(|error| panic!("{module}: {error}"));
    let mut paths = Paths { module: source.module.clone(), found: Vec::new() };
    paths.visit_file(&file);
    let is_within = |path: &str, room: &str| {
        path.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    let mut broken = Vec::new();
    for wall in walls.iter().filter(|wall| is_within(&module, &wall.inside)) {
        for path in paths.found.iter().filter(|path| is_within(path, &wall.never)) {
            broken.push(format!("{module} names {} ({path}): {}", wall.never, wall.why));
        }
    }
    broken.sort();
    broken.dedup();
    broken
}

/// Every path of a file, from its crate on.
struct Paths {
    module: Vec<String>,
    found: Vec<String>,
}

impl Paths {
    fn note(&mut self, segments: &[String]) {
        let mut base = self.module.clone();
        let mut rest = segments;
        match segments.first().map(String::as_str) {
            Some("crate") => {
                base.truncate(1);
                rest = &segments[1..];
            }
            Some("self") => rest = &segments[1..],
            Some("super") => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            _ => base.clear(),
        }
        self.found.push([&base[..], rest].concat().join("::"));
    }

    fn note_tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.note_tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.note(&with(&name.ident)),
            syn::UseTree::Rename(rename) => self.note(&with(&rename.ident)),
            syn::UseTree::Glob(_) => self.note(before),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.note_tree(before, tree));
            }
        }
    }

    /// What stands in a macro is no syntax yet: paths are what looks like them.
    fn note_tokens(&mut self, tokens: TokenStream) {
        let mut segments: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if segments.is_empty() || colons == 2 => {
                    segments.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !segments.is_empty() => {
                    colons += 1;
                }
                other => {
                    self.note_segments(&mut segments);
                    colons = 0;
                    match other {
                        TokenTree::Ident(ident) => segments.push(ident.to_string()),
                        TokenTree::Group(group) => self.note_tokens(group.stream()),
                        TokenTree::Punct(_) | TokenTree::Literal(_) => {}
                    }
                }
            }
        }
        self.note_segments(&mut segments);
    }

    fn note_segments(&mut self, segments: &mut Vec<String>) {
        if segments.len() > 1 {
            self.note(segments);
        }
        segments.clear();
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.note_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.note(&segments);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.note_tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }
}
