//! Messages in the bytes of ITCH.

use marketdata::{Fact, OrderMessage, Said, SessionEvent, ShownOrder, TradingStatus};
use protocol::itch::code::{
    authenticity, cross_type, direction, event, flag, price_variation, printable, side,
    trading_state,
};
use protocol::itch::message::{
    AddOrder, Alpha, BrokenTrade, CrossTrade, DeclineStatus, Head, Imbalance, OrderCanceled,
    OrderDeleted, OrderExecuted, OrderExecutedAtPrice, OrderReplaced, StockDirectory, SystemEvent,
    Trade, TradingAction,
};
use types::{InstrumentId, Phase, Qty, Side};

use crate::feed::reference::{event_reference, reference};
use crate::itch::names::{Name, Names};

const DAY_NS: u64 = 24 * 3_600 * 1_000_000_000;

/// Appends a message.
pub(super) fn put_message(message: &OrderMessage, names: &Names, out: &mut Vec<u8>) {
    let timestamp = message.sequenced_ns % DAY_NS;
    let of_all = Head { timestamp, ..Head::default() };
    match message.said {
        Said::Session(begun) => {
            SystemEvent { head: of_all, event: event_code(begun) }.write(out);
        }
        Said::VenueHalted(level) => {
            DeclineStatus { head: of_all, breached: b'0' + level.min(9) }.write(out);
        }
        Said::Of(id, fact) => put_fact((id, names.get(id)), fact, timestamp, out),
    }
}

/// Appends an order that stands.
pub(super) fn put_order(
    id: InstrumentId,
    order: &ShownOrder,
    sequenced_ns: u64,
    names: &Names,
    out: &mut Vec<u8>,
) {
    let ShownOrder { order_id, side, price, qty } = *order;
    let added = Fact::Added { order_id, side, price, qty };
    put_fact((id, names.get(id)), added, sequenced_ns % DAY_NS, out);
}

fn put_fact((id, name): (InstrumentId, &Name), fact: Fact, timestamp: u64, out: &mut Vec<u8>) {
    let head = Head { locate: name.locate, tracking: 0, timestamp };
    let stock = name.stock;
    let of = |number| reference(id, number);
    match fact {
        Fact::Listed => directory(head, stock).write(out),
        Fact::Status(status) => action(head, stock, status).write(out),
        Fact::Added { order_id, side, price, qty } => {
            let (order_ref, side, price) = (of(order_id.0), side_code(side), name.price(price));
            AddOrder { head, order_ref, side, shares: qty, stock, price }.write(out);
        }
        Fact::Executed { order_id, qty, trade_id } => {
            let (order_ref, match_number) = (of(order_id.0), of(trade_id.0));
            OrderExecuted { head, order_ref, shares: qty, match_number }.write(out);
        }
        Fact::ExecutedAt { order_id, qty, trade_id, price, in_auction } => {
            OrderExecutedAtPrice {
                head,
                order_ref: of(order_id.0),
                shares: qty,
                match_number: of(trade_id.0),
                printable: if in_auction { printable::NO } else { printable::YES },
                price: name.price(price),
            }
            .write(out);
        }
        Fact::Reduced { order_id, qty } => {
            OrderCanceled { head, order_ref: of(order_id.0), shares: qty }.write(out);
        }
        Fact::Deleted { order_id } => OrderDeleted { head, order_ref: of(order_id.0) }.write(out),
        Fact::Replaced { order_id, new_order_id, price, qty } => {
            let (order_ref, new_order_ref) = (of(order_id.0), of(new_order_id.0));
            let price = name.price(price);
            OrderReplaced { head, order_ref, new_order_ref, shares: qty, price }.write(out);
        }
        Fact::Traded { side, price, qty, trade_id } => {
            let (side, price) = (side_code(side), name.price(price));
            let match_number = of(trade_id.0);
            Trade { head, order_ref: 0, side, shares: qty, stock, price, match_number }.write(out);
        }
        Fact::Crossed { auction, price, volume, instrument_seq } => {
            let (shares, price) = (volume.lots(), name.price(price));
            let match_number = event_reference(id, instrument_seq);
            let cross_type = cross_code(auction);
            CrossTrade { head, shares, stock, price, match_number, cross_type }.write(out);
        }
        Fact::Broken { trade_id } => {
            BrokenTrade { head, match_number: of(trade_id.0) }.write(out);
        }
        Fact::Indicated { auction, price, volume, surplus, surplus_side } => {
            let direction = match (price, surplus_side) {
                (None, _) => direction::INSUFFICIENT,
                _ if surplus == Qty::ZERO => direction::NONE,
                (_, Side::Buy) => direction::BUY,
                (_, Side::Sell) => direction::SELL,
            };
            let price = price.map_or(0, |price| name.price(price));
            let shares = [volume, surplus].map(Qty::lots);
            imbalance(head, stock, shares, direction, price, auction).write(out);
        }
    }
}

fn imbalance(
    head: Head,
    stock: Alpha<8>,
    [paired_shares, imbalance_shares]: [u64; 2],
    direction: u8,
    price: u32,
    auction: Phase,
) -> Imbalance {
    Imbalance {
        head,
        paired_shares,
        imbalance_shares,
        direction,
        stock,
        far_price: price,
        near_price: price,
        reference_price: price,
        cross_type: cross_code(auction),
        price_variation: price_variation::NOT_CALCULATED,
    }
}

fn directory(head: Head, stock: Alpha<8>) -> StockDirectory {
    StockDirectory {
        head,
        stock,
        market_category: flag::NOT_AVAILABLE,
        financial_status: flag::NOT_AVAILABLE,
        round_lot_size: 1,
        round_lots_only: flag::NO,
        issue_classification: OTHER_SECURITIES,
        issue_sub_type: NOT_APPLICABLE,
        authenticity: authenticity::LIVE,
        short_sale_threshold: flag::NOT_AVAILABLE,
        is_new: flag::NOT_AVAILABLE,
        price_band_tier: flag::NOT_AVAILABLE,
        is_exchange_traded_product: flag::NOT_AVAILABLE,
        leverage: 0,
        is_inverse: flag::NO,
    }
}

const OTHER_SECURITIES: u8 = b'Q';
const NOT_APPLICABLE: Alpha<2> = *b"Z ";

fn action(head: Head, stock: Alpha<8>, status: TradingStatus) -> TradingAction {
    let (trading_state, reason) = match status {
        TradingStatus::In(Phase::Continuous) => (trading_state::TRADING, *b"    "),
        TradingStatus::In(Phase::PreOpen) => (trading_state::QUOTATION_ONLY, *b"PREO"),
        TradingStatus::In(Phase::OpeningAuction) => (trading_state::QUOTATION_ONLY, *b"OPEN"),
        TradingStatus::In(Phase::VolatilityAuction) => (trading_state::PAUSED, *b"LUDP"),
        TradingStatus::In(Phase::ClosingAuction) => (trading_state::QUOTATION_ONLY, *b"CLOS"),
        TradingStatus::In(Phase::Halt) => (trading_state::HALTED, *b"HALT"),
        TradingStatus::In(Phase::Closed) => (trading_state::HALTED, *b"SHUT"),
        TradingStatus::VenueHalted(level) => {
            (trading_state::HALTED, [b'M', b'W', b'C', b'0' + level.min(9)])
        }
        TradingStatus::Delisted => (trading_state::HALTED, *b"GONE"),
    };
    TradingAction { head, stock, trading_state, reserved: b' ', reason }
}

fn event_code(session: SessionEvent) -> u8 {
    match session {
        SessionEvent::StartOfMessages => event::START_OF_MESSAGES,
        SessionEvent::StartOfSystemHours => event::START_OF_SYSTEM_HOURS,
        SessionEvent::StartOfMarketHours => event::START_OF_MARKET_HOURS,
        SessionEvent::EndOfMarketHours => event::END_OF_MARKET_HOURS,
        SessionEvent::EndOfSystemHours => event::END_OF_SYSTEM_HOURS,
        SessionEvent::EndOfMessages => event::END_OF_MESSAGES,
    }
}

fn side_code(side: Side) -> u8 {
    match side {
        Side::Buy => side::BUY,
        Side::Sell => side::SELL,
    }
}

fn cross_code(auction: Phase) -> u8 {
    match auction {
        Phase::PreOpen | Phase::OpeningAuction => cross_type::OPENING,
        Phase::ClosingAuction => cross_type::CLOSING,
        _ => cross_type::HALTED_OR_NEW,
    }
}
