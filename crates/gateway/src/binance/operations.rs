//! The operations: path, name in the WebSocket API, weight, required identity, handler. `table.rs`
//! lists them.

mod table;

use std::pin::Pin;
use std::sync::Arc;

use axum::routing::MethodFilter;
use protocol::signed::{ApiError, Parameter, Params};
use schemars::{Schema, SchemaGenerator};
use types::Role;

use self::Weight::{By, Of};
pub(crate) use self::table::OPERATIONS;
use crate::binance::call::{Answer, Call, Proof, Refusal, SignedCall};
use crate::door::identity::Permission;
use crate::socket::http::JsonReply;

#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: MethodFilter,
    pub(crate) path: &'static str,
    /// In the WebSocket API, if the operation exists there too.
    pub(crate) name: Option<&'static str>,
    weight: Weight,
    access: Access,
    handler: Handler,
    schema: OperationSchema,
}

/// The weight of a request, which counts against its sender's limit.
#[derive(Debug)]
enum Weight {
    Of(u32),
    By(fn(&Params) -> u32),
}

/// How a sender must prove its identity.
#[derive(Clone, Copy, Debug, Eq, PartialEq, PartialOrd)]
enum Access {
    Public,
    /// Public, and answered from a directory that includes every acknowledged event.
    Current,
    /// Names a key that may see its account.
    Keyed,
    /// Likewise; some clients sign the request, and then it is verified.
    KeyedOrSigned,
    /// Signed with a key that may see its account.
    Signed,
    /// Signed with a key that may trade.
    Trader,
    /// Likewise, and enters orders: refused while the venue is overloaded.
    Entering,
}

type AnswerFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// The function that answers.
#[derive(Debug)]
enum Handler {
    Public(fn(Call) -> AnswerFuture),
    Known(fn(SignedCall) -> AnswerFuture),
}

/// Parameters and answer, for the OpenAPI document.
#[derive(Clone, Copy, Debug)]
struct OperationSchema {
    parameters: fn() -> Vec<Parameter>,
    answer: fn(&mut SchemaGenerator) -> Schema,
}

/// An operation as its clients see it, for tests that visit all of them.
#[derive(Clone, Copy, Debug)]
pub struct OperationInfo {
    pub method: &'static str,
    pub path: &'static str,
    /// In the WebSocket API.
    pub name: Option<&'static str>,
    /// The roles that may use it; `None` means public, without a key.
    pub roles: Option<&'static [Role]>,
    /// `None` if the weight depends on the parameters.
    pub weight: Option<u32>,
    pub is_signed: bool,
    pub parameters: fn() -> Vec<Parameter>,
    pub answer: fn(&mut SchemaGenerator) -> Schema,
}

pub fn rows() -> impl Iterator<Item = OperationInfo> {
    OPERATIONS.iter().map(|operation| OperationInfo {
        method: method_name(operation.method),
        path: operation.path,
        name: operation.name,
        weight: match operation.weight {
            Of(weight) => Some(weight),
            By(_) => None,
        },
        is_signed: operation.access >= Access::Signed,
        parameters: operation.schema.parameters,
        answer: operation.schema.answer,
        roles: match operation.access {
            Access::Public | Access::Current => None,
            Access::Keyed | Access::KeyedOrSigned | Access::Signed => {
                Some(&[Role::Trader, Role::ReadOnly])
            }
            Access::Trader | Access::Entering => Some(&[Role::Trader]),
        },
    })
}

fn method_name(method: MethodFilter) -> &'static str {
    use MethodFilter as M;
    let names = [(M::GET, "GET"), (M::POST, "POST"), (M::PUT, "PUT"), (M::DELETE, "DELETE")];
    let found = names.into_iter().find(|(filter, _)| *filter == method);
    found.expect("the table has no other methods").1
}

impl Operation {
    /// Answers a call. Returns the weight that the sender has spent, too.
    pub(crate) async fn execute(&self, call: Call) -> (Result<JsonReply, ApiError>, Option<u32>) {
        let shared = Arc::clone(&call.shared);
        let door = &shared.door;
        let spent = door.limits.spend(call.peer, self.weight(&call.params));
        if let (Ok(spent), Err(busy)) = (&spent, self.admit(&call)) {
            // Metrics count this refusal. The access record is for senders without permission.
            return (Err(busy), Some(*spent));
        }
        let attempt = call.attempt(method_name(self.method), self.record_path(&call));
        let (answer, spent) = match spent {
            Ok(spent) => (self.answer(call).await, Some(spent)),
            Err(over) => (Err(over.into()), None),
        };
        if let Err(Refusal::BeforeLog(error)) = &answer {
            door.record_refusal(&attempt, error.status, error.code, &error.msg);
        }
        (answer.map_err(Refusal::into_error), spent)
    }

    /// Refuses order entry while the venue is overloaded.
    fn admit(&self, call: &Call) -> Result<(), ApiError> {
        let door = &call.shared.door;
        if self.access == Access::Entering {
            Ok(door.admission.check(call.waited, &door.handle)?)
        } else {
            Ok(())
        }
    }

    fn record_path(&self, call: &Call) -> &'static str {
        match &call.proof {
            Proof::Http { .. } => self.path,
            Proof::Message { .. } => self.name.unwrap_or(self.path),
        }
    }

    async fn answer(&self, call: Call) -> Answer {
        let answer = match self.handler {
            Handler::Public(answer) => {
                if self.access == Access::Current {
                    call.shared.door.ask_views(|_, _| ()).await?;
                }
                return answer(call).await;
            }
            Handler::Known(answer) => answer,
        };
        let is_keyed = match self.access {
            Access::Keyed => true,
            Access::KeyedOrSigned => !call.params.contains("signature"),
            _ => false,
        };
        let permission = match self.access {
            Access::Trader | Access::Entering => Permission::Trade,
            _ => Permission::UserData,
        };
        let call = if is_keyed { call.keyed().await? } else { call.signed(permission).await? };
        answer(call).await
    }

    /// By its name in the WebSocket API, without the version.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == Some(name))
    }

    fn weight(&self, params: &Params) -> u32 {
        match self.weight {
            Of(weight) => weight,
            By(weigh) => weigh(params),
        }
    }
}
