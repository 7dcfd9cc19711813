//! What the build embeds of `web/dist`.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

#[path = "../build.rs"]
#[expect(dead_code, reason = "the build's own entrance")]
mod build;

fn write(dist: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let file = dist.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

const INDEX: &str = r#"<link href="/icon.svg"><script src="/assets/a.js"></script>"#;

#[test]
fn a_built_page_is_embedded_without_its_maps() {
    let dir = tempfile::tempdir().unwrap();
    let dist = dir.path();
    assert_eq!(build::files(dist), Ok(vec![]), "no page");
    write(dist, &[("assets/a.js", "1"), ("assets/a.js.br", "2"), ("assets/a.js.gz", "3")]);
    write(dist, &[("assets/a.js.map", "4"), ("icon.svg", "5"), ("index.html", INDEX)]);
    let files = build::files(dist).unwrap();
    let names = ["assets/a.js", "icon.svg", "index.html"];
    assert_eq!(files, names.map(|name| dist.join(name)));
    let list = build::list(dist, &files);
    assert_eq!(list.matches("File {").count(), 3, "{list}");
    assert!(list.contains("a.js.br") && list.contains("a.js.gz"), "{list}");
    assert!(!list.contains(".map"), "{list}");
}

#[test]
fn a_page_that_a_build_left_half_done_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let dist = dir.path();
    write(dist, &[("index.html", INDEX), ("icon.svg", "1")]);
    let remedy = "run `make web`, or remove web/dist";
    let missing = "web/dist/index.html links assets/a.js, which is not there";
    assert_eq!(build::files(dist), Err(format!("{missing}: {remedy}")));
    write(dist, &[("index.html", "<title>Old</title>")]);
    let none = "web/dist/index.html links no script of the page";
    assert_eq!(build::files(dist), Err(format!("{none}: {remedy}")));
}

#[test]
fn a_folder_to_watch_is_made_where_sources_have_none() {
    let dir = tempfile::tempdir().unwrap();
    let dist = dir.path().join("web/dist");
    assert!(!build::watch(&dist) && !dist.exists(), "a package of the crate alone");
    fs::create_dir(dir.path().join("web")).unwrap();
    assert!(build::watch(&dist) && dist.is_dir());
}
