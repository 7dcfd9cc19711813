//! Candles, written: what a page traded is added to what is there.

use projection::changes::{Changes, LEVELS};

use crate::postgres::copy::{int, number};
use crate::postgres::failure::Failed;
use crate::postgres::number::Wide;
use crate::postgres::session::Session;

/// Sums end at what 128 bits hold, as everywhere in the venue.
const UPSERT: &str = "INSERT INTO candles AS c (instrument, \"interval\", open_ns, open, high, low, \
    close, volume_lots, quote, taker_buy_lots, taker_buy_quote, trade_count, first_trade, \
    last_trade) \
    SELECT * FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], \
    $6::bigint[], $7::bigint[], $8::numeric[], $9::numeric[], $10::numeric[], $11::numeric[], \
    $12::bigint[], $13::bigint[], $14::bigint[]) \
    ON CONFLICT (instrument, \"interval\", open_ns) DO UPDATE SET \
    high = greatest(c.high, excluded.high), low = least(c.low, excluded.low), \
    close = excluded.close, \
    volume_lots = least(c.volume_lots + excluded.volume_lots, $15::numeric), \
    quote = least(c.quote + excluded.quote, $15::numeric), \
    taker_buy_lots = least(c.taker_buy_lots + excluded.taker_buy_lots, $15::numeric), \
    taker_buy_quote = least(c.taker_buy_quote + excluded.taker_buy_quote, $15::numeric), \
    trade_count = c.trade_count + excluded.trade_count, last_trade = excluded.last_trade";

pub(crate) async fn write_candles(session: &Session, changes: &Changes) -> Result<(), Failed> {
    let candles = changes.candles();
    if candles.is_empty() {
        return Ok(());
    }
    macro_rules! column {
        (|$key:pat_param, $candle:ident| $value:expr) => {
            candles.iter().map(|($key, $candle)| $value).collect::<Vec<_>>()
        };
    }
    let instruments = column!(|(instrument, _, _), _candle| number(instrument.0));
    let intervals = column!(|(_, level, _), _candle| LEVELS[*level].name());
    let opens_ns = column!(|(_, _, open_ns), _candle| int(*open_ns));
    let opens = column!(|_, candle| candle.open.ticks());
    let highs = column!(|_, candle| candle.high.ticks());
    let lows = column!(|_, candle| candle.low.ticks());
    let closes = column!(|_, candle| candle.close.ticks());
    let volumes = column!(|_, candle| Wide(candle.volume_lots));
    let quotes = column!(|_, candle| Wide::from(candle.quote));
    let bought = column!(|_, candle| Wide(candle.taker_buy_lots));
    let bought_quotes = column!(|_, candle| Wide::from(candle.taker_buy_quote));
    let counts = column!(|_, candle| int(candle.trade_count));
    let first = column!(|_, candle| int(candle.first_trade.0));
    let last = column!(|_, candle| int(candle.last_trade.0));
    session
        .execute(
            UPSERT,
            &[
                &instruments,
                &intervals,
                &opens_ns,
                &opens,
                &highs,
                &lows,
                &closes,
                &volumes,
                &quotes,
                &bought,
                &bought_quotes,
                &counts,
                &first,
                &last,
                &Wide(i128::MAX),
            ],
        )
        .await?;
    Ok(())
}
