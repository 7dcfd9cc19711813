//! Operators' requests, whichever way they come: their backend is given to the gateway, since that
//! takes more than a gateway sees: the data folder, for one.

use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use types::KeyId;

pub use axum::http::Method;

pub const OPERATOR_ROOT: &str = "/admin/v1";

/// The backend of the paths below [`OPERATOR_ROOT`].
pub trait OperatorApi: fmt::Debug + Send + Sync {
    fn find(&self, method: &Method, path: &str) -> OperatorRoute;

    /// For what [`OperatorApi::find`] says to be an operation.
    fn answer(&self, request: OperatorRequest) -> OperatorFuture;
}

pub type OperatorFuture = Pin<Box<dyn Future<Output = OperatorAnswer> + Send>>;

/// What a method and a path stand for.
#[derive(Debug)]
pub enum OperatorRoute {
    /// Public.
    Page(StaticPage),
    /// Operators may ask for it.
    Operation,
    /// The path takes these methods only, named as in `GET, POST`.
    OtherMethods(String),
    Nowhere,
}

#[derive(Debug)]
pub struct StaticPage {
    pub content_type: &'static str,
    pub is_gzip: bool,
    pub body: &'static [u8],
}

/// What an operator asks for. His signature was good.
#[derive(Debug)]
pub struct OperatorRequest {
    pub key: KeyId,
    pub received_ns: u64,
    pub method: Method,
    /// Below [`OPERATOR_ROOT`], as it was sent.
    pub path: String,
    /// Parameters of the query string, but for those of the signature.
    pub query: Vec<(String, String)>,
    pub body: Bytes,
}

#[derive(Debug)]
pub struct OperatorAnswer {
    pub status: u16,
    /// JSON.
    pub body: String,
    /// Why it was refused before any command of it reached the log: a code and a sentence.
    pub refusal: Option<(i32, String)>,
}
