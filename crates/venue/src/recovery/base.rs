//! The state that a replay starts from: a snapshot's, or that of an empty venue.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use disk::Disk;
use engine::{Engine, RULES_VERSION};
use log::snapshot::{self, Loaded, Snapshot};
use marketdata::Views;
use types::{Reader, Wire};

use crate::follower::{FollowError, Follower, Position};
use crate::recovery::error::{OpenError, at};
use crate::snapshot::sections::{ENGINE_SECTION, EPOCH_SECTION, EVENT_HASH_SECTION, VIEWS_SECTION};

/// What a replay starts from: a snapshot, or nothing.
pub(crate) struct Base {
    pub(crate) follower: Follower,
    pub(crate) views: Views,
    /// The running hash of all events up to here.
    pub(crate) event_hash: [u8; 16],
}

impl Default for Base {
    fn default() -> Self {
        // The batches state when newer rules begin.
        let engine = Engine::with_rules(1).expect("the first rules are known");
        let follower = Follower::new(engine, Position::default());
        Self { follower, views: Views::default(), event_hash: [0; 16] }
    }
}

impl Base {
    pub(crate) fn load(dir: &Path) -> Result<Self, OpenError> {
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(at(dir))?;
        let loaded: Loaded = snapshot::load_newest(dir).map_err(OpenError::Snapshot)?;
        for damaged in &loaded.damaged {
            tracing::warn!(error = %damaged, "set a damaged snapshot aside");
        }
        loaded.set_aside(&Disk::default()).map_err(OpenError::Snapshot)?;
        loaded.snapshot.map_or_else(|| Ok(Self::default()), |snapshot| Self::read(&snapshot))
    }

    pub(crate) fn read(snapshot: &Snapshot) -> Result<Self, OpenError> {
        let batch_number = snapshot.batch_number;
        if snapshot.rules_version > RULES_VERSION {
            let found = snapshot.rules_version;
            let error = FollowError::OtherRules { batch_number, found, supported: RULES_VERSION };
            return Err(OpenError::Follow(error));
        }
        let section = |name: &'static str| {
            let unreadable = OpenError::SnapshotUnreadable { batch_number, section: name };
            snapshot.section(name).ok_or(unreadable)
        };
        let unreadable = |section| OpenError::SnapshotUnreadable { batch_number, section };
        let state = section(ENGINE_SECTION)?;
        if *blake3::hash(state).as_bytes() != snapshot.state_hash {
            return Err(unreadable(ENGINE_SECTION));
        }
        let engine = Engine::read_state(Reader(state)).ok_or(unreadable(ENGINE_SECTION))?;
        let mut views = Reader(section(VIEWS_SECTION)?);
        let views = Views::read(&mut views).ok_or(unreadable(VIEWS_SECTION))?;
        let event_hash = section(EVENT_HASH_SECTION)?;
        let event_hash = event_hash.try_into().map_err(|_| unreadable(EVENT_HASH_SECTION))?;
        let epoch = Reader(section(EPOCH_SECTION)?).read().ok_or(unreadable(EPOCH_SECTION))?;
        let position = Position { batch_number, chain_hash: snapshot.chain_hash, epoch };
        Ok(Self { follower: Follower::new(engine, position), views, event_hash })
    }
}
