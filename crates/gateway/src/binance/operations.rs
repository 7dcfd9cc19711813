//! The operations: path, name in the WebSocket API, weight, required identity, handler. `table.rs`
//! lists them.

mod table;

use std::pin::Pin;
use std::sync::Arc;

use axum::routing::MethodFilter;
use protocol::binance::response::OrderCount;
use protocol::signed::{ApiError, Parameter, Params};
use schemars::{Schema, SchemaGenerator};
use types::{AccountId, Role};

use self::Weight::{By, Of};
pub use self::table::OPERATIONS;
use crate::binance::call::{Answer, Call, KeyedCall, Proof, Refusal};
use crate::binance::order_counts::{self, is_limit, limit_reached};
use crate::door::identity::Permission;
use crate::door::shared::Door;
use crate::socket::http::JsonReply;

/// An operation, as the router, the WebSocket API and the OpenAPI document use it.
#[derive(Debug)]
pub struct Operation {
    pub method: &'static str,
    pub(crate) filter: MethodFilter,
    pub path: &'static str,
    /// In the WebSocket API, if the operation exists there too.
    pub name: Option<&'static str>,
    weight: Weight,
    access: Access,
    handler: Handler,
    pub(crate) parameters: fn() -> Vec<Parameter>,
    pub(crate) answer_schema: fn(&mut SchemaGenerator) -> Schema,
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
    /// Signed with a key that may trade; cancels or reduces orders.
    Trader,
    /// Likewise, and changes nothing.
    Testing,
    /// Likewise, and enters orders: refused while the venue is overloaded.
    Entering,
}

/// The answer of an operation, and how far its sender is from the limits.
pub(crate) struct Executed {
    pub(crate) answer: Result<JsonReply, ApiError>,
    /// The used weight of the sender's address.
    pub(crate) spent: u32,
    /// Of an operation that enters orders: the counts of an account whose orders are limited.
    pub(crate) orders: Vec<OrderCount>,
    /// Of an answer that is an error only in part, as a replace that a limit refused.
    pub(crate) retry_after_s: Option<u64>,
}

impl Executed {
    /// Of a sender whose orders no limit counts.
    pub(crate) fn unlimited(answer: Result<JsonReply, ApiError>, spent: u32) -> Self {
        Self { answer, spent, orders: Vec::new(), retry_after_s: None }
    }
}

type AnswerFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// The function that answers.
#[derive(Debug)]
enum Handler {
    Public(fn(Call) -> AnswerFuture),
    Keyed(fn(KeyedCall) -> AnswerFuture),
}

impl Operation {
    /// By its name in the WebSocket API, without the version.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == Some(name))
    }

    /// The roles that may use it; `None` means public, without a key.
    pub fn roles(&self) -> Option<&'static [Role]> {
        match self.access {
            Access::Public | Access::Current => None,
            Access::Keyed | Access::KeyedOrSigned | Access::Signed => {
                Some(&[Role::Trader, Role::ReadOnly])
            }
            Access::Trader | Access::Testing | Access::Entering => Some(&[Role::Trader]),
        }
    }

    /// `None` if the weight depends on the parameters.
    pub(crate) fn fixed_weight(&self) -> Option<u32> {
        match self.weight {
            Of(weight) => Some(weight),
            By(_) => None,
        }
    }

    pub(crate) fn is_signed(&self) -> bool {
        self.access >= Access::Signed
    }

    /// Answers a call.
    pub(crate) async fn execute(&self, call: Call) -> Executed {
        let shared = Arc::clone(&call.shared);
        let door = &shared.door;
        let spent = door.limits.spend(call.peer, self.weight(&call.params));
        if let (Ok(spent), Err(busy)) = (&spent, self.admit(&call)) {
            // Metrics count this refusal. The access record is for senders without permission.
            return Executed::unlimited(Err(busy), *spent);
        }
        let in_flight = door.in_use.request_of_address(call.peer, self.ends_orders());
        if let (Ok(spent), None) = (&spent, &in_flight) {
            return Executed::unlimited(Err(ApiError::too_many_requests()), *spent);
        }
        let attempt = call.attempt(self.method, self.record_path(&call));
        let (answer, spent, limited) = match spent {
            Ok(spent) => {
                let (answer, limited) = self.answer(door, call).await;
                (answer, spent, limited)
            }
            Err(over) => (Err(over.into()), over.used(), None),
        };
        if let Err(Refusal::BeforeLog(error)) = &answer {
            door.record_error(&attempt, error);
        }
        let mut answer = answer.map_err(Refusal::into_error);
        let (mut orders, mut retry_after_s) = (Vec::new(), None);
        if let Some(account) = limited {
            let counts = Box::pin(order_counts::counts_of(door, account)).await;
            orders = counts.ok().flatten().unwrap_or_default();
            match &mut answer {
                Err(error) if is_limit(error) => *error = limit_reached(error.clone(), &orders),
                Ok(JsonReply { status: 429, .. }) => {
                    retry_after_s = limit_reached(ApiError::unknown(), &orders).retry_after_s;
                }
                _ => {}
            }
        }
        Executed { answer, spent, orders, retry_after_s }
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

    /// Whether it cancels or reduces orders: more of these may be in flight.
    fn ends_orders(&self) -> bool {
        self.access == Access::Trader
    }

    /// The answer, and the account of an operation that enters orders, if its orders are limited.
    async fn answer(&self, door: &Door, call: Call) -> (Answer, Option<AccountId>) {
        let answer = match self.handler {
            Handler::Public(answer) => {
                if self.access == Access::Current
                    && let Err(error) = door.ask_views(|_, _| ()).await
                {
                    return (Err(error.into()), None);
                }
                return (answer(call).await, None);
            }
            Handler::Keyed(answer) => answer,
        };
        let is_keyed = match self.access {
            Access::Keyed => true,
            Access::KeyedOrSigned => !call.params.contains("signature"),
            _ => false,
        };
        let permission = match self.access {
            Access::Trader | Access::Testing | Access::Entering => Permission::Trade,
            _ => Permission::UserData,
        };
        let call = if is_keyed { call.keyed().await } else { call.signed(permission).await };
        match call {
            Ok(call) => {
                let account = call.signer.account;
                let in_flight = door.in_use.request_of_account(account, self.ends_orders());
                if in_flight.is_none() {
                    let refused = Refusal::ByEngine(ApiError::too_many_requests());
                    return (Err(refused), None);
                }
                let limited = self.access == Access::Entering && call.has_order_rate();
                let limited = limited.then_some(call.signer.account);
                (answer(call).await, limited)
            }
            Err(error) => (Err(error.into()), None),
        }
    }

    fn weight(&self, params: &Params) -> u32 {
        match self.weight {
            Of(weight) => weight,
            By(weigh) => weigh(params),
        }
    }
}
