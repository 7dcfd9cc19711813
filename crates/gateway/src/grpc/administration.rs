//! Operators' requests: those of the HTTP API, in a message, with the same signature.

use std::sync::Arc;

use bytes::Bytes;
use proto::v1;
use proto::v1::administration_server::Administration;
use protocol::signed::covered::{self, Covered};
use protocol::signed::{ApiError, Params, sign};
use tonic::{Code, Request, Response, Status};
use types::KeyId;
use venue::{api_key_hash, request_hash};

use crate::clock::{now_ns, signing_clock};
use crate::door::access::{Attempt, ClaimedKey};
use crate::door::identity::Permission;
use crate::door::operator::{
    Method, OPERATOR_ROOT, OperatorAnswer, OperatorApi, OperatorRequest, OperatorRoute,
};
use crate::door::single_use::NotOnce;
use crate::grpc::call::{Call, METHOD};
use crate::grpc::refusal::{Failure, Refused};
use crate::grpc::shared::GrpcShared;

const WEIGHT: u32 = 1;

pub(super) struct AdministrationCalls(pub(super) Arc<GrpcShared>);

#[tonic::async_trait]
impl Administration for AdministrationCalls {
    async fn execute(
        &self,
        request: Request<v1::ExecuteRequest>,
    ) -> Result<Response<v1::ExecuteResponse>, Status> {
        let call = Call::begin(&self.0, &request, WEIGHT)?;
        let outcome = self.answer(&call, request.into_inner()).await;
        call.end(outcome)
    }
}

impl AdministrationCalls {
    async fn answer(
        &self,
        call: &Call,
        sent: v1::ExecuteRequest,
    ) -> Result<v1::ExecuteResponse, Failure> {
        let Some(api) = &self.0.operators else {
            return Err(ApiError::unsupported_operation().into());
        };
        let attempt = Attempt {
            address: Some(call.peer),
            key: Some(ClaimedKey::text(&sent.api_key)),
            method: METHOD.into(),
            path: format!("{} {OPERATOR_ROOT}{}", sent.method, sent.path).into(),
        };
        let door = &self.0.door;
        let answered = self.execute(call, &**api, sent).await.inspect_err(|error| {
            door.record_error(&attempt, error);
        });
        // What is refused before the log is recorded with the request's own path.
        let answer = answered.map_err(|error| Failure::Other(error.into()))?;
        if let Some((code, msg)) = &answer.refusal {
            door.record_refusal(&attempt, answer.status, *code, msg);
        }
        let OperatorAnswer { status, body, .. } = answer;
        if status < 400 {
            Ok(v1::ExecuteResponse { status: status.into(), body })
        } else {
            Err(refused(status, body).into())
        }
    }

    async fn execute(
        &self,
        call: &Call,
        api: &dyn OperatorApi,
        sent: v1::ExecuteRequest,
    ) -> Result<OperatorAnswer, ApiError> {
        let not_found = || ApiError::not_found(&sent.method, &sent.path);
        let method = Method::from_bytes(sent.method.as_bytes()).map_err(|_| not_found())?;
        if !matches!(api.find(&method, &sent.path), OperatorRoute::Operation) {
            return Err(not_found());
        }
        let key = self.authorize(call, &sent).await?;
        let request = OperatorRequest {
            key,
            peer: call.peer,
            received_ns: now_ns(),
            method,
            path: sent.path,
            query: Params::parse(&sent.query, b"")?.into_unread(),
            body: Bytes::from(sent.body),
        };
        Ok(api.answer(request).await)
    }

    /// Checks that an operator has signed the request: all of it, and to be used once.
    async fn authorize(&self, call: &Call, sent: &v1::ExecuteRequest) -> Result<KeyId, ApiError> {
        let door = &self.0.door;
        let api_key = sign::check_api_key(Some(&sent.api_key))?;
        let signer = door.signer(api_key_hash(api_key)).await?;
        let may = |role| Permission::Operate.is_of(role);
        let signer = signer.filter(|signer| may(signer.role) && signer.is_valid(call.peer));
        let signer = signer.ok_or_else(ApiError::api_key_rejected)?;
        covered::check_nonce("nonce", &sent.nonce)?;
        let path = format!("{OPERATOR_ROOT}{}", sent.path);
        let covered = Covered {
            method: &sent.method,
            path: &path,
            query: &sent.query,
            body: sent.body.as_bytes(),
            timestamp: &sent.timestamp,
            nonce: &sent.nonce,
        };
        let payload = covered.payload();
        signer.verifying_key.verify(payload.as_bytes(), sent.signature.as_bytes())?;
        let clock = signing_clock();
        let window = covered::check_time("timestamp", &sent.timestamp, clock)?;
        let nonce = request_hash(sent.nonce.as_bytes());
        door.single_uses.use_up(signer.key, nonce, window, clock.now_us).map_err(
            |not| match not {
                NotOnce::Repeated => {
                    ApiError::new(400, -1022, "nonce was used before: each request needs its own.")
                }
                NotOnce::Late => ApiError::outside_recv_window(),
                NotOnce::TooMany => ApiError::overloaded(),
            },
        )?;
        Ok(signer.key)
    }
}

/// The message is the answer over HTTP, in JSON.
fn refused(status: u16, body: String) -> Refused {
    let code = match status {
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::NotFound,
        409 => Code::AlreadyExists,
        429 => Code::ResourceExhausted,
        503 => Code::Unavailable,
        500.. => Code::Internal,
        _ => Code::InvalidArgument,
    };
    let mut refused = Refused::new(code, "OPERATION_REFUSED", body);
    refused.info = refused.info.with("status", status);
    refused
}
