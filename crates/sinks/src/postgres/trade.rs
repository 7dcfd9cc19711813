//! Trades and their sides, written.

use projection::changes::{Changes, Part, Trade};
use projection::give_way;
use types::Side;

use crate::postgres::copy::{Rows, int, number};
use crate::postgres::failure::Failed;
use crate::postgres::map::Scope;
use crate::postgres::number::Wide;
use crate::postgres::session::Session;

pub(crate) async fn write_trades(
    session: &Session,
    changes: &Changes,
    scope: &Scope,
) -> Result<(), Failed> {
    let (mut trades, mut fills) = (Rows::new(10), Rows::new(12));
    let is_own = |made: &&Trade| {
        scope.has_public || scope.has(made.maker.account) || scope.has(made.taker.account)
    };
    for (at, made) in changes.trades.iter().filter(is_own).enumerate() {
        give_way(at);
        let Trade { instrument, sequence, command, trade, side, maker, taker } = made;
        if scope.has(maker.account) {
            put(&mut fills, made, maker, side.opposite(), true);
        }
        if scope.has(taker.account) {
            put(&mut fills, made, taker, *side, false);
        }
        if !scope.has_public {
            continue;
        }
        trades
            .row()
            .small(instrument.0)
            .uint(trade.trade_id.0)
            .uint(*sequence)
            .uint(trade.traded_ns)
            .long(trade.price.ticks())
            .uint(trade.qty.lots())
            .amount(trade.quote)
            .kind(side.number())
            .uint(*command)
            .uint(taker.order_id.0);
    }
    let copy = "COPY trades (instrument, trade_id, sequence, traded_ns, price, qty, quote, side, \
                command, taker_order_id) FROM STDIN (FORMAT binary)";
    session.copy(copy, trades).await?;
    let copy = "COPY fills (instrument, trade_id, is_maker, account, order_id, side, price, qty, \
                quote, fee, fee_asset, traded_ns) FROM STDIN (FORMAT binary)";
    session.copy(copy, fills).await
}

fn put(rows: &mut Rows, made: &Trade, part: &Part, side: Side, is_maker: bool) {
    let Trade { instrument, trade, .. } = made;
    rows.row()
        .small(instrument.0)
        .uint(trade.trade_id.0)
        .flag(is_maker)
        .account(part.account)
        .uint(part.order_id.0)
        .kind(side.number())
        .long(trade.price.ticks())
        .uint(trade.qty.lots())
        .amount(trade.quote)
        .amount(part.fee)
        .small(part.fee_asset.0)
        .uint(trade.traded_ns);
}

/// Busts and corrections. A trade from before history begins is not here.
pub(crate) async fn write_revisions(
    session: &Session,
    changes: &Changes,
    scope: &Scope,
) -> Result<(), Failed> {
    let is_own = scope.and_is_own();
    for (busted_ns, busted) in &changes.busts {
        let update = format!(
            "UPDATE fills SET busted_ns = $3 WHERE instrument = $1 AND trade_id = $2{is_own}"
        );
        let (instrument, trade_id) = (number(busted.instrument.0), int(busted.trade_id.0));
        session.execute(&update, &[&instrument, &trade_id, &int(*busted_ns)]).await?;
    }
    for (corrected_ns, corrected) in &changes.corrections {
        let update = format!(
            "UPDATE fills SET corrected_price = $3, corrected_quote = $4, corrected_ns = $5 \
             WHERE instrument = $1 AND trade_id = $2{is_own}"
        );
        let (instrument, trade_id) = (number(corrected.instrument.0), int(corrected.trade_id.0));
        let (price, quote) = (corrected.price.ticks(), Wide::from(corrected.quote));
        let corrected_ns = int(*corrected_ns);
        session.execute(&update, &[&instrument, &trade_id, &price, &quote, &corrected_ns]).await?;
    }
    Ok(())
}
