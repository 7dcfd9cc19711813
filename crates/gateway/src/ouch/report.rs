//! Reports as messages of OUCH.

use marketdata::{Report, ReportKind};
use protocol::ouch::appendage::tag;
use protocol::ouch::outbound::{
    AccountQueryResponse, AiqCanceled, BrokenTrade, CancelReject, MassCancelResponse,
    OrderAccepted, OrderCanceled, OrderExecuted, OrderModified, OrderPriorityUpdate, OrderReplaced,
    OrderRestated, Rejected, SystemEvent,
};
use protocol::ouch::{Alpha, MARKET_PRICE, Tags, alpha, code, trimmed};
use protocol::soup::Server;
use types::{
    CancelCause, ClOrdId, ExpireCause, Fill, FillRevised, InstrumentId, LoweringRequest, Order,
    OrderType, Prevented, Price, Qty, RejectReason, Side, TimeInForce, TradeExecuted,
};

use crate::feed::reference::reference;
use crate::ouch::order::Flags;
use crate::ouch::scale::{Scale, Scales};

/// What a report needs beside its event.
pub(super) struct Moment<'a> {
    pub(super) sequenced_ns: u64,
    pub(super) scales: &'a Scales,
}

const DAY_NS: u64 = 24 * 3_600 * 1_000_000_000;
const BLANK: Alpha<8> = [b' '; 8];

/// Appends the packet of a report: one for each, so that their numbers are their positions.
pub(super) fn put_report(report: &Report<'_>, moment: &Moment<'_>, out: &mut Vec<u8>) {
    Server::message(out, |out| write(report, moment, out));
}

/// The last packet of a numbering day.
pub(super) fn put_end_of_day(sequenced_ns: u64, out: &mut Vec<u8>) {
    let end = SystemEvent { timestamp: sequenced_ns % DAY_NS, event: code::event::END_OF_DAY };
    Server::message(out, |out| end.write(out, |_| {}));
}

fn write(report: &Report<'_>, moment: &Moment<'_>, out: &mut Vec<u8>) {
    let timestamp = moment.sequenced_ns % DAY_NS;
    let user_ref_num = report.number;
    let scale = |instrument: InstrumentId| moment.scales.get(instrument);
    let canceled = |quantity: Qty, reason, out: &mut Vec<u8>| {
        let quantity = quantity_of(quantity);
        OrderCanceled { timestamp, user_ref_num, quantity, reason }.write(out, |_| {});
    };
    match report.kind {
        ReportKind::DayBegun => {
            SystemEvent { timestamp, event: code::event::START_OF_DAY }.write(out, |_| {});
        }
        ReportKind::Accepted(order) => accepted(report, order, timestamp, moment, out),
        ReportKind::Executed(trade, fill) => executed(report, trade, fill, moment, out),
        ReportKind::Canceled(e) => {
            canceled(e.canceled_qty, canceled_by(e.cause), out);
        }
        ReportKind::Expired(e) => {
            let left = e.order.order_qty.lots().saturating_sub(e.order.cum_qty.lots());
            canceled(Qty::from_lots(left), expired_by(e.cause), out);
        }
        ReportKind::Amended(e) if number_of(&e.orig_cl_ord_id) != Some(user_ref_num) => {
            replaced(report, &e.order, &e.orig_cl_ord_id, timestamp, moment, out);
        }
        ReportKind::Amended(e) if e.request == LoweringRequest::Amend => {
            let side = side_of(&e.order, Flags(report.flags));
            let quantity = quantity_of(e.order.leaves_qty());
            OrderModified { timestamp, user_ref_num, side, quantity }.write(out, |_| {});
        }
        ReportKind::Amended(e) => {
            canceled(e.orig_order_qty - e.order.order_qty, code::cancel::USER, out);
        }
        ReportKind::Modified(e) => {
            replaced(report, &e.order, &e.orig_cl_ord_id, timestamp, moment, out);
        }
        ReportKind::Decremented(order, prevented) => {
            decremented(report, order, prevented, moment, out);
        }
        ReportKind::Repriced(order) => repriced(report, order, moment, out),
        ReportKind::Refreshed(e) => {
            let reason = code::restated::REFRESH_OF_DISPLAY;
            OrderRestated { timestamp, user_ref_num, reason }.write(out, |tags| {
                tags.put(tag::DISPLAY_QUANTITY, &quantity_of(e.shown_qty).to_be_bytes());
            });
        }
        ReportKind::Revised(e) => revised(report, e, moment, out),
        ReportKind::CancelRejected => CancelReject { timestamp, user_ref_num }.write(out, |_| {}),
        ReportKind::Rejected(reason, refusal) => {
            let code = if refusal.code > 0 { refusal.code } else { rejected_by(reason) };
            let cl_ord_id = text_of(&refusal.cl_ord_id);
            Rejected { timestamp, user_ref_num, reason: code, cl_ord_id }.write(out, |_| {});
        }
        ReportKind::NextNumber(next) => {
            let next_user_ref_num = u32::try_from(next).unwrap_or(u32::MAX);
            AccountQueryResponse { timestamp, next_user_ref_num }.write(out, |_| {});
        }
        ReportKind::MassCanceled(answered) => {
            let of = answered.instrument.map(scale);
            let symbol = of.and_then(|scale| scale.alpha).unwrap_or(BLANK);
            MassCancelResponse { timestamp, user_ref_num, firm: [b' '; 4], symbol }.write(
                out,
                |tags| {
                    of.iter().for_each(|scale| put_symbol(scale, tags));
                },
            );
        }
    }
}

fn executed(
    report: &Report<'_>,
    trade: &TradeExecuted,
    fill: &Fill,
    moment: &Moment<'_>,
    out: &mut Vec<u8>,
) {
    let hidden = fill.order.terms.is_some_and(|terms| terms.terms.hidden);
    let liquidity = match (std::ptr::eq(fill, &raw const trade.maker), hidden) {
        (true, false) => code::liquidity::ADDED,
        (true, true) => code::liquidity::HIDDEN_ADDED,
        (false, _) => code::liquidity::REMOVED,
    };
    let (price, ticks) = price_of(moment.scales.get(trade.instrument), trade.price);
    OrderExecuted {
        timestamp: moment.sequenced_ns % DAY_NS,
        user_ref_num: report.number,
        quantity: quantity_of(trade.qty),
        price,
        liquidity,
        match_number: reference(trade.instrument, trade.trade_id.0),
    }
    .write(out, |tags| put_ticks(ticks, tags));
}

fn repriced(report: &Report<'_>, order: &Order, moment: &Moment<'_>, out: &mut Vec<u8>) {
    let (price, ticks) = price_of(moment.scales.get(order.instrument), order.price);
    OrderPriorityUpdate {
        timestamp: moment.sequenced_ns % DAY_NS,
        user_ref_num: report.number,
        price,
        display: display_of(order),
        order_ref_num: reference(order.instrument, order.order_id.0),
    }
    .write(out, |tags| put_ticks(ticks, tags));
}

/// A broken trade, or the price that an operator gave it.
fn revised(report: &Report<'_>, revised: &FillRevised, moment: &Moment<'_>, out: &mut Vec<u8>) {
    let (timestamp, user_ref_num) = (moment.sequenced_ns % DAY_NS, report.number);
    let match_number = reference(revised.instrument, revised.trade_id.0);
    let cl_ord_id = text_of(&revised.cl_ord_id);
    let Some(price) = revised.price else {
        let reason = code::broken::SUPERVISORY;
        BrokenTrade { timestamp, user_ref_num, match_number, reason, cl_ord_id }.write(out, |_| {});
        return;
    };
    let (price, ticks) = price_of(moment.scales.get(revised.instrument), price);
    let reason = code::restated::CORRECTION_OF_TRADE;
    OrderRestated { timestamp, user_ref_num, reason }.write(out, |tags| {
        tags.put(tag::MATCH_NUMBER, &match_number.to_be_bytes());
        match ticks {
            Some(_) => put_ticks(ticks, tags),
            None => tags.put(tag::TRADE_PRICE, &price.to_be_bytes()),
        }
        let text = trimmed(&cl_ord_id);
        if !text.is_empty() {
            tags.put(tag::CL_ORD_ID, text);
        }
    });
}

fn decremented(
    report: &Report<'_>,
    order: &Order,
    prevented: &Prevented,
    moment: &Moment<'_>,
    out: &mut Vec<u8>,
) {
    let (price, ticks) = price_of(moment.scales.get(order.instrument), prevented.price);
    AiqCanceled {
        timestamp: moment.sequenced_ns % DAY_NS,
        user_ref_num: report.number,
        decrement: quantity_of(prevented.prevented_qty),
        reason: code::cancel::SELF_MATCH,
        prevented: quantity_of(prevented.qty),
        price,
        liquidity: code::liquidity::REMOVED,
        strategy: code::aiq::DECREMENT_BOTH,
    }
    .write(out, |tags| put_ticks(ticks, tags));
}

fn accepted(
    report: &Report<'_>,
    order: &Order,
    timestamp: u64,
    moment: &Moment<'_>,
    out: &mut Vec<u8>,
) {
    let scale = moment.scales.get(order.instrument);
    let flags = Flags(report.flags);
    let (price, ticks) = order_price(order, scale);
    OrderAccepted {
        timestamp,
        user_ref_num: report.number,
        side: side_of(order, flags),
        quantity: quantity_of(order.order_qty),
        symbol: scale.alpha.unwrap_or(BLANK),
        price,
        time_in_force: time_in_force_of(order, flags),
        display: display_of(order),
        order_ref_num: reference(order.instrument, order.order_id.0),
        capacity: flags.capacity(),
        intermarket_sweep: b'N',
        cross_type: cross_type_of(order),
        order_state: code::order_state::LIVE,
        cl_ord_id: text_of(&order.cl_ord_id),
    }
    .write(out, |tags| put_terms(order, scale, ticks, tags));
}

fn replaced(
    report: &Report<'_>,
    order: &Order,
    orig: &ClOrdId,
    timestamp: u64,
    moment: &Moment<'_>,
    out: &mut Vec<u8>,
) {
    let scale = moment.scales.get(order.instrument);
    let flags = Flags(report.flags);
    let (price, ticks) = order_price(order, scale);
    OrderReplaced {
        timestamp,
        orig_user_ref_num: number_of(orig).unwrap_or_default(),
        user_ref_num: report.number,
        side: side_of(order, flags),
        quantity: quantity_of(order.leaves_qty()),
        symbol: scale.alpha.unwrap_or(BLANK),
        price,
        time_in_force: time_in_force_of(order, flags),
        display: display_of(order),
        order_ref_num: reference(order.instrument, order.order_id.0),
        capacity: flags.capacity(),
        intermarket_sweep: b'N',
        cross_type: cross_type_of(order),
        order_state: code::order_state::LIVE,
        cl_ord_id: text_of(&order.cl_ord_id),
    }
    .write(out, |tags| put_terms(order, scale, ticks, tags));
}

/// What the fixed part has no field for.
fn put_terms(order: &Order, scale: &Scale, ticks: Option<i64>, tags: &mut Tags<'_>) {
    put_symbol(scale, tags);
    put_ticks(ticks, tags);
    if order.order_type == OrderType::LimitMaker {
        tags.put(tag::POST_ONLY, b"P");
    }
    let Some(terms) = order.terms else { return };
    let terms = terms.terms;
    for (tag, qty) in [(tag::MIN_QTY, terms.min_qty), (tag::MAX_FLOOR, terms.display_qty)] {
        if !qty.is_zero() {
            tags.put(tag, &quantity_of(qty).to_be_bytes());
        }
    }
}

fn put_symbol(scale: &Scale, tags: &mut Tags<'_>) {
    if scale.alpha.is_none() {
        tags.put(tag::SYMBOL, scale.symbol.as_bytes());
    }
}

fn put_ticks(ticks: Option<i64>, tags: &mut Tags<'_>) {
    if let Some(ticks) = ticks {
        tags.put(tag::PRICE_TICKS, &ticks.to_be_bytes());
    }
}

fn order_price(order: &Order, scale: &Scale) -> (u64, Option<i64>) {
    if order.order_type == OrderType::Market {
        return (MARKET_PRICE, None);
    }
    price_of(scale, order.price)
}

/// The price's field, or the ticks that an appendage has in its place.
fn price_of(scale: &Scale, price: Price) -> (u64, Option<i64>) {
    scale.field_of(price).map_or((0, Some(price.ticks())), |field| (field, None))
}

/// No order of OUCH has more than its field holds.
fn quantity_of(qty: Qty) -> u32 {
    u32::try_from(qty.lots()).unwrap_or(u32::MAX)
}

fn number_of(name: &ClOrdId) -> Option<u32> {
    name.numbered().map(|(name, _)| name.number)
}

fn text_of(name: &ClOrdId) -> Alpha<14> {
    name.numbered().and_then(|(_, text)| alpha(text)).unwrap_or([b' '; 14])
}

fn side_of(order: &Order, flags: Flags) -> u8 {
    match order.side {
        Side::Buy => code::side::BUY,
        Side::Sell => flags.sell(),
    }
}

fn time_in_force_of(order: &Order, flags: Flags) -> u8 {
    match order.time_in_force {
        TimeInForce::Ioc | TimeInForce::Fok => code::time_in_force::IMMEDIATE_OR_CANCEL,
        TimeInForce::Gtd => code::time_in_force::TILL_TIME,
        TimeInForce::Gtc => flags.resting(),
        TimeInForce::Day | TimeInForce::AtOpen | TimeInForce::AtClose => code::time_in_force::DAY,
    }
}

fn display_of(order: &Order) -> u8 {
    let hidden = order.terms.is_some_and(|terms| terms.terms.hidden);
    if hidden { code::display::HIDDEN } else { code::display::VISIBLE }
}

fn cross_type_of(order: &Order) -> u8 {
    match order.time_in_force {
        TimeInForce::AtOpen => code::cross_type::OPENING,
        TimeInForce::AtClose => code::cross_type::CLOSING,
        _ => code::cross_type::CONTINUOUS,
    }
}

fn canceled_by(cause: CancelCause) -> u8 {
    match cause {
        CancelCause::Requested
        | CancelCause::CancelAll
        | CancelCause::Replaced
        | CancelCause::Modified => code::cancel::USER,
        CancelCause::Delisted => code::cancel::CLOSED,
        CancelCause::KillSwitch => code::cancel::SUPERVISORY,
        CancelCause::Disconnected | CancelCause::OrderList => code::cancel::SYSTEM,
    }
}

fn expired_by(cause: ExpireCause) -> u8 {
    use ExpireCause as Cause;
    match cause {
        Cause::ImmediateOrCancel
        | Cause::FillOrKill
        | Cause::NoLiquidity
        | Cause::BalanceExhausted
        | Cause::BelowOneLot
        | Cause::MinQty => code::cancel::IMMEDIATE_OR_CANCEL,
        Cause::SelfTrade => code::cancel::SELF_MATCH,
        Cause::GoodTillDate | Cause::Day => code::cancel::TIMEOUT,
        Cause::AtOpen | Cause::AtClose | Cause::Phase => code::cancel::CLOSED,
        Cause::PriceBand => code::cancel::MARKET_COLLAR,
        Cause::WouldTakeLiquidity => code::cancel::POST_ONLY,
        Cause::OrderList | Cause::NotAllowed => code::cancel::SYSTEM,
    }
}

fn rejected_by(reason: RejectReason) -> u16 {
    use RejectReason as Reason;
    use code::reject;
    match reason {
        Reason::AccountKilled => reject::RESTRICTED,
        Reason::InstrumentDelisted | Reason::PhaseForbids => reject::DESTINATION_CLOSED,
        Reason::VenueHalted => reject::HALTED,
        Reason::OrderRateAboveMax => reject::PORT_MESSAGE_RATE,
        Reason::UnknownInstrument => reject::INVALID_SYMBOL,
        Reason::PriceBelowMin | Reason::PriceAboveMax => reject::INVALID_PRICE,
        Reason::PriceOutsidePercent | Reason::PriceOutsideCollar => reject::FAT_FINGER,
        Reason::NoPegReference => reject::PEGGING_NOT_ALLOWED,
        Reason::OrderQtyBelowMin
        | Reason::OrderQtyAboveMax
        | Reason::MarketQtyBelowMin
        | Reason::MarketQtyAboveMax => reject::INVALID_QUANTITY,
        Reason::DisplayQtyOutOfRange | Reason::TooManyIcebergParts => reject::INVALID_MAX_FLOOR,
        Reason::MinQtyAboveOrderQty => reject::INVALID_MIN_QUANTITY,
        Reason::OrderQtyAboveLimit => reject::SHARES_ABOVE_LIMIT,
        Reason::NotionalAboveMax | Reason::NotionalAboveLimit => reject::NOTIONAL_ABOVE_MAX,
        Reason::OpenNotionalAboveLimit
        | Reason::OpenOrdersAboveLimit
        | Reason::PositionAboveMax
        | Reason::PositionAboveLimit
        | Reason::InsufficientBalance => reject::EXPOSURE_ABOVE_LIMIT,
        Reason::NoLiquidity => reject::QUOTE_UNAVAILABLE,
        Reason::OrderNotFound | Reason::AmendNotAllowed => reject::REPLACE_NOT_ALLOWED,
        _ => reject::OTHER,
    }
}
