//! Charts of the tear sheet, as SVG.

use std::fmt::Write;

use types::Side;

use super::{Heat, escape, moment};
use crate::instrument::Instrument;
use crate::journal::Sample;
use crate::order::Fill;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 220.0;
/// Points of a line, two for each column of the chart.
const POINTS: usize = 1_800;
const BINS: usize = 41;

/// A fill on a chart of prices.
pub(super) struct Mark {
    at_ns: i64,
    price: f64,
    side: Side,
}

pub(super) fn marks(fills: &[Fill], instruments: &[Instrument]) -> Vec<Mark> {
    let of_first = fills.iter().filter(|fill| fill.instrument == 0);
    let mark = |fill: &Fill| Mark {
        at_ns: fill.local_ns,
        price: fill.price.ticks() as f64 * instruments[0].tick_size(),
        side: fill.side,
    };
    of_first.map(mark).collect()
}

/// A line over time, with marks on it.
pub(super) fn line(samples: &[Sample], value: impl Fn(&Sample) -> f64, marks: &[Mark]) -> String {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return "<p>No samples.</p>".to_owned();
    };
    let values = || samples.iter().map(&value).filter(|value| *value != 0.0 || marks.is_empty());
    let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
    let span = (last.at_ns - first.at_ns).max(1) as f64;
    let x = |ns: i64| (ns - first.at_ns) as f64 / span * WIDTH;
    let height = if high > low { high - low } else { 1.0 };
    let y = |value: f64| HEIGHT - (value - low) / height * HEIGHT;
    let mut path = String::new();
    for sample in samples.iter().step_by(samples.len().div_ceil(POINTS)) {
        let value = value(sample);
        if value < low || value > high {
            continue;
        }
        let command = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{command}{:.1} {:.1}", x(sample.at_ns), y(value));
    }
    let mut dots = String::new();
    for mark in marks {
        let colour = if mark.side == Side::Buy { "#1a7f4b" } else { "#c62f3e" };
        let (x, y) = (x(mark.at_ns), y(mark.price).clamp(0.0, HEIGHT));
        let _ = write!(dots, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\" fill=\"{colour}\"/>");
    }
    format!(
        "<svg viewBox=\"-5 -20 910 260\" role=\"img\"><text y=\"-6\" font-size=\"12\">{high:.4}\
         </text><text y=\"236\" font-size=\"12\">{low:.4} | {} - {}</text><path d=\"{path}\" \
         fill=\"none\" stroke=\"#2457c5\"/>{dots}</svg>",
        moment(first.at_ns),
        moment(last.at_ns)
    )
}

/// How often the equity changed by how much from sample to sample.
pub(super) fn bars(samples: &[Sample]) -> String {
    let changes = || samples.windows(2).map(|pair| pair[1].pnl - pair[0].pnl);
    let most = changes().map(f64::abs).fold(0.0, f64::max);
    if most == 0.0 {
        return "<p>It did not change.</p>".to_owned();
    }
    let mut counts = [0u32; BINS];
    for change in changes() {
        let at = ((change / most + 1.0) / 2.0 * (BINS - 1) as f64).round() as usize;
        counts[at.min(BINS - 1)] += 1;
    }
    // Logarithms, because most samples change nothing.
    let height = |count: u32| f64::from(count).ln_1p();
    let highest = counts.iter().copied().map(height).fold(1.0, f64::max);
    let width = WIDTH / BINS as f64;
    let mut rects = String::new();
    for (at, count) in counts.iter().enumerate() {
        let tall = height(*count) / highest * HEIGHT;
        let _ = write!(
            rects,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\" fill=\"#2457c5\">\
             <title>{count}</title></rect>",
            at as f64 * width,
            HEIGHT - tall,
            width - 1.0
        );
    }
    format!(
        "<svg viewBox=\"-5 -5 910 250\" role=\"img\">{rects}<text y=\"236\" font-size=\"12\">\
         {:.4} to {most:.4}, counts on a logarithmic scale</text></svg>",
        -most
    )
}

/// The first parameter downwards, the others across.
pub(super) fn heat_table(heat: &Heat) -> String {
    let values = || heat.cells.iter().map(|(_, value)| *value);
    let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
    let mut across: Vec<&[String]> = Vec::new();
    let mut down: Vec<&str> = Vec::new();
    for (point, _) in &heat.cells {
        if !across.contains(&&point[1..]) {
            across.push(&point[1..]);
        }
        if !down.contains(&point[0].as_str()) {
            down.push(&point[0]);
        }
    }
    let mut table = format!("<table><tr><th>{}", escape(&heat.names.join(" / ")));
    for column in &across {
        let _ = write!(table, "<th>{}", escape(&column.join(", ")));
    }
    for row in down {
        let _ = write!(table, "<tr><th>{}", escape(row));
        for column in &across {
            let cell =
                heat.cells.iter().find(|(point, _)| point[0] == row && point[1..] == **column);
            let Some((point, value)) = cell else {
                table.push_str("<td>");
                continue;
            };
            let part = if high > low { (value - low) / (high - low) } else { 0.5 };
            let best = if *point == heat.best { " class=\"best\"" } else { "" };
            let light = 92.0 - part * 40.0;
            let _ =
                write!(table, "<td{best} style=\"background:hsl(150 45% {light:.0}%)\">{value:.4}");
        }
    }
    table.push_str("</table>");
    table
}
