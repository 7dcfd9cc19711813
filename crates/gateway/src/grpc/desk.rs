//! Requests for orders of one caller: each becomes a command, and its events the answer.

use std::net::IpAddr;
use std::sync::Arc;

use proto::v1;
use protocol::signed::ApiError;
use tokio::time::{Instant, timeout_at};
use types::{
    CancelCause, Command, Envelope, Event, Market, OrderRef, Origin, RejectReason, RetryKey,
    SessionId,
};

use crate::clock::{now_ns, now_us};
use crate::door::retry_key::retry_key;
use crate::door::submit::CommandOutcome;
use crate::grpc::call::KeyedCall;
use crate::grpc::caller::Caller;
use crate::grpc::order;
use crate::grpc::refusal::{Failure, Refused};
use crate::grpc::report::{self, Outcome};
use crate::grpc::shared::GrpcShared;

#[derive(Clone)]
pub(super) struct Desk {
    pub(super) shared: Arc<GrpcShared>,
    pub(super) caller: Caller,
    pub(super) peer: IpAddr,
    /// The venue's session that its orders end with; zero if there is none.
    pub(super) session: SessionId,
    pub(super) deadline: Option<Instant>,
    /// Its commands share batches with others, and wait for no more.
    pub(super) is_gathered: bool,
}

impl Desk {
    /// For one call.
    pub(super) fn of(call: &KeyedCall) -> Self {
        Self {
            shared: Arc::clone(&call.call.shared),
            caller: call.caller.clone(),
            peer: call.call.peer,
            session: SessionId(0),
            deadline: call.call.deadline,
            is_gathered: false,
        }
    }

    pub(super) async fn place(
        &self,
        sent: v1::PlaceOrderRequest,
    ) -> Result<v1::OrderReply, Failure> {
        let market = self.market(&sent.symbol)?;
        let command = Command::NewOrder(order::place(&market, &sent)?);
        let outcome = self.submit(command, &sent.retry_key).await?;
        answer(&market, &outcome, |event| match event {
            Event::OrderAccepted(accepted) => Some(accepted.order.order_id),
            _ => None,
        })
    }

    pub(super) async fn cancel(
        &self,
        sent: v1::CancelOrderRequest,
    ) -> Result<v1::OrderReply, Failure> {
        let market = self.market(&sent.symbol)?;
        let cancel = order::cancel(&market, &sent)?;
        let outcome = self.submit(Command::CancelOrder(cancel), &sent.retry_key).await?;
        answer(&market, &outcome, |event| match event {
            Event::OrderCanceled(e)
                if is_meant(&cancel.order, e.order.order_id, e.order.cl_ord_id) =>
            {
                Some(e.order.order_id)
            }
            _ => None,
        })
    }

    pub(super) async fn replace(
        &self,
        sent: v1::ReplaceOrderRequest,
    ) -> Result<v1::OrderReply, Failure> {
        let market = self.market(&sent.symbol)?;
        let command = Command::ModifyOrder(order::replace(&market, &sent)?);
        let outcome = self.submit(command, &sent.retry_key).await?;
        answer(&market, &outcome, |event| match event {
            Event::OrderModified(modified) => Some(modified.order.order_id),
            Event::OrderAmended(amended) => Some(amended.order.order_id),
            Event::OrderCanceled(canceled) if canceled.cause == CancelCause::Modified => {
                Some(canceled.order.order_id)
            }
            _ => None,
        })
    }

    /// That there is no open order is no error.
    pub(super) async fn cancel_all(
        &self,
        sent: v1::CancelAllRequest,
    ) -> Result<v1::CancelAllResponse, Failure> {
        let symbol = (!sent.symbol.is_empty()).then_some(&sent.symbol);
        let market = symbol.map(|symbol| self.market(symbol)).transpose()?;
        let cancel = order::cancel_all(market.as_ref(), &sent)?;
        let outcome = self.submit(Command::MassCancel(cancel), &sent.retry_key).await?;
        match refusal(&outcome.events) {
            Some(RejectReason::OrderNotFound) | None => {}
            Some(reason) => return Err(reason.into()),
        }
        let directory = self.shared.door.directory();
        let orders = outcome.events.iter().filter_map(|event| match event {
            Event::OrderCanceled(canceled) if canceled.order.account == self.caller.account => {
                let market = directory.market_of(canceled.order.instrument)?;
                Some(report::order(&market, &canceled.order))
            }
            _ => None,
        });
        Ok(v1::CancelAllResponse { orders: orders.collect() })
    }

    fn market(&self, symbol: &str) -> Result<Market, Failure> {
        self.shared.market(symbol).ok_or_else(|| ApiError::invalid_symbol().into())
    }

    /// Submits a command. The deadline ends the wait for it, and not the command.
    pub(super) async fn submit(
        &self,
        command: Command,
        retry_key: &str,
    ) -> Result<CommandOutcome, Failure> {
        let Self { shared, caller, .. } = self;
        if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return Err(Refused::expired().into());
        }
        if now_us() > caller.expires_us {
            return Err(ApiError::outside_recv_window().into());
        }
        let envelope = self.envelope(parse_retry_key(retry_key)?);
        let submitted = shared.door.submit(envelope, command, self.is_gathered);
        let outcome = match self.deadline {
            None => submitted.await,
            Some(deadline) => {
                let answered = timeout_at(deadline, submitted).await;
                answered.map_err(|_| Refused::unknown())?
            }
        };
        outcome.map_err(Failure::after_submit)
    }

    fn envelope(&self, retry_key: Option<RetryKey>) -> Envelope {
        Envelope {
            account: self.caller.account,
            key: self.caller.holder.key(),
            session: self.session,
            client_seq: 0,
            origin: Origin::Grpc,
            received_ns: now_ns(),
            retry_key,
            address: None,
        }
    }
}

/// The answer about the order that `is_meant` finds, or the refusal.
fn answer(
    market: &Market,
    outcome: &CommandOutcome,
    is_meant: impl Fn(&Event) -> Option<types::OrderId>,
) -> Result<v1::OrderReply, Failure> {
    let is_other = outcome.is_repeated && outcome.is_foreign_to(market.instrument.id);
    if !is_other {
        if let Some(found) = Outcome::find(market, &outcome.events, is_meant) {
            return Ok(found.into_reply(market, outcome.is_repeated));
        }
        if let Some(reason) = refusal(&outcome.events) {
            return Err(reason.into());
        }
    }
    if outcome.is_repeated {
        let message = "This retry key was used for another request before.";
        return Err(Refused::new(tonic::Code::AlreadyExists, "RETRY_KEY_USED", message).into());
    }
    Err(Failure::Other(ApiError::unknown().into()))
}

fn is_meant(order: &OrderRef, order_id: types::OrderId, cl_ord_id: types::ClOrdId) -> bool {
    order.order_id.is_none_or(|id| id == order_id)
        && order.cl_ord_id.is_none_or(|name| name == cl_ord_id)
}

fn refusal(events: &[Event]) -> Option<RejectReason> {
    events.iter().find_map(|event| match event {
        Event::CommandRejected(rejected) => Some(rejected.reason),
        _ => None,
    })
}

fn parse_retry_key(sent: &str) -> Result<Option<RetryKey>, ApiError> {
    if sent.is_empty() { Ok(None) } else { retry_key("retry_key", sent.as_bytes()).map(Some) }
}
