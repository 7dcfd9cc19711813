//! Orders, one a call, and queries of the account.

use std::sync::Arc;

use proto::v1;
use proto::v1::trading_server::Trading;
use protocol::signed::ApiError;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status, Streaming};
use types::{InstrumentId, RejectReason};

use crate::door::identity::Permission;
use crate::grpc::call::{KeyedCall, Kind, Need};
use crate::grpc::desk::Desk;
use crate::grpc::events;
use crate::grpc::order::order_ref;
use crate::grpc::order_stream;
use crate::grpc::refusal::Failure;
use crate::grpc::report;
use crate::grpc::shared::GrpcShared;

const ENTER: Need = Need { permission: Permission::Trade, weight: 1, kind: Kind::Enters };
const END: Need = Need { permission: Permission::Trade, weight: 1, kind: Kind::Ends };
const READ: Need = Need { permission: Permission::UserData, weight: 4, kind: Kind::Reads };
const STREAM: Need = Need { permission: Permission::UserData, weight: 2, kind: Kind::Reads };

pub(super) struct TradingCalls(pub(super) Arc<GrpcShared>);

#[tonic::async_trait]
impl Trading for TradingCalls {
    type StreamOrdersStream = BoxStream<v1::OrderResponses>;
    type StreamAccountStream = BoxStream<v1::AccountEvent>;

    async fn place_order(
        &self,
        request: Request<v1::PlaceOrderRequest>,
    ) -> Result<Response<v1::OrderReply>, Status> {
        let call = KeyedCall::begin(&self.0, &request, ENTER).await?;
        call.end(Desk::of(&call).place(request.into_inner()).await)
    }

    async fn cancel_order(
        &self,
        request: Request<v1::CancelOrderRequest>,
    ) -> Result<Response<v1::OrderReply>, Status> {
        let call = KeyedCall::begin(&self.0, &request, END).await?;
        call.end(Desk::of(&call).cancel(request.into_inner()).await)
    }

    async fn replace_order(
        &self,
        request: Request<v1::ReplaceOrderRequest>,
    ) -> Result<Response<v1::OrderReply>, Status> {
        let call = KeyedCall::begin(&self.0, &request, ENTER).await?;
        call.end(Desk::of(&call).replace(request.into_inner()).await)
    }

    async fn cancel_all(
        &self,
        request: Request<v1::CancelAllRequest>,
    ) -> Result<Response<v1::CancelAllResponse>, Status> {
        let call = KeyedCall::begin(&self.0, &request, END).await?;
        call.end(Desk::of(&call).cancel_all(request.into_inner()).await)
    }

    async fn stream_orders(
        &self,
        request: Request<Streaming<v1::OrderRequests>>,
    ) -> Result<Response<Self::StreamOrdersStream>, Status> {
        let call = KeyedCall::begin(&self.0, &request, END).await?;
        let opened = order_stream::open(&call, request).await;
        call.end(opened)
    }

    async fn get_order(
        &self,
        request: Request<v1::GetOrderRequest>,
    ) -> Result<Response<v1::Order>, Status> {
        let call = KeyedCall::begin(&self.0, &request, READ).await?;
        call.end(self.find_order(&call, request.into_inner()).await)
    }

    async fn list_open_orders(
        &self,
        request: Request<v1::ListOpenOrdersRequest>,
    ) -> Result<Response<v1::ListOpenOrdersResponse>, Status> {
        let call = KeyedCall::begin(&self.0, &request, READ).await?;
        call.end(self.find_open_orders(&call, &request.into_inner().symbol).await)
    }

    async fn get_balances(
        &self,
        request: Request<v1::GetBalancesRequest>,
    ) -> Result<Response<v1::GetBalancesResponse>, Status> {
        let call = KeyedCall::begin(&self.0, &request, READ).await?;
        call.end(self.find_balances(&call).await)
    }

    async fn stream_account(
        &self,
        request: Request<v1::StreamAccountRequest>,
    ) -> Result<Response<Self::StreamAccountStream>, Status> {
        let call = KeyedCall::begin(&self.0, &request, STREAM).await?;
        let opened = events::of_account(&call, request.into_inner()).await;
        call.end(opened)
    }
}

impl TradingCalls {
    async fn find_order(
        &self,
        call: &KeyedCall,
        sent: v1::GetOrderRequest,
    ) -> Result<v1::Order, Failure> {
        let market = self.0.market(&sent.symbol).ok_or_else(ApiError::invalid_symbol)?;
        let order = order_ref(sent.order_id, &sent.client_order_id)?;
        let (account, instrument) = (call.caller.account, market.instrument.id);
        let found = self.0.door.order(account, instrument, order).await?;
        let found = found.ok_or(RejectReason::OrderNotFound)?;
        Ok(report::order(&market, &found))
    }

    async fn find_open_orders(
        &self,
        call: &KeyedCall,
        symbol: &str,
    ) -> Result<v1::ListOpenOrdersResponse, Failure> {
        let only = self.instrument(symbol)?;
        let found = self.0.door.open_orders(call.caller.account, only).await?;
        let directory = self.0.door.directory();
        let message = |order: &types::Order| {
            Some(report::order(&directory.market_of(order.instrument)?, order))
        };
        Ok(v1::ListOpenOrdersResponse { orders: found.iter().filter_map(message).collect() })
    }

    async fn find_balances(&self, call: &KeyedCall) -> Result<v1::GetBalancesResponse, Failure> {
        let found = self.0.door.balances(call.caller.account).await?;
        let directory = self.0.door.directory();
        let some = directory.assets().iter().zip(&found).filter(|(_, of)| !of.total().is_zero());
        let balances = some.map(|(asset, balance)| v1::Balance {
            asset: asset.name.as_str().to_owned(),
            free: asset.format_amount(balance.free),
            locked: asset.format_amount(balance.locked),
        });
        Ok(v1::GetBalancesResponse { balances: balances.collect() })
    }

    /// `None` for all.
    fn instrument(&self, symbol: &str) -> Result<Option<InstrumentId>, ApiError> {
        if symbol.is_empty() {
            return Ok(None);
        }
        let market = self.0.market(symbol).ok_or_else(ApiError::invalid_symbol)?;
        Ok(Some(market.instrument.id))
    }
}
