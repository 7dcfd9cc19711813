//! The operators' API over HTTP: the requests of `buttonwood admin`, by method and path.
//!
//! [`routes`] lists them. The path, and the body or the query string, together are the object that
//! `admin` sends.

use std::path::PathBuf;
use std::sync::Arc;

use cli::{Cause, Failure};
use gateway::{
    Faults, Method, OperatorAnswer, OperatorApi, OperatorEvent, OperatorFuture, OperatorMessages,
    OperatorRequest, OperatorRoute,
};
use projection::History;
use serde_json::{Map, Value, json};
use server::{Durability, OperatedVenue, now_ns};
use types::Origin;
use venue::{Handle, Keyring};

use super::event;
use super::log_tools::LogTools;
use super::online::{Online, Sender};
use super::openapi::{self, Fields};
use super::operations::{Work, routes};
use super::status::{SnapshotBegun, SnapshotShown, StatusShown, TradingShown};
use super::value::to_json;

/// Codes of the errors; those of signatures and limits are Binance's.
const BAD_REQUEST: i32 = -9001;
const NOT_THERE: i32 = -9002;
const REFUSED: i32 = -9003;
const UNAVAILABLE: i32 = -9004;
const FAULT: i32 = -9005;
/// As Binance has it for requests that are too many at once.
const BUSY: i32 = -1008;

/// The operators' API of a running venue.
#[derive(Clone, Debug)]
pub(crate) struct AdminApi {
    handle: Handle,
    history: Arc<dyn History>,
    keyring: Keyring,
    data_dir: PathBuf,
    durability: Durability,
    faults: Option<Arc<Faults>>,
    /// `None` for a venue without a folder that lasts.
    log_tools: Option<LogTools>,
    /// The fields of each of [`routes`].
    fields: Arc<[Fields]>,
}

impl AdminApi {
    pub(crate) fn new(venue: OperatedVenue) -> Self {
        let OperatedVenue { handle, history, keyring, data_dir, is_kept, durability, faults } =
            venue;
        let fields = routes().map(|(_, route)| Fields::of(route)).collect();
        let log_tools = is_kept.then(|| LogTools::new(data_dir.clone()));
        Self { handle, history, keyring, data_dir, durability, faults, log_tools, fields }
    }

    async fn execute(self, request: OperatorRequest) -> OperatorAnswer {
        let work = match self.read(&request) {
            Ok(work) => work,
            Err(failure) => return answer(Err(failure), false),
        };
        let (handle, history) = (self.handle.clone(), Arc::clone(&self.history));
        let address = Some(request.peer.into());
        let sender = Sender { origin: Origin::AdminApi, key: request.key, address };
        let faults = self.faults.clone();
        let online = Online { handle, history, faults, sender, is_sent: false };
        match work {
            Work::Ask(request) => {
                let (executed, is_sent) = online.execute(request, self.keyring).await;
                answer(executed, is_sent)
            }
            Work::AskLog(request) => {
                let (question, _) = online.execute(request, self.keyring).await;
                answer_text(ask_log(self.log_tools.as_ref(), question).await, false)
            }
            Work::Status => answer(self.status().await, false),
            Work::TakeSnapshot => answer(self.take_snapshot(), false),
            Work::ListSnapshots => answer(self.list_snapshots(), false),
        }
    }

    fn read(&self, request: &OperatorRequest) -> Result<Work, Failure> {
        let found = routes().zip(&*self.fields).find_map(|((operation, route), fields)| {
            let named = segments(route.path, &request.path)?;
            (route.method == request.method).then_some((operation, fields, named))
        });
        let (operation, fields, named) =
            found.ok_or_else(|| Failure::unknown("there is no such operation"))?;
        let mut object = if request.body.is_empty() {
            Map::new()
        } else {
            serde_json::from_slice(&request.body)
                .map_err(|error| Failure::new(format!("the body is not an object: {error}")))?
        };
        fields.check(&object)?;
        for (name, text) in &request.query {
            if request.method != Method::GET || !fields.is_in_query(name) {
                return Err(Failure::new(format!(
                    "the query string has `{name}`, and this operation has {} there",
                    fields.in_query(&request.method)
                )));
            }
            object.insert(name.clone(), fields.text_value(name, text)?);
        }
        for (name, text) in named {
            object.insert(name.to_owned(), fields.text_value(name, &text)?);
        }
        (operation.work)(Value::Object(object)).map_err(|error| Failure::new(error.to_string()))
    }

    async fn status(&self) -> Result<Value, Failure> {
        let trading = self.handle.read(TradingShown::of);
        let trading = trading.map_err(|refused| Failure::unavailable(refused.to_string()))?;
        let stopped = |_| Failure::unavailable("the venue has stopped");
        let TradingShown { withdrawal_approvals, halt, instruments } =
            trading.await.map_err(stopped)?;
        let metrics = self.handle.metrics();
        let figures = metrics.figures();
        let is_behind = figures.projected_sequence < figures.applied_sequence;
        let behind_s = is_behind.then(|| self.history.behind().age_s(now_ns())).flatten();
        Ok(to_json(StatusShown {
            role: "primary",
            durability: self.durability,
            sequence: figures.applied_sequence,
            disk_full: figures.is_disk_full,
            snapshot_sequence: figures.snapshot_sequence,
            snapshot_failures: figures.snapshot_failures,
            spool_first_sequence: figures.spool_first_sequence,
            read_model_sequence: figures.projected_sequence,
            read_model_complete_from: figures.projection_complete_from,
            read_model_failing: figures.is_projection_failing,
            read_model_behind_s: behind_s,
            replica: metrics.replica_status().to_string(),
            withdrawal_approvals,
            halt,
            instruments,
        }))
    }

    fn take_snapshot(&self) -> Result<Value, Failure> {
        let taken = self.handle.take_snapshot();
        taken.map_err(|refused| Failure::unavailable(refused.to_string()))?;
        Ok(to_json(SnapshotBegun { begun: true }))
    }

    fn list_snapshots(&self) -> Result<Value, Failure> {
        let files = log::snapshot::files(&self.data_dir.join("snapshots"))
            .map_err(|error| Failure::fault(error.to_string()))?;
        let row = |(batch, path): (u64, PathBuf)| {
            let size = path.metadata().map(|metadata| metadata.len()).ok();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            SnapshotShown { batch, file: name, bytes: size }
        };
        Ok(to_json(files.into_iter().map(row).collect::<Vec<_>>()))
    }
}

impl OperatorApi for AdminApi {
    fn find(&self, method: &Method, path: &str) -> OperatorRoute {
        if let Some(body) = openapi::page(path) {
            return if *method == Method::GET || *method == Method::HEAD {
                OperatorRoute::Page(body)
            } else {
                OperatorRoute::OtherMethods("GET, HEAD".to_owned())
            };
        }
        let there: Vec<_> =
            routes().filter(|(_, route)| segments(route.path, path).is_some()).collect();
        if there.iter().any(|(_, route)| route.method == *method) {
            return OperatorRoute::Operation;
        }
        if there.is_empty() {
            return OperatorRoute::Nowhere;
        }
        let methods: Vec<_> = there.iter().map(|(_, route)| route.method.as_str()).collect();
        OperatorRoute::OtherMethods(methods.join(", "))
    }

    fn answer(&self, request: OperatorRequest) -> OperatorFuture {
        Box::pin(self.clone().execute(request))
    }

    fn show(&self, events: Vec<OperatorEvent>) -> OperatorMessages {
        let shown = self.handle.read(move |engine| event::messages(engine, &events));
        Box::pin(async { shown.ok()?.await.ok() })
    }
}

/// The parts of a path by the names that its pattern gives them; `None` if it is another path.
fn segments(pattern: &'static str, path: &str) -> Option<Vec<(&'static str, String)>> {
    let (mut patterns, mut parts) = (pattern.split('/'), path.split('/'));
    let mut named = Vec::new();
    loop {
        match (patterns.next(), parts.next()) {
            (None, None) => return Some(named),
            (Some(pattern), Some(part)) => match openapi::name_in(pattern) {
                Some(name) if !part.is_empty() => named.push((name, decode(part)?)),
                None if pattern == part => {}
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// Undoes percent-encoding.
fn decode(part: &str) -> Option<String> {
    let mut bytes = part.bytes();
    let mut decoded = Vec::with_capacity(part.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            plain => plain,
        });
    }
    String::from_utf8(decoded).ok()
}

async fn ask_log(
    tools: Option<&LogTools>,
    question: Result<Value, Failure>,
) -> Result<String, Failure> {
    let no_folder = || {
        Failure::new(
            "this venue is a test and keeps no log: ask one that runs with a data folder, such as \
             a demo",
        )
    };
    let tools = tools.ok_or_else(no_folder)?;
    tools.ask(&question?.to_string()).await
}

fn answer(executed: Result<Value, Failure>, is_sent: bool) -> OperatorAnswer {
    answer_text(executed.map(|value| value.to_string()), is_sent)
}

fn answer_text(executed: Result<String, Failure>, is_sent: bool) -> OperatorAnswer {
    let failure = match executed {
        Ok(body) => return OperatorAnswer { status: 200, body, refusal: None },
        Err(failure) => failure,
    };
    let (status, code) = match failure.cause() {
        Cause::Request => (400, BAD_REQUEST),
        Cause::Unknown => (404, NOT_THERE),
        Cause::Refused(_) => (409, REFUSED),
        Cause::Unavailable => (503, UNAVAILABLE),
        Cause::Busy => (429, BUSY),
        Cause::Fault => (500, FAULT),
    };
    let sentence = failure.to_string();
    let mut body = json!({ "code": code, "msg": sentence });
    if let Cause::Refused(reason) = failure.cause() {
        body["reason"] = format!("{reason:?}").into();
    }
    let refusal = (!is_sent).then_some((code, sentence));
    OperatorAnswer { status, body: body.to_string(), refusal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_its_pattern_and_gives_its_parts() {
        let pattern = "/accounts/{account}/limits/{symbol}";
        let found = segments(pattern, "/accounts/a%20b/limits/BTCUSDT");
        assert_eq!(
            found,
            Some(vec![("account", "a b".to_owned()), ("symbol", "BTCUSDT".to_owned())])
        );
        for other in [
            "/accounts/a/limits",
            "/accounts//limits/B",
            "/accounts/a/limits/B/",
            "/accounts/%f/limits/B",
            "/accounts/%ff/limits/B",
        ] {
            assert_eq!(segments(pattern, other), None, "{other}");
        }
    }

    #[test]
    fn each_operation_is_there_once_and_takes_what_its_path_names() {
        let mut seen = std::collections::BTreeSet::new();
        for (_, route) in routes() {
            assert!(seen.insert((route.method.as_str(), route.path)), "{} twice", route.path);
            let fields = Fields::of(route);
            for name in route.path.split('/').filter_map(openapi::name_in) {
                assert!(fields.text_value(name, "1").is_ok(), "{} has no `{name}`", route.path);
            }
        }
    }
}
