//! The details of a status: `google.rpc.Status` with a `google.rpc.ErrorInfo`.
//!
//! Two small messages of Google's, written out here: their library brings ten more.

use std::collections::BTreeMap;

use prost::Message;

/// The domain of the reasons of an [`ErrorInfo`].
pub const DOMAIN: &str = "buttonwood";

const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";

/// `google.rpc.Status`
#[derive(Clone, Eq, PartialEq, Message)]
pub struct Status {
    #[prost(int32, tag = "1")]
    pub code: i32,
    #[prost(string, tag = "2")]
    pub message: String,
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<Any>,
}

/// `google.protobuf.Any`
#[derive(Clone, Eq, PartialEq, Message)]
pub struct Any {
    #[prost(string, tag = "1")]
    pub type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

/// `google.rpc.ErrorInfo`
#[derive(Clone, Eq, PartialEq, Message)]
pub struct ErrorInfo {
    #[prost(string, tag = "1")]
    pub reason: String,
    #[prost(string, tag = "2")]
    pub domain: String,
    #[prost(btree_map = "string, string", tag = "3")]
    pub metadata: BTreeMap<String, String>,
}

impl ErrorInfo {
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), domain: DOMAIN.to_owned(), metadata: BTreeMap::new() }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.metadata.insert(name.to_owned(), value.to_string());
        self
    }

    /// A status of a call with this information.
    pub fn into_status(self, code: tonic::Code, message: impl Into<String>) -> tonic::Status {
        let message = message.into();
        let info = Any { type_url: ERROR_INFO.to_owned(), value: self.encode_to_vec() };
        let whole = Status { code: code as i32, message: message.clone(), details: vec![info] };
        tonic::Status::with_details(code, message, whole.encode_to_vec().into())
    }
}

/// The information that a status of a call came with.
pub fn details_of(status: &tonic::Status) -> Option<ErrorInfo> {
    let whole = Status::decode(status.details()).ok()?;
    let info = whole.details.iter().find(|detail| detail.type_url == ERROR_INFO)?;
    ErrorInfo::decode(&*info.value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_carries_its_reason() {
        let info = ErrorInfo::new("NO_LIQUIDITY").with("number", 153);
        let status = info.clone().into_status(tonic::Code::FailedPrecondition, "no liquidity");
        assert_eq!(details_of(&status), Some(info));
        assert_eq!(details_of(&tonic::Status::unavailable("gone")), None);
    }
}
