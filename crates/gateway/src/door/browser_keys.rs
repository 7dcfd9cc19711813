//! Keys of signed-in browsers: registration and revocation, as entries of the log.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::runtime::Handle as Runtime;
use tokio::task::spawn_blocking;
use types::{
    AccountId, Command, CreateKey, Envelope, Event, KeyId, KeySpec, LoginId, Origin, RejectReason,
    RevokeKey,
};
use venue::{Credential, Verifier, api_key_hash, random_text};

use crate::clock::now_ns;
use crate::door::identity::Login;
use crate::door::query::Answered;
use crate::door::shared::Door;
use crate::door::submit::SubmitError;

const API_KEY_LEN: usize = 64;

/// A key to register.
pub(crate) struct NewBrowserKey {
    pub(crate) login: Arc<Login>,
    pub(crate) verifier: Verifier,
    pub(crate) expires_ns: u64,
    /// Of the browser.
    pub(crate) address: IpAddr,
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
            let sealed = sealing.master_key().seal(&credential, &api_key_hash);
            let sealed_secret = sealed.expect("a key without networks is small");
            let (account, role) = (new.login.account, new.login.role);
            let login = Some(new.login.login);
            let spec = KeySpec { account, role, login, api_key_hash, sealed_secret };
            let command = Command::CreateKey(Box::new(CreateKey { spec }));
            let envelope = envelope(account, new.address);
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

    /// All keys that browsers of a login hold, also those that no other thread knows yet.
    pub(crate) async fn keys_of_login(&self, login: LoginId) -> Answered<Vec<KeyId>> {
        self.ask_engine(move |engine| engine.keys_of_login(login).collect()).await
    }

    /// Revokes a key of an account. One that was revoked before stays revoked.
    pub(crate) async fn revoke_browser_key(
        &self,
        account: AccountId,
        key: KeyId,
        address: IpAddr,
    ) -> Result<(), SubmitError> {
        let command = Command::RevokeKey(RevokeKey { key });
        self.submit(envelope(account, address), command, false).await.map(drop)
    }
}

/// The envelope of a person at the page.
fn envelope(account: AccountId, address: IpAddr) -> Envelope {
    let envelope = Envelope::venue(Origin::Web, now_ns());
    Envelope { account, address: Some(address.into()), ..envelope }
}
