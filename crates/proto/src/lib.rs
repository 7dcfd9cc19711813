//! Messages and stubs of the venue's gRPC, without a transport.
//!
//! `api/buttonwood.proto` is their source: `make proto` makes `generated/` from it, which is
//! committed, so that a build needs no compiler of `.proto` files.

mod rpc;
mod words;

pub use prost::Message;
pub use rpc::{Any, DOMAIN, ErrorInfo, Status, details_of};

/// The package `buttonwood.v1`.
#[allow(
    clippy::all,
    clippy::cast_lossless,
    clippy::match_same_arms,
    clippy::semicolon_if_nothing_returned,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications,
    reason = "generated"
)]
pub mod v1 {
    include!("generated/buttonwood.v1.rs");
}

/// The descriptors of the package and of the details of a status, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!("generated/descriptors.bin");

#[cfg(test)]
mod tests {
    #[test]
    fn generated_code_is_that_of_the_source() {
        let mut sources = blake3::Hasher::new();
        sources.update(include_bytes!("../../../api/buttonwood.proto"));
        sources.update(include_bytes!("../../../api/google/rpc/error_details.proto"));
        let generated_from = include_str!("generated/source.hash").trim();
        assert_eq!(sources.finalize().to_string(), generated_from, "run `make proto`");
    }
}
