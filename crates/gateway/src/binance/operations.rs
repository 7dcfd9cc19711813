//! What a client can ask for: where it is found over REST, what it is called in the WebSocket API,
//! its weight, the roles that may use it, and its handler. `table.rs` has all of it.

mod table;

use std::pin::Pin;
use std::sync::Arc;

use axum::routing::MethodFilter;
use protocol::signed::{ApiError, Parameter, Params};
use schemars::{Schema, SchemaGenerator};
use types::Role;

use self::Weight::{By, Of};
pub(crate) use self::table::OPERATIONS;
use crate::binance::call::{Answer, Call, Proof, SignedCall};
use crate::binance::refusal::Refusal;
use crate::door::identity::Permission;
use crate::socket::http::Reply;

#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: MethodFilter,
    pub(crate) path: &'static str,
    /// In the WebSocket API, where it is there too.
    pub(crate) name: Option<&'static str>,
    weight: Weight,
    handler: Handler,
    /// Whether it enters orders, and so is not taken on when the venue is overloaded.
    enters: bool,
    shape: Shape,
}

/// What a request counts against its sender's limit.
#[derive(Debug)]
enum Weight {
    Of(u32),
    By(fn(&Params) -> u32),
}

type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// The identity that an operation needs, and the function that answers.
#[derive(Debug)]
enum Handler {
    Anybody(fn(Call) -> Answering),
    /// Names a key that may see its account; the handler checks it.
    Keyed(fn(Call) -> Answering),
    /// Signed with a key that may see its account.
    Signed(fn(SignedCall) -> Answering),
    /// Signed with a key that may trade.
    Trader(fn(SignedCall) -> Answering),
}

/// What is asked and answered, for the OpenAPI document.
#[derive(Clone, Copy, Debug)]
struct Shape {
    takes: fn() -> Vec<Parameter>,
    gives: fn(&mut SchemaGenerator) -> Schema,
}

/// A line of the table as its clients see it, for tests that go through all of them.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub method: &'static str,
    pub path: &'static str,
    /// In the WebSocket API.
    pub name: Option<&'static str>,
    /// The roles that may use it; `None` means public, without a key.
    pub roles: Option<&'static [Role]>,
    /// `None` if it depends on the parameters.
    pub weight: Option<u32>,
    pub is_signed: bool,
    pub takes: fn() -> Vec<Parameter>,
    pub gives: fn(&mut SchemaGenerator) -> Schema,
}

pub fn rows() -> impl Iterator<Item = Row> {
    OPERATIONS.iter().map(|operation| Row {
        method: method_name(operation.method),
        path: operation.path,
        name: operation.name,
        weight: match operation.weight {
            Of(weight) => Some(weight),
            By(_) => None,
        },
        is_signed: matches!(operation.handler, Handler::Signed(_) | Handler::Trader(_)),
        takes: operation.shape.takes,
        gives: operation.shape.gives,
        roles: match operation.handler {
            Handler::Anybody(_) => None,
            Handler::Keyed(_) | Handler::Signed(_) => Some(&[Role::Trader, Role::ReadOnly]),
            Handler::Trader(_) => Some(&[Role::Trader]),
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
    /// Gives what the sender has spent with it, too.
    pub(crate) async fn carry_out(&self, call: Call) -> (Result<Reply, ApiError>, Option<u32>) {
        let shared = Arc::clone(&call.shared);
        let door = &shared.door;
        let spent = door.spend(call.peer, self.weight(&call.params));
        if let (Ok(spent), Err(busy)) = (&spent, self.admit(&call)) {
            // Metrics count it. The access record is for senders without the right.
            return (Err(busy), Some(*spent));
        }
        let attempt = call.attempt(method_name(self.method), self.asked_as(&call));
        let (answer, spent) = match spent {
            Ok(spent) => (self.answer(call).await, Some(spent)),
            Err(over) => (Err(over.into()), None),
        };
        if let Err(Refusal::BeforeLog(error)) = &answer {
            door.note(&attempt, error.status, error.code, &error.msg);
        }
        (answer.map_err(Refusal::into_error), spent)
    }

    /// Whether the venue has the time for it now.
    fn admit(&self, call: &Call) -> Result<(), ApiError> {
        let door = &call.shared.door;
        if self.enters { Ok(door.admission.check(call.waited, &door.handle)?) } else { Ok(()) }
    }

    fn asked_as(&self, call: &Call) -> &'static str {
        match &call.proof {
            Proof::Http { .. } => self.path,
            Proof::Message { .. } => self.name.unwrap_or(self.path),
        }
    }

    async fn answer(&self, call: Call) -> Answer {
        match self.handler {
            Handler::Anybody(answer) | Handler::Keyed(answer) => answer(call).await,
            Handler::Signed(answer) => answer(call.signed().await?).await,
            Handler::Trader(answer) => answer(call.signed_for(Permission::Trade).await?).await,
        }
    }

    /// By its name in the WebSocket API, with or without the version.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        let name = name.strip_prefix("v3/").unwrap_or(name);
        OPERATIONS.iter().find(|operation| operation.name == Some(name))
    }

    fn weight(&self, params: &Params) -> u32 {
        match self.weight {
            Of(weight) => weight,
            By(weigh) => weigh(params),
        }
    }
}
