//! `generate PROTO FOLDER`: messages, stubs and descriptors of a `.proto` file, as Rust.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use prost::Message;

/// Beside the source. Its message is written out in `crates/proto`.
const ERROR_DETAILS: &str = "google/rpc/error_details.proto";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let (Some(source), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: generate PROTO FOLDER".into());
    };
    generate(&source, &folder)
}

fn generate(source: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let name = source.file_name().ok_or("the source has a name")?;
    let parent = source.parent().ok_or("the source is in a folder")?;
    let mut compiler = protox::Compiler::new([parent])?;
    compiler.include_source_info(true).open_file(name)?;
    tonic_prost_build::configure()
        .build_transport(false)
        .client_mod_attribute(".", "#[cfg(feature = \"client\")]")
        .server_mod_attribute(".", "#[cfg(feature = \"server\")]")
        .out_dir(folder)
        .compile_fds(compiler.file_descriptor_set())?;
    // Reflection shows no comments. Clients by reflection need the details of a status as well.
    let bare = protox::compile([name, ERROR_DETAILS.as_ref()], [parent])?;
    write(&folder.join("descriptors.bin"), &without_source_info(bare).encode_to_vec())?;
    let mut hash = blake3::Hasher::new();
    hash.update(&fs::read(source)?).update(&fs::read(parent.join(ERROR_DETAILS))?);
    write(&folder.join("source.hash"), format!("{}\n", hash.finalize()).as_bytes())?;
    Ok(())
}

/// A file that stays as it is keeps its time: cargo would compile the crate again.
fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(file).is_ok_and(|present| present == bytes) {
        Ok(())
    } else {
        fs::write(file, bytes)
    }
}

fn without_source_info(
    mut descriptors: tonic_prost_build::FileDescriptorSet,
) -> tonic_prost_build::FileDescriptorSet {
    for file in &mut descriptors.file {
        file.source_code_info = None;
    }
    descriptors
}
