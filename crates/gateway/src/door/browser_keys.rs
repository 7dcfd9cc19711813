//! Keys of signed-in browsers: registration and revocation, as entries of the log.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::runtime::Handle as Runtime;
use tokio::task::spawn_blocking;
use types::{
    AccountId, Command, CreateKey, Envelope, Event, KeyId, KeySpec, Origin, RejectReason,
    RevokeKey, Role,
};
use venue::{Credential, Verifier, api_key_hash, random_text};

use crate::clock::now_ns;
use crate::door::shared::Door;
use crate::door::submit::SubmitError;

const API_KEY_LEN: usize = 64;

/// A key to register.
pub(crate) struct NewBrowserKey {
    pub(crate) account: AccountId,
    pub(crate) role: Role,
    pub(crate) verifier: Verifier,
    pub(crate) expires_ns: u64,
    /// Of the browser.
    pub(crate) address: IpAddr,
    pub(crate) received_ns: u64,
}

pub(crate) struct BrowserKey {
    pub(crate) key: KeyId,
    pub(crate) api_key: String,
}

/// Why there is no key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoBrowserKey {
    Unsubmitted(SubmitError),
    Rejected(RejectReason),
}

impl Door {
    /// Registers a key, sealed by the master key of the moment: no rotation comes between.
    pub(crate) async fn create_browser_key(
        self: Arc<Self>,
        new: NewBrowserKey,
    ) -> Result<BrowserKey, NoBrowserKey> {
        let runtime = Runtime::current();
        let created = spawn_blocking(move || {
            let keyring = self.directory().keyring();
            let sealing = keyring.sealing();
            let api_key = random_text(API_KEY_LEN);
            let api_key_hash = api_key_hash(&api_key);
            let mut credential = Credential::new(new.verifier);
            credential.expires_ns = Some(new.expires_ns);
            let sealed_secret = sealing
                .master_key()
                .seal(&credential, &api_key_hash)
                .expect("a key without networks is small");
            let spec =
                KeySpec { account: new.account, role: new.role, api_key_hash, sealed_secret };
            let command = Command::CreateKey(Box::new(CreateKey { spec }));
            let envelope = envelope(new.address, new.received_ns);
            let outcome = runtime.block_on(self.submit(envelope, command, false));
            match outcome.map_err(NoBrowserKey::Unsubmitted)?.events.first() {
                Some(Event::KeyCreated(created)) => Ok(BrowserKey { key: created.key, api_key }),
                Some(Event::CommandRejected(rejected)) => {
                    Err(NoBrowserKey::Rejected(rejected.reason))
                }
                _ => Err(NoBrowserKey::Unsubmitted(SubmitError::Unknown)),
            }
        });
        created.await.expect("registering a key does not panic")
    }

    /// Revokes a key. One that was revoked before stays revoked.
    pub(crate) async fn revoke_key(&self, key: KeyId, address: IpAddr) -> Result<(), SubmitError> {
        let command = Command::RevokeKey(RevokeKey { key });
        self.submit(envelope(address, now_ns()), command, false).await.map(drop)
    }
}

/// The envelope of a person at the page.
fn envelope(address: IpAddr, received_ns: u64) -> Envelope {
    let envelope = Envelope::venue(Origin::AdminApi, received_ns);
    Envelope { address: Some(address.into()), ..envelope }
}
