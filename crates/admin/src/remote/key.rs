//! The key of an operator, and its signatures.

use std::fmt;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use cli::Failure;
use protocol::signed::PrivateKey;
use protocol::signed::sign::{check_api_key, sign};
use serde::Deserialize;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

/// The variable of the key, or of its file: other users of a machine see its command lines.
const VARIABLE: &str = "BUTTONWOOD_OPERATOR_KEY";
/// The bits of a mode that let other users read or write a file.
const OTHERS: u32 = 0o077;

pub(super) struct OperatorKey {
    pub(super) api_key: String,
    signs: Signs,
}

enum Signs {
    Hmac(String),
    Private(PrivateKey),
}

/// The file, as `admin key add` prints it.
#[derive(Deserialize)]
struct KeyFile {
    api_key: String,
    secret_key: Option<String>,
}

impl OperatorKey {
    /// `named` is the file of the command line; without it the variable is read.
    pub(super) fn read(named: Option<String>, private_key: Option<&Path>) -> Result<Self, Failure> {
        let named = match named {
            Some(named) if is_key(&named) => {
                return Err(Failure::new(format!(
                    "--key-file is the key itself, which others can see there: name a file that \
                     has it, or put it into {VARIABLE}"
                )));
            }
            named => named.or_else(|| std::env::var(VARIABLE).ok()),
        };
        let named = named.ok_or_else(|| {
            Failure::new(format!(
                "--url needs an operator's key: name its file with --key-file or in {VARIABLE}"
            ))
        })?;
        let (place, text) = if is_key(&named) {
            (VARIABLE.to_owned(), named)
        } else {
            let text = read_secret(Path::new(&named), |file| std::fs::read_to_string(file))?;
            (named, text)
        };
        // The error of the parser could show a part of the secret.
        let file: KeyFile = serde_json::from_str(&text).map_err(|_| {
            Failure::new(format!(
                "{place} is not a key as `buttonwood admin key add` prints it: JSON with `api_key` \
                 and `secret_key`"
            ))
        })?;
        if check_api_key(Some(&file.api_key)).is_err() {
            return Err(Failure::new(format!("the `api_key` in {place} is none")));
        }
        let signs = match (file.secret_key, private_key) {
            (Some(secret), None) => Signs::Hmac(secret),
            (None, Some(file)) => Signs::Private(read_private_key(file)?),
            (Some(_), Some(_)) => {
                return Err(Failure::new(format!(
                    "{place} has a `secret_key`, so its key signs without --private-key"
                )));
            }
            (None, None) => {
                return Err(Failure::new(format!(
                    "{place} has no `secret_key`: name the private key of an Ed25519 or RSA key \
                     with --private-key"
                )));
            }
        };
        Ok(Self { api_key: file.api_key, signs })
    }

    pub(super) fn sign(&self, payload: &[u8]) -> Result<String, Failure> {
        match &self.signs {
            Signs::Hmac(secret) => Ok(sign(secret.as_bytes(), payload)),
            Signs::Private(key) => {
                key.sign(payload).ok_or_else(|| Failure::fault("the private key did not sign"))
            }
        }
    }
}

/// Whether a text is a key, and not the name of a file.
fn is_key(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Refuses a file that other users may read, as other users could then operate the venue.
fn read_secret<T>(file: &Path, read: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, Failure> {
    let name = file.display();
    let named = |error: io::Error| Failure::new(format!("{name}: {error}"));
    let mode = std::fs::metadata(file).map_err(named)?.permissions().mode();
    if mode & OTHERS != 0 {
        let mode = mode & 0o777;
        return Err(Failure::new(format!(
            "{name}: other users can read it (mode {mode:o}), and it is a key: `chmod 600 {name}`"
        )));
    }
    read(file).map_err(named)
}

fn read_private_key(file: &Path) -> Result<PrivateKey, Failure> {
    let named =
        |sentence: &dyn fmt::Display| Failure::new(format!("{}: {sentence}", file.display()));
    let pem = read_secret(file, |file| std::fs::read(file))?;
    let der = PrivateKeyDer::from_pem_slice(&pem).map_err(|_| named(&"no private key (PEM)"))?;
    PrivateKey::from_der(der.secret_der())
        .ok_or_else(|| named(&"a private key of another kind than Ed25519 and RSA"))
}

impl fmt::Debug for OperatorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OperatorKey(hidden)")
    }
}
