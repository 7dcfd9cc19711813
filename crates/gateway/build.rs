//! Embeds the page: the files of `web/dist`, compressed as the page's build left them.
//!
//! Without a built page the list is empty, and the gateway serves a placeholder: `cargo build`
//! needs no Node.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    let dist = web.join("dist");
    println!("cargo::rerun-if-changed=build.rs");
    // A path that does not exist would have every build run this again.
    if let Some(watched) = [&dist, &web].into_iter().find(|folder| folder.exists()) {
        println!("cargo::rerun-if-changed={}", watched.display());
    }
    let mut files = Vec::new();
    if dist.join("index.html").exists() {
        gather(&dist, &mut files);
        files.sort();
    }
    let mut list = String::from("&[\n");
    for file in &files {
        let below = file.strip_prefix(&dist).expect("it is in the folder");
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
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("page.rs"), list).expect("the output folder can be written");
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
