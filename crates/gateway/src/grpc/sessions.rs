//! Tokens: log in by a password or by a key, and out.

use std::sync::Arc;

use proto::v1;
use proto::v1::sessions_server::Sessions;
use protocol::signed::ApiError;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};
use types::{AccountId, Role, Way};

use crate::door::identity::{Login, Permission};
use crate::door::passwords::NotJudged;
use crate::grpc::call::{Call, KeyedCall, Kind, Need};
use crate::grpc::caller::token_of;
use crate::grpc::holder::Holder;
use crate::grpc::refusal::Failure;
use crate::grpc::shared::GrpcShared;

const WEIGHT: u32 = 2;
const BY_KEY: Need = Need { permission: Permission::UserData, weight: WEIGHT, kind: Kind::Reads };

pub(super) struct SessionCalls(pub(super) Arc<GrpcShared>);

#[tonic::async_trait]
impl Sessions for SessionCalls {
    async fn login(
        &self,
        request: Request<v1::LoginRequest>,
    ) -> Result<Response<v1::LoginResponse>, Status> {
        let v1::LoginRequest { user, password } = request.get_ref();
        if user.is_empty() && password.is_empty() {
            let call = KeyedCall::begin(&self.0, &request, BY_KEY).await?;
            let (holder, account) = (call.caller.holder.clone(), call.caller.account);
            return call.end(self.issue(holder, account).await);
        }
        let call = Call::begin(&self.0, &request, WEIGHT)?;
        call.end(self.log_in(&call, user, password).await)
    }

    async fn logout(
        &self,
        request: Request<v1::LogoutRequest>,
    ) -> Result<Response<v1::LogoutResponse>, Status> {
        let call = Call::begin(&self.0, &request, WEIGHT)?;
        call.end(self.log_out(request.metadata()))
    }
}

impl SessionCalls {
    async fn log_in(
        &self,
        call: &Call,
        user: &str,
        password: &str,
    ) -> Result<v1::LoginResponse, Failure> {
        let shared = &self.0;
        let user = user.to_ascii_lowercase();
        // A password for programs has letters of any case, as SoupBinTCP has it.
        let password = password.to_ascii_lowercase();
        let login = shared.door.directory().login_of(&user);
        let login = login.filter(|login| is_for_programs(login));
        let hash = login.as_ref().map(|login| login.secret.password.clone());
        let judged = shared.passwords.judge((call.peer, user), hash, password).await;
        let is_right = judged.map_err(|not| match not {
            NotJudged::Busy => ApiError::overloaded(),
            NotJudged::Slowed(slowed) => slowed.error("Too many failed logins"),
        })?;
        let login = login.filter(|_| is_right).ok_or_else(ApiError::api_key_rejected)?;
        let holder = Holder::Login { login: login.login, secret: login.secret.clone() };
        self.issue(holder, login.account).await
    }

    async fn issue(
        &self,
        holder: Holder,
        account: AccountId,
    ) -> Result<v1::LoginResponse, Failure> {
        let last_event = self.0.door.account_seq(account).await?;
        let (token, expires_ns) = self.0.tokens.issue(holder);
        let expires_ms = expires_ns / 1_000_000;
        Ok(v1::LoginResponse { token, expires_ms, account_id: account.0, last_event })
    }

    fn log_out(&self, metadata: &MetadataMap) -> Result<v1::LogoutResponse, Failure> {
        let token = token_of(metadata).ok_or_else(ApiError::api_key_rejected)?;
        self.0.tokens.end(token);
        Ok(v1::LogoutResponse {})
    }
}

/// A login of the page alone needs a one-time code, which a program does not have.
fn is_for_programs(login: &Login) -> bool {
    login.ways.contains(Way::Ouch) && login.role != Role::Operator
}
