//! How a person proves to be the owner of a login: what lies sealed in the log.
//!
//! The bytes that are sealed: a version, the hash of the password, whether one-time codes are asked
//! for, and then their secret. A login for OUCH has the key of its datagrams at the end.

use types::{Reader, Wire};

use crate::login::datagram_key::DatagramKey;
use crate::login::password::PasswordHash;
use crate::login::totp::TotpSecret;

const VERSION: u8 = 1;

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LoginSecret {
    pub password: PasswordHash,
    /// Of an operator's login always, of others if they want.
    pub totp: Option<TotpSecret>,
    /// Of a login for OUCH, unless an older build has made it.
    pub datagram_key: Option<DatagramKey>,
}

impl LoginSecret {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        self.password.write(&mut bytes);
        self.totp.as_ref().map(|totp| *totp.as_bytes()).write(&mut bytes);
        if let Some(key) = &self.datagram_key {
            key.as_bytes().write(&mut bytes);
        }
        bytes
    }

    /// Fails with the version of the bytes if this program cannot read them.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, u8> {
        match bytes.split_first() {
            Some((&VERSION, rest)) => Self::read(rest).ok_or(VERSION),
            Some((version, _)) => Err(*version),
            None => Err(0),
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let r = &mut Reader(bytes);
        let password = r.read()?;
        let totp: Option<_> = r.read()?;
        let key = if r.is_empty() { None } else { Some(r.read()?) };
        let datagram_key = key.map(DatagramKey::from_bytes);
        let totp = totp.map(TotpSecret::from_bytes);
        r.is_empty().then_some(Self { password, totp, datagram_key })
    }
}
