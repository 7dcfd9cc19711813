//! Embeds the page: the files of `web/dist`, compressed as the page's build left them.
//!
//! Without a built page the list is empty, and the gateway serves a placeholder: `cargo build`
//! needs no Node.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const INDEX: &str = "index.html";

fn main() {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    println!("cargo::rerun-if-changed=build.rs");
    if watch(&dist) {
        println!("cargo::rerun-if-changed={}", dist.display());
    }
    let files = files(&dist).unwrap_or_else(|refusal| {
        println!("cargo::error={refusal}");
        Vec::new()
    });
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("page.rs"), list(&dist, &files))
        .expect("the output folder can be written");
}

/// Whether there is a folder to watch. Without a page an empty one is made: each build would run
/// this again for a path that does not exist, and for each file of `web` if that were watched.
pub(crate) fn watch(dist: &Path) -> bool {
    let is_in_sources = dist.parent().is_some_and(Path::is_dir);
    // Sources that cannot be written get no page either.
    is_in_sources && fs::create_dir_all(dist).is_ok()
}

/// The files to embed; none without an index. An index whose files are gone is refused: a build
/// that was cut short left it, and the page would stay empty.
pub(crate) fn files(dist: &Path) -> Result<Vec<PathBuf>, String> {
    let Ok(index) = fs::read_to_string(dist.join(INDEX)) else { return Ok(Vec::new()) };
    let linked: Vec<_> = index.split('"').filter_map(|text| text.strip_prefix('/')).collect();
    let remedy = "run `make web`, or remove web/dist";
    if let Some(missing) = linked.iter().find(|path| !dist.join(path).is_file()) {
        return Err(format!("web/dist/{INDEX} links {missing}, which is not there: {remedy}"));
    }
    if !linked.iter().any(|path| path.starts_with("assets/")) {
        return Err(format!("web/dist/{INDEX} links no script of the page: {remedy}"));
    }
    let mut files = Vec::new();
    gather(dist, &mut files);
    files.sort();
    Ok(files)
}

/// The files as a list in Rust.
pub(crate) fn list(dist: &Path, files: &[PathBuf]) -> String {
    let mut list = String::from("&[\n");
    for file in files {
        let below = file.strip_prefix(dist).expect("it is in the folder");
        let compressed = match ["br", "gz"].map(|suffix| beside(file, suffix)) {
            [Some(brotli), Some(gzip)] => format!(
                "Some(Compressed {{ brotli: {}, gzip: {} }})",
                include(&brotli),
                include(&gzip)
            ),
            _ => "None".to_owned(),
        };
        let path = format!("/{}", below.display());
        let plain = include(file);
        writeln!(list, "    File {{ path: {path:?}, plain: {plain}, compressed: {compressed} }},")
            .expect("it is memory");
    }
    list.push_str("]\n");
    list
}

/// The files below a folder, without those that stand beside another in compressed form.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let suffix = path.extension().unwrap_or_default();
        if path.is_dir() {
            gather(&path, files);
        } else if !["br", "gz", "map"].iter().any(|not| suffix == *not) {
            files.push(path);
        }
    }
}

fn beside(file: &Path, suffix: &str) -> Option<PathBuf> {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    Some(PathBuf::from(name)).filter(|path| path.exists())
}

fn include(file: &Path) -> String {
    format!("include_bytes!({:?})", file.display().to_string())
}
