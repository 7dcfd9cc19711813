//! The services, by the path of a call.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::http;
use proto::v1::administration_server::AdministrationServer;
use proto::v1::market_data_server::MarketDataServer;
use proto::v1::ouch_server::OuchServer;
use proto::v1::sessions_server::SessionsServer;
use proto::v1::trading_server::TradingServer;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::server::NamedService;
use tonic::{Code, Status};
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};
use tonic_reflection::server::Builder as ReflectionBuilder;

use crate::grpc::administration::AdministrationCalls;
use crate::grpc::calls::{CALLS, CallAt};
use crate::grpc::market::MarketCalls;
use crate::grpc::sessions::SessionCalls;
use crate::grpc::shared::GrpcShared;
use crate::grpc::trading::TradingCalls;
use crate::grpc::tunnel::OuchCalls;

/// Bytes of a message that a client may send.
const MESSAGE_LEN_MAX: usize = 64 << 10;

pub(super) type Answer =
    Pin<Box<dyn Future<Output = Result<http::Response<Body>, Infallible>> + Send>>;

type Route = Box<dyn Fn(http::Request<Body>) -> Answer + Send + Sync>;

/// Every service under its name.
pub(super) struct Routes {
    shared: Arc<GrpcShared>,
    places: HashMap<&'static str, usize>,
    services: HashMap<&'static str, Route>,
}

impl Routes {
    pub(super) fn new(shared: &Arc<GrpcShared>, health: HealthReporter) -> Self {
        let own = || Arc::clone(shared);
        let max = MESSAGE_LEN_MAX;
        let services = HashMap::from([
            route(SessionsServer::new(SessionCalls(own())).max_decoding_message_size(max)),
            route(TradingServer::new(TradingCalls(own())).max_decoding_message_size(max)),
            route(MarketDataServer::new(MarketCalls(own())).max_decoding_message_size(max)),
            route(
                AdministrationServer::new(AdministrationCalls(own()))
                    .max_decoding_message_size(max),
            ),
            route(OuchServer::new(OuchCalls(own())).max_decoding_message_size(max)),
            route(HealthServer::new(HealthService::from_health_reporter(health))),
            route(reflection().build_v1().expect(SOUND)),
            route(reflection().build_v1alpha().expect(SOUND)),
        ]);
        let places = CALLS.iter().enumerate().map(|(at, path)| (*path, at)).collect();
        Self { shared: own(), places, services }
    }

    /// Answers a call, and counts it if it is one of ours.
    pub(super) async fn answer(&self, mut request: http::Request<Body>) -> http::Response<Body> {
        let begun = Instant::now();
        let path = request.uri().path();
        let place = self.places.get(path).copied();
        let service = path.split('/').nth(1).and_then(|name| self.services.get(name));
        let is_ours = path.starts_with("/buttonwood.");
        if let Some(at) = place {
            request.extensions_mut().insert(CallAt(at));
        }
        let Some(service) = service.filter(|_| place.is_some() || !is_ours) else {
            return Status::unimplemented("There is no such call.").into_http();
        };
        let Ok(response) = service(request).await;
        if let Some(at) = place {
            self.shared.answered.count(at, http_status(&response), begun.elapsed());
        }
        response
    }
}

const SOUND: &str = "the descriptors are sound";

fn reflection() -> ReflectionBuilder<'static> {
    ReflectionBuilder::configure()
        .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

fn route<S>(service: S) -> (&'static str, Route)
where
    S: Clone + NamedService + Send + Sync + 'static,
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    (S::NAME, Box::new(move |request| Box::pin(service.clone().call(request))))
}

/// The status over HTTP that a metric counts a call under.
fn http_status(response: &http::Response<Body>) -> u16 {
    let sent = response.headers().get(Status::GRPC_STATUS);
    match sent.map_or(Code::Ok, |code| Code::from_bytes(code.as_bytes())) {
        Code::Ok => 200,
        Code::Unauthenticated => 401,
        Code::PermissionDenied => 403,
        Code::NotFound => 404,
        Code::AlreadyExists | Code::Aborted => 409,
        Code::ResourceExhausted => 429,
        Code::Unavailable | Code::DeadlineExceeded => 503,
        Code::Internal | Code::Unknown | Code::DataLoss => 500,
        _ => 400,
    }
}
