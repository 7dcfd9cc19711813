//! Public market data: instruments, books, trades and candles.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::stream::unfold;
use projection::{Klines, Times};
use proto::v1;
use proto::v1::market_data_server::MarketData;
use protocol::signed::ApiError;
use tokio::sync::watch;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};
use types::{Candle, Interval, Market, TimeZone};

use crate::clock::now_ns;
use crate::door::in_use::Streams;
use crate::feed::quote::PriceLevel;
use crate::grpc::call::Call;
use crate::grpc::events;
use crate::grpc::live::{BookState, CandleState, LEVELS_MAX};
use crate::grpc::order::ns_of_ms;
use crate::grpc::refusal::{Failure, Refused};
use crate::grpc::report;
use crate::grpc::shared::GrpcShared;

const LEVELS: usize = 20;
const LIMIT: usize = 500;
const LIMIT_MAX: usize = 1_000;
const INSTRUMENTS_WEIGHT: u32 = 20;
const BOOK_WEIGHT: u32 = 5;
const LIST_WEIGHT: u32 = 10;
const STREAM_WEIGHT: u32 = 2;

pub(super) struct MarketCalls(pub(super) Arc<GrpcShared>);

#[tonic::async_trait]
impl MarketData for MarketCalls {
    type StreamBookStream = BoxStream<v1::Book>;
    type StreamTradesStream = BoxStream<v1::Trade>;
    type StreamCandlesStream = BoxStream<v1::Candle>;

    async fn list_instruments(
        &self,
        request: Request<v1::ListInstrumentsRequest>,
    ) -> Result<Response<v1::ListInstrumentsResponse>, Status> {
        let call = Call::begin(&self.0, &request, INSTRUMENTS_WEIGHT)?;
        let instruments = self.0.door.directory().markets().iter().map(instrument).collect();
        call.end(Ok(v1::ListInstrumentsResponse { instruments }))
    }

    async fn get_book(
        &self,
        request: Request<v1::GetBookRequest>,
    ) -> Result<Response<v1::Book>, Status> {
        let call = Call::begin(&self.0, &request, BOOK_WEIGHT)?;
        call.end(self.find_book(request.into_inner()).await)
    }

    async fn list_trades(
        &self,
        request: Request<v1::ListTradesRequest>,
    ) -> Result<Response<v1::ListTradesResponse>, Status> {
        let call = Call::begin(&self.0, &request, LIST_WEIGHT)?;
        call.end(self.find_trades(request.into_inner()).await)
    }

    async fn list_candles(
        &self,
        request: Request<v1::ListCandlesRequest>,
    ) -> Result<Response<v1::ListCandlesResponse>, Status> {
        let call = Call::begin(&self.0, &request, LIST_WEIGHT)?;
        call.end(self.find_candles(request.into_inner()).await)
    }

    async fn stream_book(
        &self,
        request: Request<v1::GetBookRequest>,
    ) -> Result<Response<Self::StreamBookStream>, Status> {
        let call = Call::begin(&self.0, &request, STREAM_WEIGHT)?;
        call.end(self.open_book(&call, request.into_inner()).await)
    }

    async fn stream_trades(
        &self,
        request: Request<v1::StreamTradesRequest>,
    ) -> Result<Response<Self::StreamTradesStream>, Status> {
        let call = Call::begin(&self.0, &request, STREAM_WEIGHT)?;
        let sent = request.into_inner();
        let opened = match self.market(&sent.symbol) {
            Ok(market) => events::of_trades(&call, market, sent).await,
            Err(failure) => Err(failure),
        };
        call.end(opened)
    }

    async fn stream_candles(
        &self,
        request: Request<v1::StreamCandlesRequest>,
    ) -> Result<Response<Self::StreamCandlesStream>, Status> {
        let call = Call::begin(&self.0, &request, STREAM_WEIGHT)?;
        call.end(self.open_candles(&call, request.into_inner()).await)
    }
}

impl MarketCalls {
    fn market(&self, symbol: &str) -> Result<Market, Failure> {
        self.0.market(symbol).ok_or_else(|| ApiError::invalid_symbol().into())
    }

    async fn find_book(&self, sent: v1::GetBookRequest) -> Result<v1::Book, Failure> {
        let (market, levels) = (self.market(&sent.symbol)?, level_count(sent.levels)?);
        let id = market.instrument.id;
        let found = self
            .0
            .door
            .ask_views(move |views, _| Some(BookState::of(&views.instrument(id)?.book, levels)));
        let state = found.await?.ok_or_else(ApiError::invalid_symbol)?;
        Ok(book(&market, &state, levels))
    }

    async fn find_trades(
        &self,
        sent: v1::ListTradesRequest,
    ) -> Result<v1::ListTradesResponse, Failure> {
        let (market, limit) = (self.market(&sent.symbol)?, limit(sent.limit)?);
        let id = market.instrument.id;
        let found = self.0.door.ask_views(move |views, _| {
            let trades = &views.instrument(id)?.trades;
            Some(trades.recent(limit).copied().collect::<Vec<_>>())
        });
        let found = found.await?.ok_or_else(ApiError::invalid_symbol)?;
        let trades = found.iter().map(|one| report::trade(&market, one, 0)).collect();
        Ok(v1::ListTradesResponse { trades })
    }

    async fn find_candles(
        &self,
        sent: v1::ListCandlesRequest,
    ) -> Result<v1::ListCandlesResponse, Failure> {
        let (market, limit) = (self.market(&sent.symbol)?, limit(sent.limit)?);
        let interval = parse_interval(&sent.interval)?;
        let bound = |field, ms| Ok::<_, ApiError>((ms > 0).then_some(ns_of_ms(field, ms)?));
        let (start_ns, end_ns) = (bound("start_ms", sent.start_ms)?, bound("end_ms", sent.end_ms)?);
        let (times, now_ns) = (Times { start_ns, end_ns }, now_ns());
        let (instrument, zone) = (market.instrument.id, TimeZone::UTC);
        let query = Klines { instrument, interval, zone, times, limit, now_ns };
        let found = self.0.door.caught_up_history().await?.ask(query).await?;
        let is_closed = |of: &Candle| interval.end_ns(zone, of.open_ns) <= now_ns;
        let candles = found.iter().map(|of| candle(&market, interval, of, is_closed(of)));
        Ok(v1::ListCandlesResponse { candles: candles.collect() })
    }

    async fn open_book(
        &self,
        call: &Call,
        sent: v1::GetBookRequest,
    ) -> Result<BoxStream<v1::Book>, Failure> {
        let (market, levels) = (self.market(&sent.symbol)?, level_count(sent.levels)?);
        let place = call.stream_place()?;
        let (id, hub) = (market.instrument.id, Arc::clone(&self.0.hub));
        let subscribed = self.0.door.ask_views(move |views, _| {
            Some(hub.subscribe_book((id, views.instrument(id)?), levels))
        });
        let receiver = subscribed.await?.ok_or_else(ApiError::invalid_symbol)?;
        let stream = LiveStream::new(&self.0, receiver, place);
        Ok(stream.into_messages(move |state: &Arc<BookState>, out| {
            out.push_back(book(&market, state, levels));
        }))
    }

    async fn open_candles(
        &self,
        call: &Call,
        sent: v1::StreamCandlesRequest,
    ) -> Result<BoxStream<v1::Candle>, Failure> {
        let (market, interval) = (self.market(&sent.symbol)?, parse_interval(&sent.interval)?);
        let place = call.stream_place()?;
        let (id, hub) = (market.instrument.id, Arc::clone(&self.0.hub));
        let subscribed = self.0.door.ask_views(move |views, _| {
            Some(hub.subscribe_candle((id, views.instrument(id)?), interval))
        });
        let receiver = subscribed.await?.ok_or_else(ApiError::invalid_symbol)?;
        let stream = LiveStream::new(&self.0, receiver, place);
        // What was closed before the call is none of it.
        let mut closed_ns = stream.receiver.borrow().closed.map_or(0, |candle| candle.open_ns);
        Ok(stream.into_messages(move |state: &CandleState, out| {
            if let Some(closed) = state.closed.filter(|closed| closed.open_ns > closed_ns) {
                closed_ns = closed.open_ns;
                out.push_back(candle(&market, interval, &closed, true));
            }
            out.extend(state.open.map(|open| candle(&market, interval, &open, false)));
        }))
    }
}

/// The latest state of something, as often as the reader takes it.
struct LiveStream<S> {
    shared: Arc<GrpcShared>,
    receiver: watch::Receiver<S>,
    _place: Streams,
}

impl<S: Clone + Send + Sync + 'static> LiveStream<S> {
    fn new(shared: &Arc<GrpcShared>, mut receiver: watch::Receiver<S>, place: Streams) -> Self {
        // The first message is the present state.
        receiver.mark_changed();
        Self { shared: Arc::clone(shared), receiver, _place: place }
    }

    /// `messages` adds those of a state.
    fn into_messages<T: Send + 'static>(
        self,
        messages: impl FnMut(&S, &mut VecDeque<T>) + Send + 'static,
    ) -> BoxStream<T> {
        Box::pin(unfold(Some((self, VecDeque::new(), messages)), |state| async {
            let (mut live, mut waiting, mut messages) = state?;
            while waiting.is_empty() {
                match live.next().await {
                    Ok(state) => messages(&state, &mut waiting),
                    Err(refused) => return Some((Err(refused.into_status()), None)),
                }
            }
            let message = waiting.pop_front()?;
            Some((Ok(message), Some((live, waiting, messages))))
        }))
    }

    async fn next(&mut self) -> Result<S, Refused> {
        tokio::select! {
            changed = self.receiver.changed() => match changed {
                Ok(()) => Ok(self.receiver.borrow_and_update().clone()),
                // The publisher has ended.
                Err(_) => Err(Refused::stopping()),
            },
            () = self.shared.door.stopped() => Err(Refused::stopping()),
        }
    }
}

fn level_count(sent: u32) -> Result<usize, ApiError> {
    bounded("levels", sent, LEVELS, LEVELS_MAX)
}

fn limit(sent: u32) -> Result<usize, ApiError> {
    bounded("limit", sent, LIMIT, LIMIT_MAX)
}

fn bounded(field: &str, sent: u32, default: usize, max: usize) -> Result<usize, ApiError> {
    match sent as usize {
        0 => Ok(default),
        sent if sent <= max => Ok(sent),
        _ => Err(ApiError::greater_than(field, max as u64)),
    }
}

fn parse_interval(sent: &str) -> Result<Interval, ApiError> {
    Interval::parse(sent).ok_or_else(ApiError::invalid_interval)
}

fn instrument(market: &Market) -> v1::Instrument {
    let spec = &market.instrument.spec;
    let (base, quote) = (market.base.decimals, market.quote.decimals);
    let trading = &market.trading;
    let phase = if trading.is_delisted {
        "Delisted".to_owned()
    } else if trading.is_venue_halted {
        "VenueHalted".to_owned()
    } else {
        format!("{:?}", trading.phase)
    };
    v1::Instrument {
        symbol: market.symbol().to_owned(),
        base_asset: market.base.name.as_str().to_owned(),
        quote_asset: market.quote.name.as_str().to_owned(),
        tick_size: spec.tick_size.format(1, quote),
        lot_size: spec.lot_size.format(1, base),
        min_price: market.price(spec.min_price),
        max_price: market.price(spec.max_price),
        min_quantity: market.qty(spec.min_qty),
        max_quantity: market.qty(spec.max_qty),
        min_notional: market.quote_amount(spec.min_notional),
        phase,
    }
}

fn book(market: &Market, state: &BookState, levels: usize) -> v1::Book {
    let level = |(price, qty): &PriceLevel| v1::Level {
        price: market.price(*price),
        quantity: market.qty(*qty),
    };
    v1::Book {
        symbol: market.symbol().to_owned(),
        event: state.update_id,
        bids: state.bids.iter().take(levels).map(level).collect(),
        asks: state.asks.iter().take(levels).map(level).collect(),
    }
}

fn candle(market: &Market, interval: Interval, of: &Candle, is_closed: bool) -> v1::Candle {
    v1::Candle {
        symbol: market.symbol().to_owned(),
        interval: interval.name().to_owned(),
        open_ms: of.open_ns / 1_000_000,
        open: market.price(of.open),
        high: market.price(of.high),
        low: market.price(of.low),
        close: market.price(of.close),
        volume: market.volume(of.volume_lots),
        quote_volume: market.quote_amount(of.quote),
        trade_count: of.trade_count,
        is_closed,
    }
}
