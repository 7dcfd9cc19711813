//! Keys and master keys on a command line: flags that become requests, and their files.

use std::fmt::Display;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::Args;
use cli::Failure;
use venue::{MasterKey, Verifier};

use super::key::{MasterKeyText, NewKey};

#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood admin key add alice --role trader --kind ed25519 \
    --public-key alice.pem --allow-ip 192.0.2.0/24")]
pub(super) struct KeyArgs {
    #[command(flatten)]
    key: NewKey,
    /// File with the client's public key (PEM), for Ed25519 and RSA
    #[arg(long, value_name = "FILE")]
    public_key: Option<PathBuf>,
}

impl KeyArgs {
    /// The arguments with the public key in place of its file.
    pub(super) fn read(self) -> Result<NewKey, Failure> {
        let Self { mut key, public_key } = self;
        if let Some(file) = public_key {
            let named = |error: &dyn Display| Failure::new(format!("{}: {error}", file.display()));
            let pem = std::fs::read_to_string(&file).map_err(|error| named(&error))?;
            Verifier::from_pem(&pem).map_err(|error| named(&error))?;
            key.public_key_pem = Some(pem);
        }
        Ok(key)
    }
}

/// Reads the new master key, or creates it: it is on disk before it seals a key. So an interrupted
/// rotation can be repeated with the same file.
pub(super) fn rotation(data_dir: &Path, file: &Path) -> Result<MasterKeyText, Failure> {
    if data_dir.join(server::DEMO_FILE).exists() {
        return Err(Failure::new("a demo keeps its master key in demo.json, and cannot change it"));
    }
    if !file.exists() {
        new_master_key(file)?;
    }
    Ok(MasterKeyText::of(&MasterKey::load(file)?))
}

pub(super) fn new_master_key(file: &Path) -> Result<(), Failure> {
    let named = |error: std::io::Error| Failure::new(format!("{}: {error}", file.display()));
    let mut options = std::fs::OpenOptions::new();
    let mut open = options.write(true).create_new(true).mode(0o600).open(file).map_err(named)?;
    writeln!(open, "{}", MasterKey::generate().to_hex()).map_err(named)?;
    open.sync_all().map_err(named)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(named)
}
