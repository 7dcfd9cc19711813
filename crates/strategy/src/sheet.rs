//! The tear sheet: one HTML page without scripts and without anything from elsewhere.

mod chart;

use std::fmt::Write;

use self::chart::{bars, heat_table, line};
use crate::job::{AccountJob, Done, Job};
use crate::journal::{Journal, Sample, side_name};
use crate::order::number_in_account;
use crate::statistics::{Figure, maker_rows, rows};

/// Results of a sweep: the value of each point.
#[derive(Clone, Debug, Default)]
pub struct Heat {
    pub names: Vec<String>,
    pub cells: Vec<(Vec<String>, f64)>,
    pub best: Vec<String>,
}

const STYLE: &str = "body{font:14px system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
padding:0 1rem;color:#1c2024;background:#fff}h1{font-size:1.4rem}h2{font-size:1.1rem;\
margin-top:2rem}table{border-collapse:collapse}td,th{padding:.15rem .6rem;text-align:right;\
font-variant-numeric:tabular-nums}td:first-child,th:first-child{text-align:left}\
.warning{background:#fff3cd;padding:.5rem .8rem}svg{width:100%;height:auto}\
.two{columns:2}.best{outline:2px solid #1c2024}\
@media(max-width:40rem){.two{columns:1}table{display:block;overflow-x:auto}}";

/// The page of a run, with the heat map of the sweep that it is the best of.
pub fn render(job: &Job, done: &Done, warnings: &[String], heat: Option<&Heat>) -> String {
    let mut page = String::new();
    let names: Vec<&str> =
        job.setup.instruments.iter().map(|instrument| instrument.name.as_str()).collect();
    let strategies: Vec<&str> = job.accounts.iter().map(|of| of.strategy.as_str()).collect();
    let title = format!("{} on {}", escape(&strategies.join(", ")), escape(&names.join(", ")));
    // Writing to a string does not fail.
    let _ = write!(
        page,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style><h1>{title}</h1>"
    );
    for warning in warnings {
        let _ = write!(page, "<p class=\"warning\">{}</p>", escape(warning));
    }
    if let Some(whole) = &done.ran.whole {
        let samples = &whole.samples;
        let _ = write!(page, "<h2>All accounts</h2>{}", line(samples, |sample| sample.pnl, &[]));
        let _ = write!(page, "<h2>Draw-down</h2>{}", line(&falls(samples), |of| of.pnl, &[]));
    }
    if let Some(heat) = heat {
        let tried = heat.cells.len();
        let _ = write!(page, "<h2>Sweep: the best of {tried} runs</h2>{}", heat_table(heat));
    }
    for (account, journal) in job.accounts.iter().zip(&done.journals) {
        if job.accounts.len() > 1 {
            let AccountJob { name, strategy, .. } = account;
            let _ = write!(page, "<h1>{}: {}</h1>", escape(name), escape(strategy));
        }
        account_part(&mut page, job, account, journal);
    }
    page.push_str("</html>\n");
    page
}

fn account_part(page: &mut String, job: &Job, account: &AccountJob, journal: &Journal) {
    let samples = &journal.samples;
    let instruments = &job.setup.instruments;
    let values: Vec<String> =
        account.values.list().map(|(name, value)| format!("{name} = {value}")).collect();
    let _ = write!(page, "<p>{}</p>", escape(&values.join(", ")));
    let _ = write!(page, "<h2>Profit and loss</h2>{}", line(samples, |sample| sample.pnl, &[]));
    let downs = falls(samples);
    let _ = write!(page, "<h2>Draw-down</h2>{}", line(&downs, |sample| sample.pnl, &[]));
    let _ = write!(
        page,
        "<h2>Price and fills of {}</h2>{}",
        escape(instruments.first().map_or("", |of| of.name.as_str())),
        line(samples, |sample| sample.mark, &chart::marks(&journal.fills, instruments))
    );
    let inventory = line(samples, |sample| sample.position as f64, &[]);
    let _ = write!(page, "<h2>Inventory in lots</h2>{inventory}");
    let _ = write!(page, "<h2>Changes of the equity</h2>{}", bars(samples));
    months(page, samples);
    let _ = write!(page, "<h2>Figures</h2><div class=\"two\"><table>");
    let all = rows(&journal.returns, &journal.trades);
    for row in all.iter().chain(&maker_rows(journal, instruments)) {
        let figure = figure_text(row.figure);
        let _ = write!(page, "<tr><td>{}<td>{figure}", escape(row.name));
    }
    let _ = write!(page, "</table></div>");
    last_fills(page, job, journal);
}

/// The fall below the highest value so far.
fn falls(samples: &[Sample]) -> Vec<Sample> {
    let mut best = 0f64;
    let fall = |sample: &Sample| {
        best = best.max(sample.pnl);
        Sample { pnl: sample.pnl - best, ..*sample }
    };
    samples.iter().map(fall).collect()
}

fn months(page: &mut String, samples: &[Sample]) {
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut before = 0.0;
    for sample in samples {
        let month = date(sample.at_ns)[..7].to_owned();
        let change = sample.pnl - before;
        before = sample.pnl;
        match found.last_mut() {
            Some((last, sum)) if *last == month => *sum += change,
            _ => found.push((month, change)),
        }
    }
    let _ = write!(page, "<h2>Profit by month</h2><table>");
    for (month, sum) in found {
        let _ = write!(page, "<tr><td>{month}<td>{sum:.4}");
    }
    let _ = write!(page, "</table>");
}

/// Fills in the table of the page.
const FILLS_SHOWN: usize = 200;

fn last_fills(page: &mut String, job: &Job, journal: &Journal) {
    let fills = &journal.fills;
    let shown = fills.len().min(FILLS_SHOWN);
    let all = journal.totals.fills;
    let _ = write!(
        page,
        "<h2>First {shown} of {all} fills</h2><table><tr><th>Time<th>Order\
        <th>Side<th>Price<th>Quantity<th>Why"
    );
    for fill in &fills[..shown] {
        let instrument = &job.setup.instruments[usize::from(fill.instrument)];
        let _ = write!(
            page,
            "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}",
            moment(fill.exchange_ns),
            number_in_account(fill.order_id),
            side_name(fill.side),
            instrument.tick.text(i128::from(fill.price.ticks()), 0),
            instrument.lot.text(i128::from(fill.qty.lots()), 0),
            fill.cause.name(),
        );
    }
    let _ = write!(page, "</table>");
}

/// A figure for a person.
pub fn figure_text(figure: Figure) -> String {
    match figure {
        Figure::Number(value) if value.is_finite() => format!("{value:.6}"),
        Figure::Number(_) => "-".to_owned(),
        Figure::Count(count) => count.to_string(),
        Figure::Moment(ns) => moment(ns),
        Figure::Nanoseconds(ns) => span(ns),
    }
}

fn span(ns: i64) -> String {
    let seconds = ns / 1_000_000_000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (hours, minutes, seconds) = (rest / 3_600, rest / 60 % 60, rest % 60);
    let ms = ns / 1_000_000 % 1_000;
    format!("{days} days {hours:02}:{minutes:02}:{seconds:02}.{ms:03}")
}

fn moment(ns: i64) -> String {
    let in_day = ns.div_euclid(1_000_000).rem_euclid(86_400_000);
    let (seconds, ms) = (in_day / 1_000, in_day % 1_000);
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    format!("{} {hours:02}:{minutes:02}:{:02}.{ms:03}", date(ns), seconds % 60)
}

/// The day by UTC, from the count of days since 1970 (Hinnant, "chrono-compatible low-level date
/// algorithms").
fn date(ns: i64) -> String {
    let days = ns.div_euclid(86_400_000_000_000) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_days_and_times() {
        assert_eq!(moment(0), "1970-01-01 00:00:00.000");
        assert_eq!(moment(1_723_161_256_298_000_000), "2024-08-08 23:54:16.298");
        assert_eq!(date(951_782_400_000_000_000), "2000-02-29");
        assert_eq!(moment(-1_000_000), "1969-12-31 23:59:59.999");
        assert_eq!(span(90_061_002_000_000), "1 days 01:01:01.002");
    }

    #[test]
    fn names_cannot_become_markup() {
        assert_eq!(escape("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;>&amp;");
    }
}
