//! The master key of a running venue, which may be exchanged for another while it runs.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use types::{
    KeyId, KeySpec, LoginId, LoginSpec, ResealedKey, ResealedLogin, RotateMasterKey, Wire,
};

use crate::key::credential::Credential;
use crate::key::master::{MasterKey, MasterKeyError};
use crate::login::secret::LoginSecret;

/// What a rotation may take of the log: it is one command, so that it is done for all keys and
/// logins or for none.
const ROTATION_SIZE_MAX: usize = 8 << 20;

/// Opens what was sealed before a rotation and after it, whichever of the two is under way.
#[derive(Clone)]
pub struct Keyring(Arc<Ring>);

struct Ring {
    /// The present one first.
    keys: RwLock<Vec<MasterKey>>,
    sealing: Mutex<()>,
}

impl Keyring {
    pub fn new(master_key: MasterKey) -> Self {
        Self(Arc::new(Ring { keys: RwLock::new(vec![master_key]), sealing: Mutex::new(()) }))
    }

    pub fn open(&self, spec: &KeySpec) -> Result<Credential, MasterKeyError> {
        self.open_by(|master_key| master_key.open(&spec.sealed_secret, &spec.api_key_hash))
    }

    pub fn open_login(&self, spec: &LoginSpec) -> Result<LoginSecret, MasterKeyError> {
        self.open_by(|master_key| master_key.open_login(&spec.sealed_secret, &spec.user))
    }

    fn open_by<T>(
        &self,
        open: impl Fn(&MasterKey) -> Result<T, MasterKeyError>,
    ) -> Result<T, MasterKeyError> {
        let keys = self.0.keys.read().unwrap_or_else(PoisonError::into_inner);
        let mut error = MasterKeyError::Wrong;
        for master_key in keys.iter() {
            match open(master_key) {
                Ok(opened) => return Ok(opened),
                Err(MasterKeyError::Wrong) => {}
                Err(other) => error = other,
            }
        }
        Err(error)
    }

    /// Nothing else is sealed until the guard is gone: the caller keeps it until the command is
    /// carried out, so that no rotation comes between.
    pub fn sealing(&self) -> Sealing<'_> {
        let guard = self.0.sealing.lock().unwrap_or_else(PoisonError::into_inner);
        Sealing { ring: &self.0, _guard: guard }
    }
}

impl From<MasterKey> for Keyring {
    fn from(master_key: MasterKey) -> Self {
        Self::new(master_key)
    }
}

/// The right to seal.
#[derive(Debug)]
pub struct Sealing<'a> {
    ring: &'a Ring,
    _guard: MutexGuard<'a, ()>,
}

impl Sealing<'_> {
    pub fn master_key(&self) -> MasterKey {
        let keys = self.ring.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys[0].clone()
    }

    /// A rotation to `next` is carried out: keys are sealed by it from here on. Keys that others
    /// have yet to hear of may still be sealed by the one before.
    pub fn turn_to(&self, next: MasterKey) {
        let mut keys = self.ring.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.insert(0, next);
        keys.truncate(2);
    }
}

/// All valid keys and logins of a venue, sealed by another master key.
pub fn reseal(
    keys: &[(KeyId, KeySpec)],
    logins: &[(LoginId, LoginSpec)],
    master_key: &MasterKey,
    next: &MasterKey,
) -> Result<RotateMasterKey, MasterKeyError> {
    let mut resealed_keys = Vec::with_capacity(keys.len());
    for (key, spec) in keys {
        let credential = master_key.open(&spec.sealed_secret, &spec.api_key_hash)?;
        let sealed = next.seal(&credential, &spec.api_key_hash);
        let sealed_secret = sealed.ok_or(MasterKeyError::TooLarge)?;
        resealed_keys.push(ResealedKey { key: *key, sealed_secret });
    }
    let mut resealed_logins = Vec::with_capacity(logins.len());
    for (login, spec) in logins {
        let secret = master_key.open_login(&spec.sealed_secret, &spec.user)?;
        let sealed_secret = next.seal_login(&secret, &spec.user);
        resealed_logins.push(ResealedLogin { login: *login, sealed_secret });
    }
    let fingerprint = next.fingerprint();
    let rotate = RotateMasterKey { fingerprint, keys: resealed_keys, logins: resealed_logins };
    let mut bytes = Vec::new();
    rotate.write(&mut bytes);
    if bytes.len() <= ROTATION_SIZE_MAX {
        Ok(rotate)
    } else {
        Err(MasterKeyError::TooManyKeys(rotate.keys.len() + rotate.logins.len()))
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring(hidden)")
    }
}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ring(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use types::{AccountId, Role};

    use super::*;
    use crate::key::credential::Verifier;
    use crate::key::secret::{Secret, api_key_hash};

    #[test]
    fn a_rotation_of_more_keys_than_a_command_has_room_for_is_refused() {
        let (master_key, next) = (MasterKey::generate(), MasterKey::generate());
        let api_key_hash = api_key_hash("a");
        let credential = Credential::new(Verifier::Hmac(Secret::generate()));
        let sealed_secret = master_key.seal(&credential, &api_key_hash).unwrap();
        let spec = KeySpec {
            account: AccountId(1),
            role: Role::Trader,
            login: None,
            api_key_hash,
            sealed_secret,
        };
        let rotation = |keys: u32| {
            let keys: Vec<_> = (1..=keys).map(|key| (KeyId(key), spec)).collect();
            reseal(&keys, &[], &master_key, &next)
        };
        assert_eq!(rotation(69_000).unwrap().keys.len(), 69_000);
        assert!(matches!(rotation(72_000), Err(MasterKeyError::TooManyKeys(72_000))));
    }
}
