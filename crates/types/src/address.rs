//! Network addresses of clients.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use crate::describe::{Describe, Described};
use crate::wire::{Reader, Wire};

/// An IP address. One of version 4 lies in it as version 6 maps it, so that all have one size.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Address([u8; 16]);

impl From<IpAddr> for Address {
    fn from(address: IpAddr) -> Self {
        Self(match address {
            IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
            IpAddr::V6(address) => address.octets(),
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ipv6Addr::from(self.0).to_canonical().fmt(f)
    }
}

impl Wire for Address {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        r.read().map(Self)
    }
}

impl Describe for Address {
    fn describe(&self) -> Described {
        Described::Text(self.to_string())
    }
}
