//! One call: its limits, its sender, its deadline, and its end.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use protocol::signed::ApiError;
use tokio::time::Instant;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};
use types::AccountId;

use crate::door::access::{Attempt, ClaimedKey};
use crate::door::identity::Permission;
use crate::door::in_use::{Held, Streams};
use crate::grpc::caller::{API_KEY, Caller, text};
use crate::grpc::calls::{CALLS, CallAt};
use crate::grpc::refusal::{Failure, Refused};
use crate::grpc::shared::GrpcShared;
use crate::socket::http::Peer;

/// The method in the access record.
pub(super) const METHOD: &str = "GRPC";
const TIMEOUT: &str = "grpc-timeout";

/// A call whose sender has not exceeded a limit.
pub(super) struct Call {
    pub(super) shared: Arc<GrpcShared>,
    pub(super) peer: IpAddr,
    pub(super) deadline: Option<Instant>,
    path: &'static str,
    attempt: Attempt,
    _in_flight: Held<IpAddr>,
}

/// A call of an identified sender.
pub(super) struct KeyedCall {
    pub(super) call: Call,
    pub(super) caller: Caller,
    _in_flight: Held<AccountId>,
}

/// What a call of an identified sender needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub(super) permission: Permission,
    pub(super) weight: u32,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Reads,
    /// Enters orders: refused while the venue is overloaded.
    Enters,
    /// Cancels or reduces orders: more of these may be in flight.
    Ends,
}

impl Call {
    pub(super) fn begin<T>(
        shared: &Arc<GrpcShared>,
        request: &Request<T>,
        weight: u32,
    ) -> Result<Self, Status> {
        Self::begin_kind(shared, request, weight, Kind::Reads)
    }

    fn begin_kind<T>(
        shared: &Arc<GrpcShared>,
        request: &Request<T>,
        weight: u32,
        kind: Kind,
    ) -> Result<Self, Status> {
        let door = &shared.door;
        let Peer(peer) = *request.extensions().get().expect("every connection has one");
        let CallAt(at) = *request.extensions().get().expect("every call has a place");
        let path = CALLS[at];
        let claimed = text(request.metadata(), API_KEY).map(ClaimedKey::text);
        let attempt =
            Attempt { address: Some(peer), key: claimed, method: METHOD.into(), path: path.into() };
        let refuse = |error: ApiError| Refused::from(error).into_status();
        if let Err(over) = door.limits.spend(peer, weight) {
            let error = ApiError::from(over);
            door.record_error(&attempt, &error);
            return Err(refuse(error));
        }
        if kind == Kind::Enters {
            // The call's time in the socket is not known; that the disk does not keep up is.
            door.admission
                .check(Duration::ZERO, &door.handle)
                .map_err(|busy| refuse(busy.into()))?;
        }
        let in_flight = door.in_use.request_of_address(peer, kind == Kind::Ends);
        let in_flight = in_flight.ok_or_else(|| refuse(ApiError::too_many_requests()))?;
        Ok(Self {
            shared: Arc::clone(shared),
            peer,
            deadline: deadline(request.metadata()),
            path,
            attempt,
            _in_flight: in_flight,
        })
    }

    /// The answer or the status of a call. Refusals before the log are recorded.
    pub(super) fn end<T>(&self, outcome: Result<T, Failure>) -> Result<Response<T>, Status> {
        outcome.map(Response::new).map_err(|failure| match failure {
            Failure::BeforeLog(error) => self.refuse(error),
            Failure::Other(refused) => refused.into_status(),
        })
    }

    /// A stream that takes one place of its address.
    pub(super) fn stream_place(&self) -> Result<Streams, ApiError> {
        let mut streams = self.shared.door.in_use.streams_of_address(self.peer);
        if streams.resize(1) { Ok(streams) } else { Err(ApiError::too_many_streams(streams.limit)) }
    }

    fn refuse(&self, error: ApiError) -> Status {
        self.shared.door.record_error(&self.attempt, &error);
        Refused::from(error).into_status()
    }
}

impl KeyedCall {
    /// A request with a stream of messages is not held meanwhile: no other thread may see it.
    pub(super) fn begin<T>(
        shared: &Arc<GrpcShared>,
        request: &Request<T>,
        need: Need,
    ) -> impl Future<Output = Result<Self, Status>> + Send + use<T> {
        let call = Call::begin_kind(shared, request, need.weight, need.kind);
        let (shared, metadata) = (Arc::clone(shared), request.metadata().clone());
        async move { Self::identify(&shared, call?, &metadata, need).await }
    }

    async fn identify(
        shared: &Arc<GrpcShared>,
        call: Call,
        metadata: &MetadataMap,
        Need { permission, kind, .. }: Need,
    ) -> Result<Self, Status> {
        let caller = Caller::identify(shared, metadata, call.path, call.peer, permission).await;
        let caller = caller.map_err(|error| call.refuse(error))?;
        let in_flight = shared.door.in_use.request_of_account(caller.account, kind == Kind::Ends);
        let refused = || Refused::from(ApiError::too_many_requests()).into_status();
        let in_flight = in_flight.ok_or_else(refused)?;
        Ok(Self { call, caller, _in_flight: in_flight })
    }

    pub(super) fn end<T>(&self, outcome: Result<T, Failure>) -> Result<Response<T>, Status> {
        self.call.end(outcome)
    }
}

/// When the sender waits no more: a number of at most eight digits and a unit.
fn deadline(metadata: &MetadataMap) -> Option<Instant> {
    parse_timeout(text(metadata, TIMEOUT)?).map(|timeout| Instant::now() + timeout)
}

fn parse_timeout(sent: &str) -> Option<Duration> {
    let (digits, unit) = sent.split_at_checked(sent.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(count * 3_600),
        "M" => Duration::from_secs(count * 60),
        "S" => Duration::from_secs(count),
        "m" => Duration::from_millis(count),
        "u" => Duration::from_micros(count),
        "n" => Duration::from_nanos(count),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_a_number_and_a_unit() {
        let ms = |n| Some(Duration::from_millis(n));
        for (sent, timeout) in [
            ("100m", ms(100)),
            ("5S", ms(5_000)),
            ("1H", ms(3_600_000)),
            ("2000u", ms(2)),
            ("0n", ms(0)),
            ("123456789m", None),
            ("5", None),
            ("m", None),
            ("", None),
            ("-1S", None),
            ("1x", None),
            ("1é", None),
        ] {
            assert_eq!(parse_timeout(sent), timeout, "{sent}");
        }
    }
}
