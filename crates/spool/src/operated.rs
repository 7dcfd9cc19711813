//! What the spool keeps of an operator's command besides its events.

use types::{Address, Command, Entry, KeyId, Origin, Reader, RotateMasterKey, Wire};

/// An operator's command and its sender.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Operated {
    /// Zero through the admin socket.
    pub key: KeyId,
    pub origin: Origin,
    pub address: Option<Address>,
    /// Without the secrets of a rotation, which are as many as there are keys and logins.
    pub command: Command,
}

impl Operated {
    /// `None` for the commands of clients, and of the venue itself.
    #[inline]
    pub fn of(entry: &Entry) -> Option<Box<Self>> {
        entry.envelope.origin.is_operator().then(|| Self::of_operator(entry))
    }

    #[cold]
    fn of_operator(entry: &Entry) -> Box<Self> {
        let command = match &entry.command {
            Command::RotateMasterKey(RotateMasterKey { fingerprint, .. }) => {
                let (fingerprint, keys, logins) = (*fingerprint, Vec::new(), Vec::new());
                Command::RotateMasterKey(RotateMasterKey { fingerprint, keys, logins })
            }
            other => other.clone(),
        };
        let envelope = &entry.envelope;
        let (key, origin, address) = (envelope.key, envelope.origin, envelope.address);
        Box::new(Self { key, origin, address, command })
    }
}

impl Wire for Operated {
    fn write(&self, out: &mut Vec<u8>) {
        self.key.write(out);
        self.origin.write(out);
        self.address.write(out);
        self.command.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { key: r.read()?, origin: r.read()?, address: r.read()?, command: r.read()? })
    }
}
