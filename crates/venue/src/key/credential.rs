//! How a key signs, from where and until when: what lies sealed in the log.
//!
//! The bytes that are sealed: a version, the kind of key (plus 128 if its signed requests are good
//! once each), when it expires (nanoseconds since 1970, zero for never), its name (a length, zero
//! for none, and the text), how many networks it may be used from, these (prefix length, address;
//! of IPv6 the prefix length plus 64), and then what signatures are checked with.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use rustls_pki_types::SubjectPublicKeyInfoDer;
use rustls_pki_types::pem::PemObject;
use types::{KeyName, Reader, Sealed, Wire};

use crate::key::secret::Secret;

const VERSION: u8 = 1;
const V6: u8 = 64;
const SINGLE_USE: u8 = 128;

/// A key, but for what the log says of it openly.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Credential {
    pub verifier: Verifier,
    /// By which operators know it. Unique among the keys of its account.
    pub name: Option<KeyName>,
    /// Where it may be used from; from anywhere when there is none.
    pub networks: Vec<IpNet>,
    /// In nanoseconds since 1970. From then on it is as if it were revoked.
    pub expires_ns: Option<u64>,
    /// Whether each signed request is good once.
    pub is_single_use: bool,
}

/// What a key's signatures are checked with.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Verifier {
    Hmac(Secret),
    /// The public key.
    Ed25519([u8; 32]),
    /// The modulus; the exponent is 65537.
    Rsa(Vec<u8>),
}

impl Credential {
    /// The default: without a name, from any address, for ever, and for requests that may be sent
    /// again.
    pub fn new(verifier: Verifier) -> Self {
        let networks = Vec::new();
        Self { verifier, name: None, networks, expires_ns: None, is_single_use: false }
    }

    pub fn allows(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.networks.is_empty() || self.networks.iter().any(|network| network.contains(&peer))
    }

    pub fn has_expired(&self, now_ns: u64) -> bool {
        self.expires_ns.is_some_and(|expires_ns| now_ns >= expires_ns)
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (kind, material) = match &self.verifier {
            Verifier::Hmac(secret) => (0_u8, secret.as_str().as_bytes()),
            Verifier::Ed25519(public) => (1, &public[..]),
            Verifier::Rsa(modulus) => (2, &modulus[..]),
        };
        let single_use = if self.is_single_use { SINGLE_USE } else { 0 };
        let mut bytes = vec![VERSION, kind | single_use];
        self.expires_ns.unwrap_or(0).write(&mut bytes);
        match &self.name {
            Some(name) => name.write(&mut bytes),
            None => bytes.push(0),
        }
        // More of them than one byte counts do not fit into `Sealed` either.
        bytes.push(u8::try_from(self.networks.len()).unwrap_or(u8::MAX));
        for network in &self.networks {
            match network {
                IpNet::V4(v4) => {
                    bytes.push(v4.prefix_len());
                    bytes.extend(v4.network().octets());
                }
                IpNet::V6(v6) => {
                    bytes.push(V6 + v6.prefix_len());
                    bytes.extend(v6.network().octets());
                }
            }
        }
        bytes.extend(material);
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
        let (kind, expires_ns): (u8, u64) = r.read()?;
        let name = if r.0.first() == Some(&0) {
            r.read::<u8>()?;
            None
        } else {
            Some(r.read()?)
        };
        let count = r.read::<u8>()?;
        let networks = (0..count).map(|_| read_network(r)).collect::<Option<_>>()?;
        let verifier = match kind & !SINGLE_USE {
            0 => Verifier::Hmac(Secret::from_text(std::str::from_utf8(r.0).ok()?)?),
            1 => Verifier::Ed25519(r.0.try_into().ok()?),
            2 => Verifier::Rsa(r.0.to_vec()),
            _ => return None,
        };
        let expires_ns = (expires_ns > 0).then_some(expires_ns);
        let is_single_use = kind & SINGLE_USE != 0;
        Some(Self { verifier, name, networks, expires_ns, is_single_use })
    }
}

fn read_network(r: &mut Reader<'_>) -> Option<IpNet> {
    Some(match r.read::<u8>()? {
        prefix @ V6.. => IpNet::V6(Ipv6Net::new(r.take::<16>()?.into(), prefix - V6).ok()?),
        prefix => IpNet::V4(Ipv4Net::new(r.take::<4>()?.into(), prefix).ok()?),
    })
}

/// Reads a network, or an address, which is a network of one. IPv4 that is written as IPv6
/// (`::ffff:192.0.2.7`) is IPv4, as the address of a connection is.
pub fn parse_network(text: &str) -> Option<IpNet> {
    let of_one = || text.parse::<IpAddr>().ok().map(IpNet::from);
    let network = text.parse::<IpNet>().ok().or_else(of_one)?.trunc();
    let IpNet::V6(v6) = network else { return Some(network) };
    let mapped = v6.network().to_ipv4_mapped().zip(v6.prefix_len().checked_sub(MAPPED));
    let mapped = mapped.and_then(|(address, prefix)| Ipv4Net::new(address, prefix).ok());
    Some(mapped.map_or(network, IpNet::from))
}

/// The length of the prefix before an IPv4 address that is written as IPv6.
const MAPPED: u8 = 96;

impl Verifier {
    /// A public key in its own 32 bytes.
    pub fn from_ed25519(key: [u8; 32]) -> Result<Self, PublicKeyError> {
        if is_of_small_order(&key) {
            return Err(PublicKeyError::SmallOrder);
        }
        Ok(Self::Ed25519(key))
    }

    /// As `openssl pkey -pubout` writes it.
    pub fn from_pem(text: &str) -> Result<Self, PublicKeyError> {
        if text.contains("PRIVATE KEY-----") {
            return Err(PublicKeyError::Private);
        }
        let der = SubjectPublicKeyInfoDer::from_pem_slice(text.as_bytes())
            .map_err(|_| PublicKeyError::NotPem)?;
        let (algorithm, key) = read_key_info(&der).ok_or(PublicKeyError::NotPem)?;
        match algorithm {
            OID_ED25519 => Self::from_ed25519(key.try_into().map_err(|_| PublicKeyError::NotPem)?),
            OID_RSA => read_rsa(key),
            _ => Err(PublicKeyError::OtherKind),
        }
    }

    /// The public key as [`Self::from_pem`] reads it; `None` for a secret.
    pub fn to_pem(&self) -> Option<String> {
        let (algorithm, key) = match self {
            Self::Hmac(_) => return None,
            Self::Ed25519(public) => (der(OID, &[OID_ED25519]), public.to_vec()),
            Self::Rsa(modulus) => {
                let modulus = der(INTEGER, &[&[0], modulus]);
                let exponent = der(INTEGER, &[RSA_EXPONENT]);
                let algorithm = [der(OID, &[OID_RSA]), vec![NULL, 0]].concat();
                (algorithm, der(SEQUENCE, &[&modulus, &exponent]))
            }
        };
        let info = [der(SEQUENCE, &[&algorithm]), der(BIT_STRING, &[&[0], &key])].concat();
        let text = STANDARD.encode(der(SEQUENCE, &[&info]));
        let lines = text.as_bytes().chunks(PEM_COLUMNS);
        let lines = lines.map(|line| String::from_utf8_lossy(line).into_owned() + "\n");
        let lines: String = lines.collect();
        Some(format!("-----BEGIN PUBLIC KEY-----\n{lines}-----END PUBLIC KEY-----\n"))
    }

    /// The kind of key, as operators write it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Hmac(_) => "hmac",
            Self::Ed25519(_) => "ed25519",
            Self::Rsa(_) => "rsa",
        }
    }
}

/// Why there is no public key.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PublicKeyError {
    #[error(
        "it is a private key, which only its owner may have: name the public one, as \
         `openssl pkey -in FILE -pubout` writes it"
    )]
    Private,
    #[error("it is not a public key in PEM (`BEGIN PUBLIC KEY`)")]
    NotPem,
    #[error("it is neither an Ed25519 nor an RSA key")]
    OtherKind,
    #[error("it is a point of small order, and signatures for it need no private key")]
    SmallOrder,
    #[error("an RSA key must have 2048 to 4096 bits in whole bytes, and has {0}")]
    RsaBits(usize),
    #[error("an RSA key must have the public exponent 65537")]
    RsaExponent,
}

/// The encodings of the points of order 1, 2, 4 and 8, without their sign: y is 1, -1, 0, or one of
/// two values, and p and p + 1 are 0 and 1 once more. Signatures for them need no private key.
const SMALL_ORDER: [[u8; 32]; 7] = {
    let mut p = [0xff; 32];
    (p[0], p[31]) = (0xed, 0x7f);
    let (zero, mut one, mut minus_one, mut p_plus_one) = ([0; 32], [0; 32], p, p);
    (one[0], minus_one[0], p_plus_one[0]) = (1, 0xec, 0xee);
    let of_eight = [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
        0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
        0xfc, 0x05,
    ];
    let other_of_eight = [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67,
        0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac,
        0x03, 0x7a,
    ];
    [zero, one, of_eight, other_of_eight, minus_one, p, p_plus_one]
};

fn is_of_small_order(key: &[u8; 32]) -> bool {
    let mut y = *key;
    y[31] &= 0x7f;
    SMALL_ORDER.contains(&y)
}

// Just as much DER as two kinds of key need: they are sequences of a few values.
const INTEGER: u8 = 2;
const BIT_STRING: u8 = 3;
const NULL: u8 = 5;
const OID: u8 = 6;
const SEQUENCE: u8 = 0x30;
const OID_ED25519: &[u8] = &[0x2b, 0x65, 0x70];
const OID_RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
const RSA_EXPONENT: &[u8] = &[1, 0, 1];
const PEM_COLUMNS: usize = 64;

/// The algorithm, and the key in its own form.
fn read_key_info(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut info = Reader(read_der(&mut Reader(der), SEQUENCE)?);
    let mut algorithm = Reader(read_der(&mut info, SEQUENCE)?);
    let (unused_bits, key) = read_der(&mut info, BIT_STRING)?.split_first()?;
    (*unused_bits == 0).then_some((read_der(&mut algorithm, OID)?, key))
}

fn read_rsa(key: &[u8]) -> Result<Verifier, PublicKeyError> {
    let numbers = || {
        let mut key = Reader(read_der(&mut Reader(key), SEQUENCE)?);
        Some((read_der(&mut key, INTEGER)?, read_der(&mut key, INTEGER)?))
    };
    let (modulus, exponent) = numbers().ok_or(PublicKeyError::NotPem)?;
    if exponent != RSA_EXPONENT {
        return Err(PublicKeyError::RsaExponent);
    }
    // A number with its highest bit set gets a leading zero, so that it is not negative.
    let modulus = modulus.strip_prefix(&[0]).unwrap_or(modulus);
    let unset = modulus.first().map_or(0, |first| first.leading_zeros() as usize);
    match modulus.len() {
        256..=512 if unset == 0 => Ok(Verifier::Rsa(modulus.to_vec())),
        len => Err(PublicKeyError::RsaBits(len * 8 - unset)),
    }
}

fn read_der<'a>(r: &mut Reader<'a>, tag: u8) -> Option<&'a [u8]> {
    if r.read::<u8>()? != tag {
        return None;
    }
    let len = match r.read::<u8>()? {
        0x81 => usize::from(r.read::<u8>()?),
        0x82 => usize::from(u16::from_be_bytes(r.take()?)),
        len => usize::from(len), // A longer form is longer than what follows it.
    };
    r.take_slice(len)
}

/// A value of DER, whose content is given in parts.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let len = u16::try_from(content.len()).expect("a public key is shorter");
    let [high, low] = len.to_be_bytes();
    let head = match len {
        0..=0x7f => vec![tag, low],
        0x80..=0xff => vec![tag, 0x81, low],
        _ => vec![tag, 0x82, high, low],
    };
    [head, content].concat()
}

/// Whether a credential may be too large is known before it is sealed.
pub(crate) const CREDENTIAL_LEN_MAX: usize = Sealed::LEN_MAX - 24 - 16;

#[cfg(test)]
mod tests {
    use super::*;

    // The examples of Binance's documentation.
    const ED25519: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAgmDRTtj2FA+wzJUIlAL9ly1eovjLBu7uXUFR+jFULmg=
-----END PUBLIC KEY-----
";
    const RSA: &str = "-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyfKiFXpcOhF5rX1XxePN
akwN7Etwtn3v05cZNY+ftDHbVZHs/kY6Ruj5lhxVFAq5dv7Ba9/4jPijXuMuIc6Y
8nUlqtrrxC8DEOAczw9SKATDYZN9nbLfYlbBFfHzRQUXdAtYCPI6XtxmJBS7aOBb
4nZe1SVm+bhLrp0YQnx2P0s+37qkGeVn09m6w9MnWxjgCkkYFPWQkXIu5qOnwx6p
NfqDmFD7d7dUc/6PZQ1bKFALu/UETsobmBk82ShbrBhlc0JXuhf9qBR7QASjHjFQ
2N+VF2PfH8dm5prZIpz/MFKPkBW4Yuss0OXiD+jQt1J2JUKspLqsIqoXjHQQGjL7
3wIDAQAB
-----END PUBLIC KEY-----
";

    #[test]
    fn public_keys_are_read_from_pem() {
        let Ok(Verifier::Ed25519(key)) = Verifier::from_pem(ED25519) else { panic!() };
        assert_eq!((key[0], key[31]), (0x82, 0x68));
        let Ok(Verifier::Rsa(modulus)) = Verifier::from_pem(RSA) else { panic!() };
        assert_eq!((modulus.len(), modulus[0], modulus[255]), (256, 0xc9, 0xdf));
        for pem in [ED25519, RSA] {
            assert_eq!(Verifier::from_pem(pem).unwrap().to_pem().as_deref(), Some(pem));
        }
        assert_eq!(Verifier::Hmac(Secret::generate()).to_pem(), None);
    }

    #[test]
    fn what_is_no_public_key_is_refused_by_name() {
        let refused = |text: &str| Verifier::from_pem(text).unwrap_err();
        assert_eq!(refused("MCowBQYDK2Vw"), PublicKeyError::NotPem);
        assert_eq!(refused(&ED25519.replace("MCow", "MCox")), PublicKeyError::NotPem);
        assert_eq!(refused(&ED25519.replace("K2Vw", "K2Vx")), PublicKeyError::OtherKind);
        assert_eq!(refused(&RSA.replace("IDAQAB", "IDAQAD")), PublicKeyError::RsaExponent);
        assert_eq!(refused(&ED25519.replace("PUBLIC", "PRIVATE")), PublicKeyError::Private);
        // All but the first two bytes of the modulus.
        let short = [&[SEQUENCE, 0x81, 135, INTEGER, 0x81, 128, 0x80][..], &[1; 127]].concat();
        let short = [&short[..], &[INTEGER, 3, 1, 0, 1]].concat();
        let short =
            [&[SEQUENCE, 0x81, u8::try_from(short.len() - 3).unwrap()], &short[3..]].concat();
        assert_eq!(read_rsa(&short), Err(PublicKeyError::RsaBits(1024)));
    }

    #[test]
    fn an_ed25519_key_that_anyone_can_sign_for_is_refused() {
        let pem = |key: &str| {
            let text = format!("MCowBQYDK2VwAyEA{key}=");
            Verifier::from_pem(&ED25519.replace(ED25519.lines().nth(1).unwrap(), &text))
        };
        let zero = "A".repeat(43);
        for small in [zero.clone(), format!("AQAA{}", &zero[4..])] {
            assert_eq!(pem(&small).unwrap_err(), PublicKeyError::SmallOrder, "{small}");
        }
        assert!(pem(&format!("AwAA{}", &zero[4..])).is_ok());
        for mut key in SMALL_ORDER {
            assert!(is_of_small_order(&key));
            key[31] |= 0x80;
            assert!(is_of_small_order(&key), "with the other sign");
            key[1] ^= 1;
            assert!(!is_of_small_order(&key));
        }
    }

    #[test]
    fn a_credential_survives_its_bytes() {
        let networks: Vec<IpNet> =
            ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7/32", "::/0", "0.0.0.0/0"]
                .map(|network| network.parse().unwrap())
                .to_vec();
        for verifier in [
            Verifier::Hmac(Secret::generate()),
            Verifier::from_pem(ED25519).unwrap(),
            Verifier::from_pem(RSA).unwrap(),
        ] {
            let name = KeyName::parse("the-bot");
            for (name, networks, expires_ns, is_single_use) in
                [(None, vec![], None, false), (name, networks.clone(), Some(7), true)]
            {
                let verifier = verifier.clone();
                let credential = Credential { verifier, name, networks, expires_ns, is_single_use };
                let bytes = credential.to_bytes();
                assert_eq!(Credential::from_bytes(&bytes), Ok(credential));
                let newer = [&[VERSION + 1], &bytes[1..]].concat();
                assert_eq!(Credential::from_bytes(&newer), Err(VERSION + 1));
                for cut in 0..bytes.len() {
                    let _ = Credential::from_bytes(&bytes[..cut]);
                }
            }
        }
    }

    #[test]
    fn the_largest_key_leaves_room_for_networks() {
        let mut credential = Credential::new(Verifier::Rsa(vec![0xff; 512]));
        credential.networks = vec!["192.0.2.0/24".parse().unwrap(); 5];
        assert!(credential.to_bytes().len() <= CREDENTIAL_LEN_MAX);
        let named = Credential {
            name: KeyName::parse(&"n".repeat(KeyName::LEN_MAX)),
            networks: Vec::new(),
            ..credential.clone()
        };
        assert!(named.to_bytes().len() <= CREDENTIAL_LEN_MAX, "the longest name");
        credential.networks = vec!["2001:db8::/64".parse().unwrap(); 3];
        assert!(credential.to_bytes().len() > CREDENTIAL_LEN_MAX);
    }

    #[test]
    fn networks_are_those_of_the_client_however_its_address_is_written() {
        let mut credential = Credential::new(Verifier::Ed25519([0; 32]));
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        for (text, network) in [
            ("192.0.2.7", "192.0.2.7/32"),
            ("192.0.2.7/24", "192.0.2.0/24"),
            ("::ffff:192.0.2.7", "192.0.2.7/32"),
            ("::ffff:192.0.2.7/120", "192.0.2.0/24"),
            ("::ffff:0:0/96", "0.0.0.0/0"),
            ("::ffff:0:0/90", "::ffc0:0:0/90"),
            ("2001:db8::1/32", "2001:db8::/32"),
            ("::1", "::1/128"),
        ] {
            assert_eq!(
                parse_network(text).map(|network| network.to_string()).as_deref(),
                Some(network)
            );
        }
        for text in ["", "192.0.2", "192.0.2.7/33", "::/129", "localhost", "192.0.2.7:80"] {
            assert_eq!(parse_network(text), None, "{text}");
        }
        assert!(credential.allows(address("203.0.113.9")));
        credential.networks = vec![parse_network("::ffff:192.0.2.7").unwrap()];
        assert!(credential.allows(address("192.0.2.7")) && !credential.allows(address("::1")));
        credential.networks = vec!["192.0.2.0/24".parse().unwrap(), "::1/128".parse().unwrap()];
        assert!(credential.allows(address("192.0.2.9")));
        assert!(credential.allows(address("::ffff:192.0.2.9")));
        assert!(credential.allows(address("::1")));
        assert!(!credential.allows(address("192.0.3.9")));
        assert!(!credential.allows(address("::2")));
    }
}
