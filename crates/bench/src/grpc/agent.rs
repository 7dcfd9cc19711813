//! `buttonwood bench grpc-agent`: one process with all clients, on one thread.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use cli::Failure;
use client::Credentials;
use client::grpc::v1::order_request::Request as Asked;
use client::grpc::v1::order_response::Result as Answered;
use client::grpc::v1::sessions_client::SessionsClient;
use client::grpc::v1::trading_client::TradingClient;
use client::grpc::{Channel, sign_call, v1, with_token};
use futures_util::stream::unfold;
use tokio::sync::mpsc;
use tokio::task::LocalSet;
use tokio::time::{interval, sleep_until, timeout};
use tonic::{Request, Status};

use super::calls::Calls;
use super::order::order;
use crate::fleet::{connected, emit, receive};
use crate::score::Score;
use crate::socket::UNIX;
use crate::spec::{Key, Load, Spec, Word};

const WORD_EVERY: Duration = Duration::from_millis(200);
/// The wait for answers after the end.
const GRACE: Duration = Duration::from_secs(10);
const LOGIN: &str = "/buttonwood.v1.Sessions/Login";

pub(crate) fn run() -> Result<(), Failure> {
    let spec: Spec = receive()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let opened = runtime.block_on(log_in_all(&spec))?;
    match spec.load {
        Load::GrpcCalls => {
            let tokens: Vec<_> = opened.into_iter().map(|(_, token)| token).collect();
            drop(runtime);
            let mut calls = Calls::connect(spec, &tokens)?;
            let begin = connected()?;
            std::thread::sleep(begin.saturating_duration_since(Instant::now()));
            emit(&Word::Ended(Box::new(calls.drive(begin)?)))
        }
        Load::Grpc { batch } => {
            LocalSet::new().block_on(&runtime, drive_streams(spec, usize::from(batch), opened))
        }
        _ => Err(Failure::fault("this agent speaks gRPC")),
    }
}

/// A connection of a client, and the token of its login.
type Opened = (TradingClient<Channel>, String);

async fn log_in_all(spec: &Spec) -> Result<Vec<Opened>, Failure> {
    let address = match spec.address.strip_prefix(UNIX) {
        Some(path) => format!("unix:{path}"),
        None => spec.address.clone(),
    };
    let mut opened = Vec::new();
    for key in &spec.keys {
        opened.push(log_in(&address, key).await?);
    }
    Ok(opened)
}

/// What all clients count into.
type Shared = Rc<RefCell<Score>>;

/// A client that is logged in.
struct Trader {
    trading: TradingClient<Channel>,
    token: String,
    counted: Shared,
    end: Instant,
}

async fn drive_streams(spec: Spec, batch: usize, opened: Vec<Opened>) -> Result<(), Failure> {
    let begin = connected()?;
    let (measured, end) = (begin + spec.warm_up, begin + spec.warm_up + spec.measured);
    let counted = Shared::default();
    sleep_until(begin.into()).await;
    let clients: Vec<_> = opened
        .into_iter()
        .map(|(trading, token)| {
            let trader = Trader { trading, token, counted: Rc::clone(&counted), end };
            tokio::task::spawn_local(trader.stream(spec.window, batch))
        })
        .collect();
    let words = tokio::task::spawn_local(count_aloud(Rc::clone(&counted)));
    sleep_until(measured.into()).await;
    counted.borrow_mut().begin();
    sleep_until(end.into()).await;
    let mut outcome = counted.borrow_mut().end();
    for client in clients {
        match timeout(GRACE, client).await {
            Ok(Ok(ended)) => ended?,
            Ok(Err(_)) => return Err(Failure::fault("a client panicked")),
            Err(_) => *outcome.errors.entry("no answer".to_owned()).or_default() += 1,
        }
    }
    words.abort();
    emit(&Word::Ended(Box::new(outcome)))
}

async fn log_in(address: &str, key: &Key) -> Result<Opened, Failure> {
    let channel = Channel::connect(address).await.map_err(unreachable)?;
    let Key { api_key, secret_key } = key.clone();
    let mut request = Request::new(v1::LoginRequest::default());
    sign_call(&mut request, LOGIN, &Credentials { api_key, secret_key });
    let login = SessionsClient::new(channel.clone()).login(request).await.map_err(failed)?;
    Ok((TradingClient::new(channel), login.into_inner().token))
}

async fn count_aloud(counted: Shared) {
    let mut every = interval(WORD_EVERY);
    loop {
        every.tick().await;
        // The run notices an agent that cannot speak.
        let _heard = counted.borrow_mut().report();
    }
}

impl Trader {
    async fn stream(mut self, window: usize, batch: usize) -> Result<(), Failure> {
        let (requests, sent) = mpsc::unbounded_channel();
        let sent = unfold(sent, async |mut sent: mpsc::UnboundedReceiver<_>| {
            Some((sent.recv().await?, sent))
        });
        let opened = self.trading.stream_orders(with_token(sent, &self.token)).await;
        let mut responses = opened.map_err(failed)?.into_inner();
        let mut under_way: VecDeque<(u64, Instant)> = VecDeque::with_capacity(window);
        let (mut number, batch) = (0, batch.min(window));
        loop {
            let now = Instant::now();
            let room = window - under_way.len();
            if now >= self.end {
                if under_way.is_empty() {
                    return Ok(());
                }
            } else if room >= batch {
                let message = (0..room).map(|_| {
                    number += 1;
                    under_way.push_back((number, now));
                    let request = Some(Asked::Place(order(number)));
                    v1::OrderRequest { request_id: number, request }
                });
                // With a batch of one, each order is a message of its own.
                if batch == 1 {
                    for request in message {
                        send(&requests, vec![request])?;
                    }
                } else {
                    send(&requests, message.collect())?;
                }
            }
            let message = responses.message().await.map_err(failed)?;
            let message = message.ok_or_else(|| Failure::new("the venue ended the stream"))?;
            for v1::OrderResponse { request_id, result } in message.responses {
                let at = under_way.iter().position(|(number, _)| *number == request_id);
                let at = at.ok_or_else(|| Failure::fault("an answer to no order"))?;
                let (_, sent) = under_way.remove(at).expect("it was found");
                match result {
                    Some(Answered::Reply(reply)) => self.count(sent, reply.fills.len()),
                    Some(Answered::Refusal(refusal)) => self.refused(&refusal.message),
                    _ => self.refused("another answer"),
                }
            }
        }
    }

    fn count(&self, sent: Instant, fills: usize) {
        let mut counted = self.counted.borrow_mut();
        counted.answered(sent.elapsed());
        counted.outcome.trades += fills as u64;
    }

    fn refused(&self, why: &str) {
        self.counted.borrow_mut().failed(why, 1);
    }
}

fn send(
    requests: &mpsc::UnboundedSender<v1::OrderRequests>,
    batch: Vec<v1::OrderRequest>,
) -> Result<(), Failure> {
    let sent = requests.send(v1::OrderRequests { requests: batch });
    sent.map_err(|_| Failure::new("the venue ended the stream"))
}

fn unreachable(error: client::Error) -> Failure {
    Failure::new(format!("the venue's gRPC port: {error}"))
}

fn failed(status: Status) -> Failure {
    Failure::new(format!("the venue refused a call: {status}"))
}
