//! Which markets are asked for, and what is found of each.

use marketdata::InstrumentView;
use protocol::binance::SymbolStatus;
use protocol::binance::request::Selection;
use protocol::signed::ApiError;
use types::Market;

use crate::binance::shared::Shared;
use crate::socket::http::{Reply, json};

pub(crate) fn select(shared: &Shared, selection: Selection) -> Vec<Market> {
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

pub(crate) async fn of_each<R: Send + 'static>(
    shared: &Shared,
    markets: Vec<Market>,
    look: impl Fn(&InstrumentView) -> R + Send + 'static,
) -> Result<Vec<(Market, R)>, ApiError> {
    let looked_at = shared.door.ask_views(move |views, _| {
        let seen = |market: Market| {
            views.instrument(market.instrument.id).map(|view| (market, look(view)))
        };
        markets.into_iter().filter_map(seen).collect()
    });
    Ok(looked_at.await?)
}

/// One object, or a list of them.
pub(crate) fn one_or_list(one: bool, objects: impl Iterator<Item = String>) -> Reply {
    let objects = objects.collect::<Vec<_>>().join(",");
    json(if one { objects } else { format!("[{objects}]") })
}
