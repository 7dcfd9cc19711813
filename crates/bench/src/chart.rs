//! Drawings as SVG: bars, lines, a histogram, shares of a whole.

use std::fmt::Write as _;

const WIDTH: f64 = 880.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 24.0;
const TOP: f64 = 8.0;
const GRID_LINES: u32 = 4;

#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A bar for each point, from nothing up.
pub(super) fn bars(points: &[Point], x_unit: &str, y_unit: &str) -> String {
    let mut svg = Svg::begin();
    let top = svg.grid(points.iter().map(|point| point.y), y_unit);
    let width = (WIDTH - LEFT) / points.len().max(1) as f64;
    for (at, point) in points.iter().enumerate() {
        let x = LEFT + at as f64 * width;
        let height = (HEIGHT - TOP - BOTTOM) * point.y / top;
        svg.put(format_args!(
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\">\
             <title>{:.0} {x_unit}: {:.0} {y_unit}</title></rect>",
            x + width * 0.1,
            HEIGHT - BOTTOM - height,
            width * 0.8,
            point.x,
            point.y
        ));
        // About ten names, however many bars.
        if at % (points.len() / 10 + 1) == 0 {
            svg.below(x + width / 2.0, &format!("{:.0} {x_unit}", point.x));
        }
    }
    svg.end()
}

/// Lines over one another; `name` says what a place on the x axis is called.
pub(super) fn lines(lines: &[Vec<Point>], name: impl Fn(f64) -> String) -> String {
    let mut svg = Svg::begin();
    let all = || lines.iter().flatten();
    let top = svg.grid(all().map(|point| point.y), "");
    let least = all().map(|point| point.x).fold(f64::INFINITY, f64::min);
    let most = all().map(|point| point.x).fold(f64::NEG_INFINITY, f64::max);
    let span = if most > least { most - least } else { 1.0 };
    let x = |value: f64| LEFT + (WIDTH - LEFT - 24.0) * (value - least) / span;
    for (at, line) in lines.iter().enumerate() {
        svg.put(format_args!("<polyline class=\"l{at}\" points=\""));
        for point in line {
            let y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * point.y / top;
            svg.put(format_args!("{:.1},{y:.1} ", x(point.x)));
        }
        svg.put(format_args!("\"/>"));
    }
    if least.is_finite() {
        let step = (span / 10.0).ceil().max(1.0);
        let mut at = least.ceil();
        while at <= most {
            svg.below(x(at), &name(at));
            at += step;
        }
    }
    svg.end()
}

/// Upper bounds of buckets, which grow, and how many there are in each.
pub(super) fn histogram(buckets: &[(f64, u64)]) -> String {
    let mut svg = Svg::begin();
    let top = svg.grid(buckets.iter().map(|(_, count)| *count as f64), "");
    let width = (WIDTH - LEFT) / buckets.len().max(1) as f64;
    for (at, (upper, count)) in buckets.iter().enumerate() {
        let x = LEFT + at as f64 * width;
        let height = (HEIGHT - TOP - BOTTOM) * *count as f64 / top;
        svg.put(format_args!(
            "<rect class=\"bar\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\">\
             <title>up to {upper:.3} ms: {count}</title></rect>",
            HEIGHT - BOTTOM - height,
            width * 0.9
        ));
        if at % (buckets.len() / 10 + 1) == 0 {
            svg.below(x + width / 2.0, &format!("{upper:.2}"));
        }
    }
    svg.end()
}

/// One bar, divided.
pub(super) fn shares(shares: &[(&str, f64)]) -> String {
    let height = 64.0;
    let mut svg = Svg(format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">"));
    let mut x = 0.0;
    for (at, (name, share)) in shares.iter().enumerate() {
        let width = WIDTH * share;
        svg.put(format_args!(
            "<rect class=\"s{at}\" x=\"{x:.1}\" y=\"0\" width=\"{width:.1}\" height=\"32\">\
             <title>{name} {:.1} %</title></rect>",
            share * 100.0
        ));
        // Where there is room for its name.
        if width > 48.0 {
            svg.put(format_args!("<text x=\"{:.1}\" y=\"50\">{name}</text>", x + 2.0));
        }
        x += width;
    }
    svg.end()
}

/// Drawings below one another under their titles, as a file of its own.
pub(super) fn file(drawings: &[(&str, String)]) -> String {
    const TITLE: f64 = 28.0;
    let height = (TITLE + HEIGHT) * drawings.len() as f64;
    let mut svg = Svg(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\"><style>\
         text {{ fill: #60646c; font: 11px system-ui, sans-serif; }} .title {{ font-size: 14px; }} \
         .grid {{ stroke: #d9d9e0; }} .l0 {{ stroke: #2166c4; fill: none; stroke-width: 2; }}</style>\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>"
    ));
    for (at, (title, drawing)) in drawings.iter().enumerate() {
        let top = (TITLE + HEIGHT) * at as f64;
        let placed = format!("<svg y=\"{}\" width=\"{WIDTH}\" height=\"{HEIGHT}\"", top + TITLE);
        let drawing = drawing.replacen("<svg", &placed, 1);
        svg.put(format_args!(
            "\n<text class=\"title\" x=\"{LEFT}\" y=\"{}\">{title}</text>\n{drawing}",
            top + 20.0
        ));
    }
    svg.end()
}

struct Svg(String);

impl Svg {
    fn begin() -> Self {
        Self(format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">"))
    }

    /// Lines across, up to a round number above all values, which is given back.
    fn grid(&mut self, values: impl Iterator<Item = f64>, unit: &str) -> f64 {
        let top = round_above(values.fold(0.0, f64::max));
        for line in 0..=GRID_LINES {
            let part = f64::from(line) / f64::from(GRID_LINES);
            let y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part;
            let value = short(top * part);
            self.put(format_args!(
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value} {unit}</text>",
                LEFT - 8.0,
                y + 4.0
            ));
        }
        top
    }

    fn below(&mut self, x: f64, text: &str) {
        let y = HEIGHT - 6.0;
        self.put(format_args!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{text}</text>"));
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        self.0.write_fmt(text).expect("a string takes all that is written to it");
    }

    fn end(mut self) -> String {
        self.0.push_str("</svg>");
        self.0
    }
}

/// The next of 1, 2, 4, 5, 8 and 10 times a power of ten.
fn round_above(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 4.0, 5.0, 8.0, 10.0];
    steps.iter().map(|step| step * power).find(|bound| *bound >= value).unwrap_or(10.0 * power)
}

pub(super) fn short(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        large if large >= 1e6 => format!("{}M", large / 1e6),
        large if large >= 1e4 => format!("{}k", large / 1e3),
        large if large >= 10.0 => format!("{large:.0}"),
        small => format!("{small:.3}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (value, expected) in
            [(0.0, 1.0), (1.0, 1.0), (1.1, 2.0), (37.0, 40.0), (9_001.0, 10_000.0)]
        {
            assert!((round_above(value) - expected).abs() < 1e-9, "{value}");
        }
        assert_eq!(short(25_000.0), "25k");
        assert_eq!(short(0.25), "0.25");
    }

    #[test]
    fn nothing_at_all_is_drawn_as_well() {
        assert!(bars(&[], "s", "").ends_with("</svg>"));
        assert!(lines(&[Vec::new()], |x| x.to_string()).ends_with("</svg>"));
        assert!(histogram(&[]).ends_with("</svg>"));
    }
}
