//! The sources of a crate, and the paths that they name.
//!
//! The sources are parsed, because an edge need not be a `use`: `super::` and paths inside
//! expressions, types and macros are edges too. What a path means is read off its first segments:
//! `crate`, `self` and `super` are resolved by the file's place, any other first segment is taken
//! for a crate.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A source file, with the module that it is.
pub(super) struct Source {
    pub(super) module: String,
    pub(super) named: Named,
}

/// What a source names. Every path begins with its crate.
#[derive(Default)]
pub(super) struct Named {
    pub(super) paths: Vec<NamedPath>,
    /// The names that its `pub use` hands on, each with what it stands for.
    handed_on: Vec<(String, String)>,
    /// Modules in files of their own that are compiled for tests only.
    pub(super) test_modules: Vec<String>,
}

pub(super) struct NamedPath {
    pub(super) path: String,
    /// It stands in a `pub use`: the file hands it on, and may not need it itself.
    pub(super) is_handed_on: bool,
    pub(super) is_in_test: bool,
    /// In a macro's definition: it belongs to the macro's users.
    pub(super) is_in_macro: bool,
}

/// All sources of a crate.
pub(super) struct Sources {
    pub(super) sources: Vec<Source>,
    handed_on: BTreeMap<String, String>,
}

/// A name may be handed on as often as this before it is taken for a circle of re-exports.
const HANDS_MAX: usize = 8;

impl Sources {
    /// Of a crate in the folder `crates`.
    pub(super) fn of(name: &str) -> Self {
        let mut sources = Vec::new();
        read(&folder().join(name).join("src"), &[name.to_owned()], &mut sources);
        Self::new(sources)
    }

    pub(super) fn new(sources: Vec<Source>) -> Self {
        let handed_on = sources.iter().flat_map(|source| source.named.handed_on.clone()).collect();
        Self { sources, handed_on }
    }

    /// The path without the re-exports on its way.
    pub(super) fn resolve(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for _ in 0..HANDS_MAX {
            let ends = path.match_indices("::").map(|(at, _)| at).chain([path.len()]);
            let known = ends.filter_map(|end| Some((end, self.handed_on.get(&path[..end])?)));
            match known.last() {
                Some((end, target)) if *target != path[..end] => {
                    path = format!("{target}{}", &path[end..]);
                }
                _ => break,
            }
        }
        path
    }
}

impl Source {
    pub(super) fn parse(module: &str, text: &str) -> Self {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{module}: {error}"));
        let module_path = module.split("::").map(str::to_owned).collect();
        let mut visitor = Visitor {
            module: module_path,
            named: Named::default(),
            hands_on: false,
            tests: 0,
            defines_macro: false,
        };
        visitor.visit_file(&file);
        Self { module: module.to_owned(), named: visitor.named }
    }
}

/// The names of all crates.
pub(super) fn crates() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("crates/");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    names.map(|name| name.into_string().expect("a name")).collect()
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/")
}

/// Whether a path is a module, or lies in it.
pub(super) fn is_within(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
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
            sources.push(Source::parse(&module.join("::"), &text));
        }
    }
}

struct Visitor {
    module: Vec<String>,
    named: Named,
    /// Within a `pub use`.
    hands_on: bool,
    /// How many modules around this place are compiled for tests only.
    tests: usize,
    defines_macro: bool,
}

impl Visitor {
    /// From the crate on.
    fn full(&self, segments: &[String]) -> String {
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
        [&base[..], rest].concat().join("::")
    }

    fn add(&mut self, segments: &[String]) {
        self.named.paths.push(NamedPath {
            path: self.full(segments),
            is_handed_on: self.hands_on,
            is_in_test: self.tests > 0,
            is_in_macro: self.defines_macro,
        });
    }

    fn add_use(&mut self, segments: &[String], name: &str) {
        self.add(segments);
        if self.hands_on {
            let mut target = segments;
            // `use a::{self}` names `a`.
            if let [before @ .., last] = segments
                && last == "self"
                && !before.is_empty()
            {
                target = before;
            }
            let handed_on = [&self.module[..], &[name.to_owned()]].concat().join("::");
            self.named.handed_on.push((handed_on, self.full(target)));
        }
    }

    fn add_tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => {
                let segments = with(&name.ident);
                self.add_use(&segments, &name.ident.to_string());
            }
            syn::UseTree::Rename(rename) => {
                let segments = with(&rename.ident);
                self.add_use(&segments, &rename.rename.to_string());
            }
            syn::UseTree::Glob(_) => self.add(before),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(before, tree));
            }
        }
    }

    /// What stands in a macro is no syntax yet: paths are what looks like them.
    fn add_tokens(&mut self, tokens: TokenStream) {
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
                    self.add_segments(&mut segments);
                    colons = 0;
                    match other {
                        TokenTree::Ident(ident) => segments.push(ident.to_string()),
                        TokenTree::Group(group) => self.add_tokens(group.stream()),
                        TokenTree::Punct(_) | TokenTree::Literal(_) => {}
                    }
                }
            }
        }
        self.add_segments(&mut segments);
    }

    fn add_segments(&mut self, segments: &mut Vec<String>) {
        if segments.len() > 1 {
            self.add(segments);
        }
        segments.clear();
    }
}

impl<'ast> Visit<'ast> for Visitor {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = item.attrs.iter().any(is_for_tests);
        self.module.push(item.ident.to_string());
        self.tests += usize::from(is_test);
        if is_test && item.content.is_none() {
            self.named.test_modules.push(self.module.join("::"));
        }
        visit::visit_item_mod(self, item);
        self.tests -= usize::from(is_test);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_test = item.attrs.iter().any(is_for_tests);
        self.tests += usize::from(is_test);
        self.hands_on = !matches!(item.vis, syn::Visibility::Inherited);
        self.add_tree(&[], &item.tree);
        self.hands_on = false;
        self.tests -= usize::from(is_test);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.defines_macro = item.ident.is_some();
        visit::visit_item_macro(self, item);
        self.defines_macro = false;
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&segments);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.add_tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }
}

fn is_for_tests(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
}
