//! Whether large arrays may lie on huge pages.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HugePages {
    /// The engine asks for them, and the system decides.
    On,
    Off,
}

impl HugePages {
    /// For this whole process, from here on. Off is the system's own switch, so that it holds for
    /// processes that ask, and where it gives them to all.
    pub fn apply(self) -> Result<(), String> {
        match self {
            Self::On => Ok(()),
            Self::Off => switch_off()
                .map_err(|error| format!("huge_pages cannot be switched off here: {error}")),
        }
    }
}

#[cfg(target_os = "linux")]
fn switch_off() -> std::io::Result<()> {
    Ok(rustix::thread::disable_transparent_huge_pages(true)?)
}

/// Only Linux is ever asked for them.
#[cfg(not(target_os = "linux"))]
fn switch_off() -> std::io::Result<()> {
    Ok(())
}
