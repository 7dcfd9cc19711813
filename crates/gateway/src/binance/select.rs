//! The markets that a request selects, and what a query finds for each.

use marketdata::InstrumentView;
use protocol::binance::SymbolStatus;
use protocol::binance::request::Selection;
use protocol::signed::ApiError;
use schemars::JsonSchema;
use serde::Serialize;
use types::Market;

use crate::binance::shared::BinanceContext;

/// An answer of one of two forms.
#[derive(JsonSchema, Serialize)]
#[schemars(inline)]
#[serde(untagged)]
pub(crate) enum Either<A, B> {
    One(A),
    Other(B),
}

/// One object for one market, else a list.
pub(crate) type OneOrAll<T> = Either<T, Vec<T>>;

impl<T> OneOrAll<T> {
    pub(crate) fn map<U>(self, build: impl Fn(T) -> U) -> OneOrAll<U> {
        match self {
            Self::One(one) => Either::One(build(one)),
            Self::Other(all) => Either::Other(all.into_iter().map(build).collect()),
        }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            Self::One(one) => std::slice::from_mut(one),
            Self::Other(all) => all,
        }
    }
}

pub(crate) fn select(shared: &BinanceContext, selection: Selection) -> Vec<Market> {
    match selection {
        Selection::One(market) => vec![market],
        Selection::Listed(markets) => markets,
        Selection::All(None) => shared.door.directory().markets().to_vec(),
        Selection::All(Some(status)) => {
            let directory = shared.door.directory();
            let with_status =
                directory.markets().iter().filter(|market| SymbolStatus::of(market) == status);
            with_status.copied().collect()
        }
    }
}

/// Queries the view of each selected market.
pub(crate) async fn query_views<R: Send + 'static>(
    shared: &BinanceContext,
    selection: Selection,
    query: impl Fn(&InstrumentView) -> R + Send + 'static,
) -> Result<OneOrAll<(Market, R)>, ApiError> {
    let is_one = matches!(selection, Selection::One(_));
    let markets = select(shared, selection).into_iter();
    let found = shared.door.ask_views(move |views, _| {
        let query = |market: Market| Some((market, query(views.instrument(market.instrument.id)?)));
        markets.filter_map(query).collect()
    });
    let mut found: Vec<_> = found.await?;
    if is_one {
        found.pop().map(Either::One).ok_or_else(ApiError::invalid_symbol)
    } else {
        Ok(Either::Other(found))
    }
}
