//! A trade with both its sides, as a bust or a correction needs them.

use clap::Args;
use cli::Failure;
use cli::moment::format_time;
use projection::{AnyOrder, OneTrade, TradeSide};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Side, TradeId};

use super::backend::Venue;
use super::lookup::{Listing, account_name, asset_at, find_instrument};

/// A trade by its id, which is unique in its instrument.
#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct NamedTrade {
    /// Instrument, such as BTCUSDT
    symbol: String,
    /// Id of the trade
    trade_id: u64,
}

impl NamedTrade {
    pub(super) fn show(self, venue: &mut Venue<'_>) -> Result<TradeShown, Failure> {
        let Self { symbol, trade_id } = self;
        let listing = find_instrument(venue, &symbol)?;
        let asked = OneTrade { instrument: listing.instrument.id, trade_id: TradeId(trade_id) };
        let sides = venue.history(asked)?;
        let side = |side: Side| sides.iter().find(|(_, trade)| trade.side == side).copied();
        let (Some(bought), Some(sold)) = (side(Side::Buy), side(Side::Sell)) else {
            let sentence = format!("{symbol} has no trade {trade_id}, or history begins later");
            return Err(Failure::unknown(sentence));
        };
        let (_, trade) = bought;
        let time = |ns: u64| (ns > 0).then(|| format_time(ns));
        Ok(TradeShown {
            symbol,
            trade_id,
            time: format_time(trade.traded_ns),
            price: listing.price(trade.price),
            qty: listing.qty(trade.qty),
            quote_qty: listing.quote.format_amount(trade.quote),
            busted: time(trade.revision.busted_ns),
            corrected: time(trade.revision.corrected_ns),
            orig_price: trade.revision.orig_price.map(|price| listing.price(price)),
            buyer: TradeSideShown::new(venue, &listing, bought)?,
            seller: TradeSideShown::new(venue, &listing, sold)?,
        })
    }
}

#[derive(JsonSchema, Serialize)]
pub(super) struct TradeShown {
    symbol: String,
    trade_id: u64,
    time: String,
    /// The corrected one, if it was corrected
    price: String,
    qty: String,
    quote_qty: String,
    /// When an operator undid it; null if it stands
    busted: Option<String>,
    /// When an operator last corrected its price
    corrected: Option<String>,
    /// The price as executed, if it was corrected
    orig_price: Option<String>,
    buyer: TradeSideShown,
    seller: TradeSideShown,
}

#[derive(JsonSchema, Serialize)]
struct TradeSideShown {
    account: String,
    order_id: u64,
    /// Null if history no longer has the order
    client_order_id: Option<String>,
    is_maker: bool,
    fee: String,
    fee_asset: String,
}

impl TradeSideShown {
    fn new(
        venue: &mut Venue<'_>,
        listing: &Listing,
        (account, trade): TradeSide,
    ) -> Result<Self, Failure> {
        let order = AnyOrder { instrument: listing.instrument.id, order_id: trade.order_id };
        let order = venue.history(order)?;
        let (name, fee_asset) = venue.read(move |engine| {
            (account_name(engine, account), asset_at(engine, trade.fee_asset))
        })?;
        Ok(Self {
            account: name,
            order_id: trade.order_id.0,
            client_order_id: order.map(|order| order.cl_ord_id.to_string()),
            is_maker: trade.is_maker,
            fee: fee_asset.format_amount(trade.fee),
            fee_asset: fee_asset.name.to_string(),
        })
    }
}
