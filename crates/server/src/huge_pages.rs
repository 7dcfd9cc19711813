//! The switch for large arrays on huge pages.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HugePages {
    /// The engine asks for them, and the system decides.
    On,
    Off,
}

impl HugePages {
    /// Sets the switch for this process. `Off` uses the system's own switch, which applies both
    /// where processes request huge pages and where the system gives them to all.
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

/// Only on Linux does the engine request them.
#[cfg(not(target_os = "linux"))]
fn switch_off() -> std::io::Result<()> {
    Ok(())
}
