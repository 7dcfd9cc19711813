//! `[test]`: a venue for one run of a test, which keeps nothing on disk.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Test {
    pub enabled: bool,
    /// The file that gets the address, the accounts and the keys. Clients read it under the same
    /// variable, so a venue that is no test may find it set, and writes nothing.
    pub keys: Option<PathBuf>,
}

impl Test {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.enabled && self.keys.is_none() {
            return Err("test needs a file for its keys: add --keys FILE".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::settings::log::Durability;
    use crate::settings::tests::{load, refused};

    #[test]
    fn a_test_names_its_keys_and_no_place_on_disk() {
        let settings = load(json!({ "test": true, "keys": "k.json" })).unwrap();
        assert!(matches!(settings.log.durability, Durability::Memory));
        assert!(!settings.has_bots());
        assert!(load(json!({ "test": true, "keys": "k", "demo": true })).unwrap().has_bots());

        assert!(refused(json!({ "test": true })).contains("--keys FILE"));
        for (name, value) in [("data_dir", "d"), ("durability", "fsync")] {
            let error = refused(json!({ "test": true, "keys": "k", name: value }));
            assert!(error.contains(&format!("leave {name} out")), "{error}");
        }
    }
}
