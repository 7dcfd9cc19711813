//! Messages of a client as commands.

use protocol::ouch::appendage::tag;
use protocol::ouch::code::{self, reject};
use protocol::ouch::inbound::{EnterOrder, MassCancel, ReplaceOrder};
use protocol::ouch::{Alpha, Appendage, MARKET_PRICE, trimmed};
use types::{
    AccountId, ClOrdId, InstrumentId, LoginId, ModifyOrder, NewOrder, NumberedName, OrderRef,
    OrderSize, OrderType, Peg, PegReference, Price, Qty, Side, StpMode, Terms, TimeInForce,
};

use crate::ouch::book::OpenOrder;
use crate::ouch::scale::{Scale, Scales};

/// What a message needs beside its bytes.
pub(super) struct Context<'a> {
    pub(super) login: LoginId,
    pub(super) account: AccountId,
    pub(super) day: u32,
    pub(super) now_ns: u64,
    pub(super) scales: &'a Scales,
}

/// A refusal by a code of OUCH.
pub(super) type Refusal = u16;

/// What a report repeats of an order and the venue has no use for, in six bits of the order's name.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Flags(pub(super) u8);

const EXTENDED_HOURS: u8 = 1 << 2;
const SELL_SHIFT: u32 = 3;
const SELLS: [u8; 3] = [code::side::SELL, code::side::SELL_SHORT, code::side::SELL_SHORT_EXEMPT];

impl Flags {
    fn new(capacity: u8, time_in_force: u8, side: u8) -> Option<Self> {
        let capacity = code::capacity::ALL.iter().position(|known| *known == capacity)?;
        let extended = time_in_force == code::time_in_force::EXTENDED_HOURS;
        let sell = SELLS.iter().position(|known| *known == side).unwrap_or(0);
        let extended = if extended { EXTENDED_HOURS } else { 0 };
        Some(Self(capacity as u8 | extended | (sell as u8) << SELL_SHIFT))
    }

    pub(super) fn capacity(self) -> u8 {
        code::capacity::ALL[usize::from(self.0 & 3)]
    }

    /// The time in force of an order that stands until it is canceled.
    pub(super) fn resting(self) -> u8 {
        if self.0 & EXTENDED_HOURS == 0 {
            code::time_in_force::DAY
        } else {
            code::time_in_force::EXTENDED_HOURS
        }
    }

    pub(super) fn sell(self) -> u8 {
        SELLS.get(usize::from(self.0 >> SELL_SHIFT)).copied().unwrap_or(code::side::SELL)
    }
}

impl Context<'_> {
    /// The name of an order, with as much of the client's text as a name may have.
    pub(super) fn name(&self, number: u32, flags: Flags, text: Alpha<14>) -> (ClOrdId, bool) {
        let name = NumberedName { login: self.login, day: self.day, number, flags: flags.0 };
        let with_text = name.to_cl_ord_id(trimmed(&text));
        let is_whole = with_text.is_some();
        let bare = || name.to_cl_ord_id(b"").expect("a name without a text fits");
        (with_text.unwrap_or_else(bare), is_whole)
    }

    pub(super) fn enter(
        &self,
        order: &EnterOrder,
        tags: Appendage<'_>,
    ) -> Result<NewOrder, Refusal> {
        let side = match order.side {
            code::side::BUY => Side::Buy,
            side if SELLS.contains(&side) => Side::Sell,
            _ => return Err(reject::INVALID_SIDE),
        };
        self.check_account(tags)?;
        let instrument = self.instrument(order.symbol, tags)?;
        let scale = self.scales.get(instrument);
        let flags = Flags::new(order.capacity, order.time_in_force, order.side);
        let flags = flags.ok_or(reject::OTHER)?;
        let (cl_ord_id, is_whole) = self.name(order.user_ref_num, flags, order.cl_ord_id);
        if !is_whole {
            return Err(reject::OTHER);
        }
        if order.intermarket_sweep != b'N' && order.intermarket_sweep != b'Y' {
            return Err(reject::ISO_NOT_ALLOWED);
        }
        let mut special = Terms::default();
        let hidden = order.display == code::display::HIDDEN;
        special.hidden = hidden;
        if !hidden
            && ![code::display::VISIBLE, code::display::ATTRIBUTABLE].contains(&order.display)
        {
            return Err(reject::INVALID_DISPLAY);
        }
        let qty = Qty::from_lots(order.quantity.into());
        let mut time_in_force = self.time_in_force(order, scale, tags, &mut special)?;
        let mut order_type = OrderType::Limit;
        let mut price = Price::default();
        if order.price == MARKET_PRICE && !tags.iter().any(|of| of.tag == tag::PRICE_TICKS) {
            order_type = OrderType::Market;
        } else if !peg(scale, tags, order.price, &mut special)? {
            price = price_of(scale, order.price, tags)?;
        }
        if !tags.is_empty() {
            self.terms(order, tags, &mut special, &mut time_in_force, &mut order_type)?;
        }
        Ok(NewOrder {
            instrument,
            cl_ord_id,
            side,
            order_type,
            time_in_force,
            stp_mode: StpMode::None,
            price,
            size: OrderSize::Base(qty),
            strategy_id: None,
            strategy_type: None,
            terms: (special != Terms::default()).then_some(special),
        })
    }

    /// Gives an order another number, quantity and price.
    pub(super) fn replace(
        &self,
        message: &ReplaceOrder,
        tags: Appendage<'_>,
        orig: &OpenOrder,
    ) -> Result<ModifyOrder, Refusal> {
        self.check_account(tags)?;
        let scale = self.scales.get(orig.instrument);
        if message.time_in_force == code::time_in_force::IMMEDIATE_OR_CANCEL {
            return Err(reject::REPLACE_NOT_ALLOWED);
        }
        let flags = orig.name.numbered().map_or(Flags::default(), |(name, _)| Flags(name.flags));
        let (cl_ord_id, is_whole) = self.name(message.user_ref_num, flags, message.cl_ord_id);
        if !is_whole {
            return Err(reject::OTHER);
        }
        if message.quantity == 0 {
            return Err(reject::INVALID_QUANTITY);
        }
        Ok(ModifyOrder {
            instrument: orig.instrument,
            order: OrderRef::by_cl_ord_id(orig.name),
            cl_ord_id: Some(cl_ord_id),
            order_qty: Qty::from_lots(message.quantity.into()),
            price: Some(price_of(scale, message.price, tags)?),
        })
    }

    pub(super) fn mass_cancel(
        &self,
        message: &MassCancel,
        tags: Appendage<'_>,
    ) -> Result<types::MassCancel, Refusal> {
        self.check_account(tags)?;
        let named = tags.iter().any(|of| of.tag == tag::SYMBOL);
        let is_blank = trimmed(&message.symbol).is_empty();
        let instrument =
            (named || !is_blank).then(|| self.instrument(message.symbol, tags)).transpose()?;
        let side = match tags.get::<1>(tag::SIDE) {
            None => None,
            Some([code::side::BUY]) => Some(Side::Buy),
            Some([side]) if SELLS.contains(&side) => Some(Side::Sell),
            Some(_) => return Err(reject::INVALID_SIDE),
        };
        let cl_ord_id = self.name(message.user_ref_num, Flags::default(), [b' '; 14]).0;
        Ok(types::MassCancel { instrument, side, cl_ord_id })
    }

    fn check_account(&self, tags: Appendage<'_>) -> Result<(), Refusal> {
        match tags.get(tag::ACCOUNT) {
            Some(account) if u32::from_be_bytes(account) != self.account.0 => {
                Err(reject::FIRM_NOT_AUTHORIZED)
            }
            _ => Ok(()),
        }
    }

    fn instrument(&self, symbol: Alpha<8>, tags: Appendage<'_>) -> Result<InstrumentId, Refusal> {
        let found = match tags.iter().find(|of| of.tag == tag::SYMBOL) {
            None => self.scales.find(symbol),
            Some(long) if trimmed(&symbol).is_empty() => self.scales.find_long(long.value),
            Some(_) => None,
        };
        found.ok_or(reject::INVALID_SYMBOL)
    }

    fn time_in_force(
        &self,
        order: &EnterOrder,
        scale: &Scale,
        tags: Appendage<'_>,
        special: &mut Terms,
    ) -> Result<TimeInForce, Refusal> {
        use code::time_in_force as tif;
        match order.cross_type {
            code::cross_type::CONTINUOUS => {}
            code::cross_type::OPENING => return Ok(TimeInForce::AtOpen),
            code::cross_type::CLOSING => return Ok(TimeInForce::AtClose),
            _ => return Err(reject::INVALID_CROSS),
        }
        Ok(match order.time_in_force {
            // In an instrument that never closes, a day has no end.
            tif::DAY if scale.closes => TimeInForce::Day,
            tif::DAY | tif::EXTENDED_HOURS => TimeInForce::Gtc,
            tif::IMMEDIATE_OR_CANCEL => TimeInForce::Ioc,
            tif::TILL_TIME => {
                let seconds = tags.get(tag::EXPIRE_TIME).map(u32::from_be_bytes);
                let seconds = seconds.filter(|seconds| *seconds > 0).ok_or(reject::OTHER)?;
                special.expire_ns = self.now_ns + u64::from(seconds) * 1_000_000_000;
                TimeInForce::Gtd
            }
            _ => return Err(reject::OTHER),
        })
    }

    /// The terms of an appendage.
    fn terms(
        &self,
        order: &EnterOrder,
        tags: Appendage<'_>,
        special: &mut Terms,
        time_in_force: &mut TimeInForce,
        order_type: &mut OrderType,
    ) -> Result<(), Refusal> {
        if let Some(floor) = tags.get(tag::MAX_FLOOR).map(u32::from_be_bytes) {
            special.display_qty = Qty::from_lots(floor.into());
        }
        if let Some(min_qty) = tags.get(tag::MIN_QTY).map(u32::from_be_bytes) {
            if min_qty == order.quantity && *time_in_force == TimeInForce::Ioc {
                *time_in_force = TimeInForce::Fok;
            } else {
                special.min_qty = Qty::from_lots(min_qty.into());
            }
        }
        match tags.get::<1>(tag::POST_ONLY) {
            Some([b'P']) if *order_type == OrderType::Limit => *order_type = OrderType::LimitMaker,
            None | Some([b'N']) => {}
            Some(_) => return Err(reject::ORDER_TYPE_RESTRICTED),
        }
        const BEYOND: [u8; 4] = [
            tag::DISCRETION_PRICE,
            tag::DISCRETION_PRICE_TYPE,
            tag::DISCRETION_PEG_OFFSET,
            tag::RANDOM_RESERVES,
        ];
        if tags.iter().any(|of| BEYOND.contains(&of.tag)) {
            return Err(reject::ORDER_TYPE_RESTRICTED);
        }
        if tags.iter().any(|of| of.tag == tag::ROUTE) {
            return Err(reject::ROUTING_NOT_ALLOWED);
        }
        Ok(())
    }
}

/// Whether the price is pegged; its field is the limit then.
fn peg(
    scale: &Scale,
    tags: Appendage<'_>,
    field: u64,
    special: &mut Terms,
) -> Result<bool, Refusal> {
    use code::price_type as of;
    if tags.is_empty() {
        return Ok(false);
    }
    let reference = match tags.get::<1>(tag::PRICE_TYPE) {
        None | Some([of::LIMIT]) => return Ok(false),
        Some([of::PRIMARY_PEG]) => PegReference::Primary,
        Some([of::MARKET_PEG]) => PegReference::Market,
        Some([of::MIDPOINT_PEG]) => PegReference::Mid,
        Some(_) => return Err(reject::INVALID_PEG_TYPE),
    };
    let offset = tags.get(tag::PEG_OFFSET).map_or(0, i32::from_be_bytes);
    let offset_ticks = scale.offset_of(offset).ok_or(reject::INVALID_PRICE)?;
    let limit = if field > 0 { Some(price_of(scale, field, tags)?) } else { None };
    special.peg = Some(Peg { reference, offset_ticks, limit });
    Ok(true)
}

fn price_of(scale: &Scale, field: u64, tags: Appendage<'_>) -> Result<Price, Refusal> {
    if let Some(ticks) = tags.get(tag::PRICE_TICKS) {
        let ticks = i64::from_be_bytes(ticks);
        return if field == 0 { Ok(Price::from_ticks(ticks)) } else { Err(reject::INVALID_PRICE) };
    }
    scale.price_of(field).ok_or(reject::INVALID_PRICE)
}
