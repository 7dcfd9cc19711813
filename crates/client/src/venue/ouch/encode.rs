//! Orders as messages of OUCH, and its numbers as decimals. What OUCH cannot express is refused.

use std::collections::HashMap;

use protocol::binance::response::{ExchangeInfo, SymbolInfo};
use protocol::ouch::appendage::tag;
use protocol::ouch::code::{capacity, cross_type, display, side, time_in_force};
use protocol::ouch::inbound::{EnterOrder, ReplaceOrder};
use protocol::ouch::{Alpha, MARKET_PRICE, PRICE_DECIMALS, Tags, alpha};
use types::{Increment, OrderType, Side, TimeInForce, format_decimal, parse_decimal};

use crate::{Error, NewOrder};

/// Of an order's reference and a match number: the bits of the venue's own number. Those above have
/// the instrument's.
const ID_BITS: u32 = 48;

/// What the venue's instruments count in.
#[derive(Debug, Default)]
pub(super) struct Instruments {
    by_symbol: HashMap<String, Scale>,
    /// In the order of the instruments' numbers, which is that of the venue's list.
    by_number: Vec<Option<Scale>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) tick: Increment,
    pub(super) lot: Increment,
}

impl Instruments {
    pub(super) fn of(info: &ExchangeInfo) -> Self {
        let scale = |symbol: &SymbolInfo| {
            let tick = Increment::parse(symbol.tick_size()?)?;
            let lot = Increment::parse(symbol.lot_size()?)?;
            Some(Scale { tick, lot })
        };
        let by_number: Vec<_> = info.symbols.iter().map(scale).collect();
        let of_all = info.symbols.iter().zip(&by_number);
        let by_symbol = of_all.filter_map(|(of, scale)| Some((of.symbol.clone(), (*scale)?)));
        Self { by_symbol: by_symbol.collect(), by_number }
    }

    pub(super) fn get(&self, symbol: &str) -> Option<Scale> {
        self.by_symbol.get(symbol).copied()
    }

    /// The instrument of an order's reference or of a match number.
    pub(super) fn of_reference(&self, reference: u64) -> Option<Scale> {
        // Instruments have numbers from 1 there.
        let number = usize::try_from(reference >> ID_BITS).ok()?.checked_sub(1)?;
        *self.by_number.get(number)?
    }
}

/// The venue's own number in an order's reference or a match number.
pub(super) fn id_of(reference: u64) -> u64 {
    reference & ((1 << ID_BITS) - 1)
}

/// A price in the field, and in ticks where the field has no room.
struct PriceField {
    field: u64,
    ticks: Option<i64>,
}

impl Scale {
    pub(super) fn lots(self, qty: &str) -> Result<u32, Error> {
        let lots = self.lot.count(qty).and_then(|lots| u32::try_from(lots).ok());
        lots.ok_or_else(|| Error::Usage(format!("{qty} is no number of lots for OUCH")))
    }

    pub(super) fn qty(self, lots: u32) -> String {
        self.lot.format(lots.into(), 0)
    }

    /// The price of a message: in its field, or in ticks in its tag.
    pub(super) fn price(self, field: u64, ticks: Option<[u8; 8]>) -> String {
        match ticks {
            Some(ticks) => self.tick.format(i64::from_be_bytes(ticks).into(), 0),
            None => format_decimal(field.into(), PRICE_DECIMALS, PRICE_DECIMALS),
        }
    }

    fn price_field(self, price: &str) -> Result<PriceField, Error> {
        let ticks = self.tick.count(price).and_then(|ticks| i64::try_from(ticks).ok());
        let ticks = ticks.ok_or_else(|| Error::Usage(format!("{price} is no number of ticks")))?;
        let field = parse_decimal(price, PRICE_DECIMALS).and_then(|units| units.try_into().ok());
        Ok(match field {
            Some(field) if self.tick.decimals <= PRICE_DECIMALS => {
                PriceField { field, ticks: None }
            }
            _ => PriceField { field: 0, ticks: Some(ticks) },
        })
    }
}

/// Appends an Enter Order.
pub(super) fn enter(
    order: &NewOrder,
    number: u32,
    scale: Scale,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    check(order)?;
    let quantity = scale.lots(order.quantity.as_deref().unwrap_or("0"))?;
    let price = match (&order.price, order.order_type) {
        (None, OrderType::Market) => PriceField { field: MARKET_PRICE, ticks: None },
        (Some(price), OrderType::Limit | OrderType::LimitMaker) => scale.price_field(price)?,
        _ => return Err(Error::Usage("over OUCH a limit order has a price".to_owned())),
    };
    let mut min_qty = order.min_qty.as_deref().map(|qty| scale.lots(qty)).transpose()?;
    let max_floor = order.iceberg_qty.as_deref().map(|qty| scale.lots(qty)).transpose()?;
    let time_in_force = match (order.time_in_force, order.order_type) {
        (_, OrderType::Market) | (Some(TimeInForce::Ioc), _) => time_in_force::IMMEDIATE_OR_CANCEL,
        (Some(TimeInForce::Fok), _) => {
            min_qty = Some(quantity);
            time_in_force::IMMEDIATE_OR_CANCEL
        }
        (Some(TimeInForce::Gtc) | None, _) => time_in_force::EXTENDED_HOURS,
        (Some(other), _) => return Err(unknown(&format!("{other:?} as a time in force"))),
    };
    let symbol = alpha::<8>(order.symbol.as_bytes());
    let message = EnterOrder {
        user_ref_num: number,
        side: if order.side == Side::Buy { side::BUY } else { side::SELL },
        quantity,
        symbol: symbol.unwrap_or([b' '; 8]),
        price: price.field,
        time_in_force,
        display: if order.hidden { display::HIDDEN } else { display::VISIBLE },
        capacity: capacity::AGENCY,
        intermarket_sweep: b'N',
        cross_type: cross_type::CONTINUOUS,
        cl_ord_id: name(order)?,
    };
    message.write(out, |tags| {
        if symbol.is_none() {
            tags.put(tag::SYMBOL, order.symbol.as_bytes());
        }
        put_number(tags, tag::MIN_QTY, min_qty);
        put_number(tags, tag::MAX_FLOOR, max_floor);
        if order.order_type == OrderType::LimitMaker {
            tags.put(tag::POST_ONLY, b"P");
        }
        put_ticks(tags, price.ticks);
    });
    Ok(())
}

/// Appends a Replace Order.
pub(super) fn replace(
    orig: u32,
    order: &NewOrder,
    number: u32,
    scale: Scale,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    check(order)?;
    let price = order.price.as_deref();
    let price = price.ok_or_else(|| Error::Usage("a replacement has a price".to_owned()))?;
    let price = scale.price_field(price)?;
    let message = ReplaceOrder {
        orig_user_ref_num: orig,
        user_ref_num: number,
        quantity: scale.lots(order.quantity.as_deref().unwrap_or("0"))?,
        price: price.field,
        time_in_force: time_in_force::EXTENDED_HOURS,
        display: if order.hidden { display::HIDDEN } else { display::VISIBLE },
        intermarket_sweep: b'N',
        cl_ord_id: name(order)?,
    };
    message.write(out, |tags| put_ticks(tags, price.ticks));
    Ok(())
}

/// OUCH, or its door, has no place for these terms.
fn check(order: &NewOrder) -> Result<(), Error> {
    let unfit = [
        (order.quote_order_qty.is_some(), "a quantity in the quote asset"),
        (order.stop_price.is_some() || order.trailing_delta.is_some(), "a trigger"),
        (order.good_till_date.is_some(), "a date"),
        (order.within_balance, "withinBalance"),
        (order.strategy_id.is_some(), "a strategy"),
        (order.stp_mode.is_some(), "a mode against trades with oneself"),
    ];
    match unfit.iter().find(|(is_set, _)| *is_set) {
        Some((_, what)) => Err(unknown(what)),
        None => Ok(()),
    }
}

fn unknown(what: &str) -> Error {
    Error::Usage(format!("{what} has no field in OUCH"))
}

fn name(order: &NewOrder) -> Result<Alpha<14>, Error> {
    let name = order.new_client_order_id.as_deref().unwrap_or_default();
    let padded = alpha(name.as_bytes());
    padded.ok_or_else(|| Error::Usage(format!("OUCH has room for 14 characters: {name}")))
}

fn put_number(tags: &mut Tags<'_>, tag: u8, number: Option<u32>) {
    if let Some(number) = number {
        tags.put(tag, &number.to_be_bytes());
    }
}

fn put_ticks(tags: &mut Tags<'_>, ticks: Option<i64>) {
    if let Some(ticks) = ticks {
        tags.put(tag::PRICE_TICKS, &ticks.to_be_bytes());
    }
}
