//! `[venue]`: data folder, master key, snapshots, replica, and placement of threads and memory.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use venue::{MasterKey, MasterKeyError};

use super::pin::Pin;
use crate::huge_pages::HugePages;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Venue {
    pub data_dir: PathBuf,
    /// A file, or the key itself from the environment.
    pub master_key: Option<String>,
    /// Commands between two snapshots.
    pub snapshot_every: u64,
    /// Runs a second engine on the same log.
    pub replica: bool,
    /// `CORE[,CORE]`: the engine's, then the log's.
    pub pin: Option<String>,
    pub huge_pages: HugePages,
}

impl Default for Venue {
    fn default() -> Self {
        Self {
            data_dir: "buttonwood-data".into(),
            master_key: None,
            snapshot_every: venue::Settings::SNAPSHOT_EVERY_DEFAULT,
            replica: false,
            pin: None,
            huge_pages: HugePages::On,
        }
    }
}

impl Venue {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.snapshot_every == 0 {
            return Err("snapshot_every must be at least 1".into());
        }
        Ok(())
    }

    /// `None` when none is named.
    pub fn master_key(&self) -> Result<Option<MasterKey>, MasterKeyError> {
        self.master_key.as_deref().map(read_master_key).transpose()
    }

    pub(super) fn pin(&self) -> Result<Option<Pin>, String> {
        self.pin.as_deref().map(Pin::parse).transpose()
    }
}

/// A file's name, or the key itself as 64 hex digits.
pub fn read_master_key(text: &str) -> Result<MasterKey, MasterKeyError> {
    if let Some(master_key) = MasterKey::parse(text) {
        return Ok(master_key);
    }
    // A key with a digit too many or too few must not be shown as the name of a missing file.
    let mut digits = text.split(|letter: char| !letter.is_ascii_hexdigit());
    if digits.any(|run| run.len() >= HIDDEN_LEN) && !std::path::Path::new(text).exists() {
        let origin = "--master-key, master_key or BUTTONWOOD_MASTER_KEY".into();
        return Err(MasterKeyError::NotHex { origin });
    }
    MasterKey::load(text.as_ref())
}

/// For places that others can see: a command line, a file of settings.
pub fn check_is_no_master_key(text: &str) -> Result<(), String> {
    if MasterKey::parse(text).is_none() {
        return Ok(());
    }
    Err("master_key is the key itself, which others can see there: name a file that has it, or put \
         it into BUTTONWOOD_MASTER_KEY"
        .into())
}

/// A run of hex digits of this length may be most of a key.
const HIDDEN_LEN: usize = 32;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::tests::refused;

    #[test]
    fn a_key_may_be_given_itself_or_by_file() {
        let hex = MasterKey::generate().to_hex();
        assert_eq!(read_master_key(&hex).unwrap().to_hex(), hex);
        assert!(matches!(read_master_key("/nowhere/key"), Err(MasterKeyError::Unreadable { .. })));
    }

    #[test]
    fn a_mistyped_key_is_not_shown() {
        let hex = MasterKey::generate().to_hex();
        let quoted = format!("\"{hex}\"");
        for mistyped in [&hex[1..], &format!("{hex}0"), &format!("0x{hex}"), &quoted] {
            let error = read_master_key(mistyped).unwrap_err().to_string();
            assert!(!error.contains(&hex[1..]) && error.contains("64 hex digits"), "{error}");
        }
    }

    #[test]
    fn snapshots_without_commands_between_them_are_refused() {
        for kib in [3, 16_777_217] {
            let error = refused(json!({ "log_segment_kib": kib }));
            assert!(error.contains("log_segment_kib must be 4 to 16777216"), "{error}");
        }
        let error = refused(json!({ "snapshot_every": 0 }));
        assert!(error.contains("snapshot_every"), "{error}");
    }
}
