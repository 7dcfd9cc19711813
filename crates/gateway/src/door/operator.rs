//! The interface to the operators' backend.
//!
//! The gateway is given the backend, because operations need more than a gateway sees, for example
//! the data folder.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;

use bytes::Bytes;
use projection::Audited;
use types::{Event, KeyId};

pub use axum::http::Method;

pub const OPERATOR_ROOT: &str = "/admin/v1";

/// The backend of the paths below [`OPERATOR_ROOT`].
pub trait OperatorApi: fmt::Debug + Send + Sync {
    fn find(&self, method: &Method, path: &str) -> OperatorRoute;

    /// For a request that [`OperatorApi::find`] finds to be an operation.
    fn answer(&self, request: OperatorRequest) -> OperatorFuture;

    /// The events as messages for operators, in their order; `None` while the venue is overloaded.
    fn show(&self, events: Vec<OperatorEvent>) -> OperatorMessages;
}

pub type OperatorFuture = Pin<Box<dyn Future<Output = OperatorAnswer> + Send>>;
pub type OperatorMessages = Pin<Box<dyn Future<Output = Option<Vec<String>>> + Send>>;

/// An event that operators watch.
#[derive(Clone, Debug)]
pub enum OperatorEvent {
    /// The first message of a reader: events of later commands follow.
    Subscribed {
        sequence: u64,
    },
    Command(Box<Audited>),
    Happened {
        sequence: u64,
        sequenced_ns: u64,
        event: Box<Event>,
    },
    Alarm {
        noticed_ns: u64,
        alarm: Alarm,
        is_raised: bool,
        sentence: &'static str,
    },
}

/// A part of the venue that has a problem, while orders go on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Alarm {
    Replica,
    ReadModel,
    Disk,
    Intake,
    Publisher,
}

impl Alarm {
    pub fn name(self) -> &'static str {
        match self {
            Self::Replica => "replica",
            Self::ReadModel => "read_model",
            Self::Disk => "disk",
            Self::Intake => "intake",
            Self::Publisher => "publisher",
        }
    }
}

/// The route of a method and a path.
#[derive(Debug)]
pub enum OperatorRoute {
    /// Public.
    Page(StaticPage),
    /// For operators only.
    Operation,
    /// The path takes only these methods, listed as in `GET, POST`.
    OtherMethods(String),
    Nowhere,
}

#[derive(Debug)]
pub struct StaticPage {
    pub content_type: &'static str,
    pub is_gzip: bool,
    pub body: &'static [u8],
}

/// An operator's request. Its signature is verified.
#[derive(Debug)]
pub struct OperatorRequest {
    pub key: KeyId,
    /// The address that the connection comes from: the client, or its proxy.
    pub peer: IpAddr,
    pub received_ns: u64,
    pub method: Method,
    /// The path below [`OPERATOR_ROOT`], as it was sent.
    pub path: String,
    /// Parameters of the query string, without those of the signature.
    pub query: Vec<(String, String)>,
    pub body: Bytes,
}

#[derive(Debug)]
pub struct OperatorAnswer {
    pub status: u16,
    /// JSON.
    pub body: String,
    /// Code and text of a refusal, if no command of the request reached the log.
    pub refusal: Option<(i32, String)>,
}
