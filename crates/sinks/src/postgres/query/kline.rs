//! Candles of any interval in any time zone, from those of days, hours, minutes and seconds.

use marketdata::Window;
use projection::compose::kline::{Plan, Span, spans_since, sum};
use projection::{Klines, WindowSince};
use types::{Candle, InstrumentId, Price};

use crate::postgres::column::{self, CANDLE, Cells};
use crate::postgres::failure::Failed;
use crate::postgres::query::select::{Select, bound, small};
use crate::postgres::session::Session;

pub(super) async fn klines(session: &Session, asked: &Klines) -> Result<Vec<Candle>, Failed> {
    let mut select = Select::new("SELECT open_ns FROM candles WHERE \"interval\" = '1s'");
    select.with(" AND instrument = ", small(asked.instrument.0)).text(" ORDER BY open_ns LIMIT 1");
    let first_ns = select.first(session, |row| Cells::new(row).uint()).await?;
    let Some(first_ns) = first_ns else { return Ok(Vec::new()) };
    let Some(plan) = Plan::new(asked, first_ns) else { return Ok(Vec::new()) };
    let parts = within(session, asked.instrument, &plan.spans).await?;
    let close = last_close_before(session, asked.instrument, plan.from_ns()).await?;
    Ok(plan.candles(&parts, close))
}

pub(super) async fn window(session: &Session, asked: &WindowSince) -> Result<Window, Failed> {
    let WindowSince { instrument, from_ns } = *asked;
    let candle = sum(within(session, instrument, &spans_since(from_ns)).await?);
    Ok(Window { candle, before: last_close_before(session, instrument, from_ns).await? })
}

/// One span after the other.
async fn within(
    session: &Session,
    instrument: InstrumentId,
    spans: &[Span],
) -> Result<Vec<Candle>, Failed> {
    let levels: Vec<&'static str> = spans.iter().map(|span| span.level.name()).collect();
    let from: Vec<i64> = spans.iter().map(|span| bound(span.from_ns)).collect();
    let to: Vec<i64> = spans.iter().map(|span| bound(span.to_ns)).collect();
    let mut select = Select::new(&format!("SELECT {CANDLE} FROM unnest("));
    select
        .with("", levels)
        .with("::text[], ", from)
        .with("::bigint[], ", to)
        .text(
            "::bigint[]) WITH ORDINALITY s (level, from_ns, to_ns, number) \
             CROSS JOIN LATERAL (SELECT * FROM candles k WHERE k.\"interval\" = s.level \
             AND k.open_ns >= s.from_ns AND k.open_ns < s.to_ns",
        )
        .with(" AND k.instrument = ", small(instrument.0))
        .text(") c ORDER BY s.number, c.open_ns");
    select.all(session, column::candle).await
}

async fn last_close_before(
    session: &Session,
    instrument: InstrumentId,
    time_ns: u64,
) -> Result<Option<Price>, Failed> {
    let mut select = Select::new("SELECT close FROM candles WHERE \"interval\" = '1s'");
    select
        .with(" AND instrument = ", small(instrument.0))
        .with(" AND open_ns < ", bound(time_ns))
        .text(" ORDER BY open_ns DESC LIMIT 1");
    select.first(session, |row| Cells::new(row).price()).await
}
