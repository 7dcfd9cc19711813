//! The position of a publisher, as a file in the venue's folder.
//!
//! It is written at most once a second, so it may lag. A tool reads it while the venue runs.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// The folder of positions, in the venue's folder.
pub const FOLDER: &str = "publishers";
/// Of the file's content. A later one is refused.
const VERSION: u32 = 1;
const EVERY: Duration = Duration::from_secs(1);

/// How far a publisher has come.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    version: u32,
    /// The place as it is displayed.
    pub name: String,
    /// The last command that the broker has all events of; 0 if there is none.
    pub sequence: u64,
    pub sequenced_ns: u64,
    /// Why it stands still, if it does.
    pub reason: Option<String>,
}

#[derive(Debug)]
pub(crate) struct PositionFile {
    path: PathBuf,
    /// There was none.
    is_new: bool,
    written: Position,
    written_at: Option<Instant>,
    is_failing: bool,
}

impl PositionFile {
    /// Of the publisher of that name.
    pub(crate) fn open(data_dir: &Path, name: &str) -> io::Result<Self> {
        let folder = data_dir.join(FOLDER);
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{}.json", file_name(name)));
        let mut is_new = false;
        let written = match fs::read(&path) {
            Ok(bytes) => parse(&path, &bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                is_new = true;
                Position { version: VERSION, name: name.to_owned(), ..Position::default() }
            }
            Err(error) => return Err(error),
        };
        Ok(Self { path, is_new, written, written_at: None, is_failing: false })
    }

    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }

    pub(crate) fn position(&self) -> &Position {
        &self.written
    }

    /// Of a publisher that cannot be opened: the reason is for tools, which see the file alone.
    pub(crate) fn keep_reason(data_dir: &Path, name: &str, reason: String) {
        let kept = Self::open(data_dir, name).and_then(|mut file| {
            let Position { sequence, sequenced_ns, .. } = file.written;
            file.write_if_due((sequence, sequenced_ns), Some(reason))
        });
        if let Err(error) = kept {
            tracing::warn!(%error, "the reason is not in the publisher's file");
        }
    }

    /// Writes it if a second has passed, or a reason has come or gone. One that cannot be written
    /// makes no failure: the broker has the messages.
    pub(crate) fn keep(&mut self, at: (u64, u64), reason: Option<String>) {
        let kept = self.write_if_due(at, reason);
        if let Err(error) = &kept
            && !self.is_failing
        {
            let publisher = &self.written.name;
            tracing::warn!(publisher, %error, "the position of a publisher is not written");
        }
        self.is_failing = kept.is_err();
    }

    fn write_if_due(
        &mut self,
        (sequence, sequenced_ns): (u64, u64),
        reason: Option<String>,
    ) -> io::Result<()> {
        let is_due = self.written_at.is_none_or(|at| at.elapsed() >= EVERY);
        let has_moved = self.written.sequence != sequence;
        if self.written.reason == reason && !(is_due && has_moved) {
            return Ok(());
        }
        self.write((sequence, sequenced_ns), reason)
    }

    pub(crate) fn write(
        &mut self,
        (sequence, sequenced_ns): (u64, u64),
        reason: Option<String>,
    ) -> io::Result<()> {
        self.written = Position { sequence, sequenced_ns, reason, ..self.written.clone() };
        let mut text = serde_json::to_vec_pretty(&self.written)?;
        text.push(b'\n');
        let next = self.path.with_extension("next");
        let mut file = File::create(&next)?;
        file.write_all(&text)?;
        // Before the name: a loss of power leaves the old file or the new one.
        file.sync_data()?;
        fs::rename(&next, &self.path)?;
        self.written_at = Some(Instant::now());
        Ok(())
    }
}

/// The positions of all publishers that a venue has or had, by name.
pub fn all(data_dir: &Path) -> io::Result<Vec<Position>> {
    let entries = match fs::read_dir(data_dir.join(FOLDER)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut positions = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            positions.push(parse(&path, &fs::read(&path)?)?);
        }
    }
    positions.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(positions)
}

fn parse(path: &Path, bytes: &[u8]) -> io::Result<Position> {
    let refused = |reason: String| {
        let sentence = format!("{}: {reason}", path.display());
        io::Error::new(io::ErrorKind::InvalidData, sentence)
    };
    let position: Position =
        serde_json::from_slice(bytes).map_err(|error| refused(error.to_string()))?;
    if position.version != VERSION {
        return Err(refused(format!("version {} is of a later build", position.version)));
    }
    Ok(position)
}

/// Letters and digits of a name, and a hash: two names are two files.
fn file_name(name: &str) -> String {
    let mut plain: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    plain.truncate(60);
    format!("{plain}-{:08x}", fnv1a(name.as_bytes()))
}

/// FNV-1a of 32 bits.
fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_back_and_one_of_a_later_build_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let open = || PositionFile::open(dir.path(), "redis://one:6379/0 streams");
        let mut file = open().unwrap();
        assert_eq!((file.position().sequence, all(dir.path()).unwrap().len()), (0, 0));
        file.keep((7, 70), None);
        file.keep((8, 80), None);
        assert_eq!(open().unwrap().position().sequence, 7, "a second has not passed");
        file.keep((9, 90), Some("it is gone".into()));
        let found = all(dir.path()).unwrap();
        assert_eq!(found, [open().unwrap().position().clone()]);
        assert_eq!((found[0].sequence, found[0].sequenced_ns), (9, 90));
        PositionFile::open(dir.path(), "redis://one:6379/0-streams")
            .unwrap()
            .write((1, 1), None)
            .unwrap();
        assert_eq!(all(dir.path()).unwrap().len(), 2, "names of the same letters");

        let path = file.path.clone();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("\"version\": 1", "\"version\": 2")).unwrap();
        assert!(open().unwrap_err().to_string().contains("later build"));
        fs::write(&path, &text[..text.len() / 2]).unwrap();
        assert!(open().unwrap_err().to_string().contains("redis---one-6379-0-streams-"));
    }
}
