//! Which modules of a folder import each other in a circle.
//!
//! A module stands for all that lies in its folder, so a circle is sought among the modules that
//! stand beside each other, at every depth. A module that only hands a name on (`pub use`) does not
//! need it: the user of the name has an edge to the module that defines it. Tests do not count, nor
//! does what a macro writes elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Source, Sources, crates, is_within};

/// Modules that may import each other in a circle. More can only be understood together.
const KNOT_MAX: usize = 3;

#[test]
fn few_modules_import_each_other_in_a_circle() {
    let too_large: Vec<_> = crates()
        .iter()
        .flat_map(|name| knots(&Sources::of(name)))
        .filter(|knot| knot.len() > KNOT_MAX)
        .collect();
    assert!(too_large.is_empty(), "{too_large:#?}");
}

#[test]
fn a_circle_is_found_at_every_depth_and_through_names_handed_on() {
    let texts = [
        ("house", "pub mod a; pub mod b; pub mod c; pub mod d; pub use crate::a::A;"),
        ("house::a", "pub mod x; pub mod y; pub struct A;"),
        ("house::a::x", "use crate::b::B; use super::y::Y;"),
        ("house::a::y", "use super::x::X; use super::A;"),
        ("house::b", "fn f() { super::c::C::new() }"),
        ("house::c", "type T = crate::A; #[cfg(test)] mod tests { use crate::d::D; }"),
        ("house::d", "use crate::a::A; macro_rules! m { () => { $crate::e::E } }"),
        ("house::e", "use crate::d::D;"),
    ];
    let sources = Sources::new(texts.map(|(module, text)| Source::parse(module, text)).into());
    let knot = |modules: &[&str]| modules.iter().map(|module| (*module).to_owned()).collect();
    let expected: [BTreeSet<String>; 2] =
        [knot(&["house::a", "house::b", "house::c"]), knot(&["house::a::x", "house::a::y"])];
    assert_eq!(knots(&sources), expected);
}

/// Sets of modules that reach each other, beside each other.
fn knots(sources: &Sources) -> Vec<BTreeSet<String>> {
    let mut knots = BTreeSet::new();
    for edges in edges(sources).values() {
        for module in edges.keys() {
            let back = reach(module, edges).into_iter();
            let back = back.filter(|other| reach(other, edges).contains(module));
            let knot: BTreeSet<String> = back.map(str::to_owned).collect();
            if knot.len() > 1 {
                knots.insert(knot);
            }
        }
    }
    knots.into_iter().collect()
}

type Edges<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// By the module around them: each module with those beside it whose names it uses.
fn edges(sources: &Sources) -> BTreeMap<&str, Edges<'_>> {
    let all = &sources.sources;
    let tests: Vec<&String> = all.iter().flat_map(|source| &source.named.test_modules).collect();
    let is_test = |module: &str| tests.iter().any(|test| is_within(module, test));
    let mut edges: BTreeMap<&str, Edges<'_>> = BTreeMap::new();
    for source in all.iter().filter(|source| !is_test(&source.module)) {
        let paths = source.named.paths.iter();
        for path in paths.filter(|path| !path.is_handed_on && !path.is_in_test && !path.is_in_macro)
        {
            let path = sources.resolve(&path.path);
            let files = all.iter().map(|source| source.module.as_str());
            let named = files.filter(|module| is_within(&path, module));
            let Some(named) = named.max_by_key(|module| module.len()) else { continue };
            if let Some((around, from, to)) = apart(&source.module, named) {
                edges.entry(around).or_default().entry(from).or_default().insert(to);
                edges.entry(around).or_default().entry(to).or_default();
            }
        }
    }
    edges
}

/// The innermost module around two others, and the modules in it in which each of them lies.
fn apart<'a>(from: &'a str, to: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
    let ends = |path: &'a str| path.match_indices("::").map(|(at, _)| at).chain([path.len()]);
    let mut around = 0;
    for (from_end, to_end) in ends(from).zip(ends(to)) {
        if from[..from_end] != to[..to_end] {
            return Some((&from[..around], &from[..from_end], &to[..to_end]));
        }
        around = from_end;
    }
    // One of them lies in the other.
    None
}

fn reach<'a>(from: &str, edges: &Edges<'a>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = edges[from].iter().copied().collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(&edges[module]);
        }
    }
    reached
}
