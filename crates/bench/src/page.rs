//! The figures as one page that needs nothing but itself: style and drawings lie in it.

use std::fmt::Write as _;

use super::chart::{self, Point};
use super::figures::Figures;
use super::memory::Sample;
use super::step::{Age, Step};
use super::tally::Tally;

const STYLE: &str = include_str!("page.css");

pub(super) fn page(figures: &Figures, total: &Tally, command: &str) -> String {
    let f = figures;
    let mut page = Page(String::new());
    let title = format!("buttonwood bench {}", f.scenario);
    page.raw(&format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
         <style>{STYLE}</style><main><h1>{title}</h1><p class=\"sub\">{}</p>",
        escaped(&f.machine.sentence())
    ));
    page.tiles(f);
    page.figure("Orders a second", &chart::bars(&rates(f), "s", ""));
    page.figure("Latency over time, ms: p50 (blue) and p99 (orange) of each second", &over_time(f));
    page.figure("Latency by percentile, ms", &percentiles(total));
    page.figure("How many orders took how long, ms", &chart::histogram(&buckets(total)));
    page.readers(f);
    page.memory(f);
    page.stages(f);
    page.against(f);
    page.types(f);
    page.resources(f);
    page.errors(f);
    page.raw(&format!(
        "<h2>Repeat it</h2><pre>{}</pre><p class=\"sub\">{}</p></main>",
        escaped(command),
        escaped(&f.versions.sentence())
    ));
    page.0
}

fn rates(f: &Figures) -> Vec<Point> {
    let point = |(at, second): (usize, &super::figures::Second)| Point {
        x: at as f64 + 1.0,
        y: second.orders as f64,
    };
    f.seconds.iter().enumerate().map(point).collect()
}

fn over_time(f: &Figures) -> String {
    let line = |pick: fn(&super::figures::Second) -> f64| -> Vec<Point> {
        let point = |(at, second)| Point { x: at as f64 + 1.0, y: pick(second) };
        f.seconds.iter().enumerate().map(point).collect()
    };
    chart::lines(&[line(|second| second.p50_ms), line(|second| second.p99_ms)], |x| {
        format!("{x:.0} s")
    })
}

/// So far out as there are orders to speak of.
fn percentiles(total: &Tally) -> String {
    let nines_max = (total.orders.max(10) as f64).log10();
    let steps = 60;
    let point = |step: usize| {
        let nines = nines_max * step as f64 / steps as f64;
        Point { x: nines, y: total.quantile_ms(1.0 - 10_f64.powf(-nines)) }
    };
    let name = |nines: f64| match nines.round() as u32 {
        0 => "min".to_owned(),
        1 => "90 %".to_owned(),
        2 => "99 %".to_owned(),
        more => format!("99.{} %", "9".repeat(more as usize - 2)),
    };
    chart::lines(&[(0..=steps).map(point).collect()], name)
}

/// Each a quarter longer than the one before.
fn buckets(total: &Tally) -> Vec<(f64, u64)> {
    let histogram = total.histogram();
    let (mut buckets, mut upper) = (Vec::new(), histogram.min().max(1) as f64);
    let mut lower = 0;
    while lower < histogram.max() {
        let count = histogram.count_between(lower + 1, upper as u64);
        buckets.push((upper / 1e6, count));
        lower = upper as u64;
        upper = (upper * 1.25).max(upper + 1.0);
    }
    buckets
}

struct Page(String);

impl Page {
    fn raw(&mut self, html: &str) {
        self.0.push_str(html);
    }

    fn figure(&mut self, title: &str, drawing: &str) {
        let title = escaped(title);
        self.raw(&format!("<section><h2>{title}</h2>{drawing}</section>"));
    }

    fn tiles(&mut self, f: &Figures) {
        let success = format!("{:.3} %", f.success_rate * 100.0);
        let rate = format!("{:.0}", f.orders_per_s);
        let bare = match f.bare_handler_per_s > 0.0 {
            true => format!("{:.2} of the bare handler's", f.most_per_s() / f.bare_handler_per_s),
            false => String::new(),
        };
        let load =
            format!("{} loop, {} clients, durability {}", f.loop_kind, f.clients, f.durability);
        let p99_9 = format!("p99.9 {:.3} ms", f.latency.p99_9_ms);
        let mean = format!("mean {:.3} ms", f.latency.mean_ms);
        self.raw("<div class=\"tiles\">");
        if let Some(highest) = &f.highest {
            let rate = format!("{:.0}", highest.orders_per_s);
            self.tile("highest rate, closed loop", &rate, &bare);
        }
        let of = match (f.rate, f.ramp_s) {
            (Some(asked), 0) => format!("{asked:.0} asked for"),
            (Some(asked), ramp_s) => format!("rising to {asked:.0} over {ramp_s} s"),
            (None, _) => bare,
        };
        self.tile("orders a second", &rate, &of);
        self.tile("p50", &format!("{:.3} ms", f.latency.p50_ms), &mean);
        self.tile("p99", &format!("{:.3} ms", f.latency.p99_ms), &p99_9);
        self.tile("succeeded", &success, &format!("{} orders", f.orders));
        self.raw(&format!("</div><p class=\"sub\">{}</p>", escaped(&load)));
    }

    fn tile(&mut self, name: &str, value: &str, below: &str) {
        let below = escaped(below);
        self.raw(&format!("<div><small>{name}</small><b>{value}</b><small>{below}</small></div>"));
    }

    fn readers(&mut self, f: &Figures) {
        let Some(steps) = &f.by_readers else { return };
        let bars = |pick: fn(&Step) -> f64, unit| {
            let point =
                |(readers, step): (&usize, &Step)| Point { x: *readers as f64, y: pick(step) };
            chart::bars(&steps.iter().map(point).collect::<Vec<_>>(), "readers", unit)
        };
        let closed = bars(|step| step.closed_orders_per_s, "orders a second");
        self.figure("Orders a second in a closed loop, by readers of the depth stream", &closed);
        let messages = bars(|step| step.messages_per_s, "messages a second");
        self.figure("Depth updates delivered a second", &messages);
        let row = |(readers, step): (&usize, &Step)| {
            let age = step.order_to_update_ms;
            let age = |pick: fn(&Age) -> f64| {
                age.as_ref().map_or(String::new(), |age| format!("{:.1}", pick(age)))
            };
            vec![
                readers.to_string(),
                format!("{:.0}", step.closed_orders_per_s),
                format!("{:.1} %", step.throughput_loss * 100.0),
                format!("{:.3}", step.latency.p50_ms),
                format!("{:.3}", step.latency.p99_ms),
                format!("{:.0}", step.messages_per_s),
                age(|age| age.p50),
                age(|age| age.p99),
                step.gaps.to_string(),
                step.readers_behind.to_string(),
            ]
        };
        let heads = [
            "readers",
            "orders/s, closed loop",
            "lost",
            "p50, ms, open loop",
            "p99",
            "messages/s",
            "order to update p50, ms",
            "p99",
            "gaps",
            "behind",
        ];
        let rows: Vec<_> = steps.iter().map(row).collect();
        self.figure("What readers cost", &table(&heads, &rows));
    }

    fn memory(&mut self, f: &Figures) {
        let Some(memory) = &f.memory else { return };
        let point = |sample: &Sample| Point { x: sample.at_s / 60.0, y: sample.rss_mb };
        let line = memory.samples.iter().map(point).collect();
        let title = format!(
            "Memory, MB: {:+.2} % a million orders after the first tenth, {:.2} % is allowed",
            memory.growth_percent_per_million, memory.growth_percent_per_million_max
        );
        self.figure(&title, &chart::lines(&[line], |minutes| format!("{minutes:.0} min")));
    }

    fn stages(&mut self, f: &Figures) {
        if f.stages.is_empty() {
            return;
        }
        let stages = super::stages::in_order(&f.stages);
        let shares: Vec<_> = stages.iter().map(|stage| (stage.name, stage.share)).collect();
        let row = |stage: &&super::stages::Stage| {
            vec![
                stage.name.to_owned(),
                format!("{:.1}", stage.p50_us),
                format!("{:.1}", stage.p99_us),
                format!("{:.1} %", stage.share * 100.0),
            ]
        };
        let rows: Vec<_> = stages.iter().map(row).collect();
        let table = table(&["stage", "p50, us", "p99, us", "share of the time"], &rows);
        self.figure("Where the time goes", &format!("{}{table}", chart::shares(&shares)));
    }

    fn against(&mut self, f: &Figures) {
        let most = if f.highest.is_some() { "highest rate" } else { "orders a second" };
        let mut rows = vec![
            row(most, f.most_per_s(), "bare handler", f.bare_handler_per_s, 0),
            row("mean, ms", f.latency.mean_ms, "bare handler", f.bare_handler.mean_ms, 3),
            row("p99, ms", f.latency.p99_ms, "bare handler", f.bare_handler.p99_ms, 3),
            row("p50, ms", f.latency.p50_ms, "loopback", f.loopback_us / 1e3, 3),
        ];
        if let Some(open) = f.bare_handler.open {
            let name = "bare handler at that rate";
            rows.push(row("p95, ms", f.latency.p95_ms, name, open.latency.p95_ms, 3));
            rows.push(row("p99, ms", f.latency.p99_ms, name, open.latency.p99_ms, 3));
        }
        if let Some(disk) = f.disk_fdatasync_ms {
            rows.push(row("p50, ms", f.latency.p50_ms, "fdatasync p50", disk.p50, 3));
            rows.push(row("p99, ms", f.latency.p99_ms, "fdatasync p99", disk.p99, 3));
        }
        if let Some(other) = &f.beside {
            let (url, latency) = (&other.url, other.latency);
            rows.push(row(most, f.most_per_s(), url, other.most_per_s(), 0));
            rows.push(row("mean, ms", f.latency.mean_ms, url, latency.mean_ms, 3));
            rows.push(row("p99, ms", f.latency.p99_ms, url, latency.p99_ms, 3));
        }
        let table = table(&["", "venue", "measured in the same minute", "", "ratio"], &rows);
        self.figure("Against what the machine can do", &table);
    }

    fn types(&mut self, f: &Figures) {
        let row = |(name, of): (&String, &super::figures::ByType)| {
            let l = of.latency;
            let values = [l.mean_ms, l.p50_ms, l.p90_ms, l.p99_ms, l.p99_9_ms, l.max_ms];
            let values = values.iter().map(|value| format!("{value:.3}"));
            std::iter::once(name.clone()).chain([of.orders.to_string()]).chain(values).collect()
        };
        let rows: Vec<Vec<String>> = f.by_type.iter().map(row).collect();
        let heads = ["type", "orders", "mean, ms", "p50", "p90", "p99", "p99.9", "max"];
        self.figure("By type of order", &table(&heads, &rows));
    }

    fn resources(&mut self, f: &Figures) {
        let mut rows = Vec::new();
        let mut add = |name: &str, value: Option<f64>, digits: usize| {
            if let Some(value) = value {
                rows.push(vec![name.to_owned(), format!("{value:.digits$}")]);
            }
        };
        add("CPU of the venue, s", f.cpu_s, 2);
        add("CPU of the clients, s", Some(f.client_cpu_s), 2);
        add("CPU per million orders, s", f.cpu_s_per_million_orders, 1);
        add("money per million orders", f.cost_per_million_orders, 4);
        add("memory, MB", f.rss_mb, 1);
        add("page faults", f.page_faults.map(|count| count as f64), 0);
        add("context switches", f.context_switches.map(|count| count as f64), 0);
        add("disk, bytes an order", f.disk_bytes_per_order, 0);
        add("network, bytes an order", Some(f.bytes_per_order), 0);
        add("network, packets an order", f.packets_per_order, 2);
        add("trades an order", Some(f.trades_per_order), 3);
        for thread in f.threads.iter().filter(|thread| thread.cpu_s > 0.0) {
            add(&format!("thread {}, CPU s", thread.name), Some(thread.cpu_s), 2);
        }
        self.figure("What it took", &table(&["", ""], &rows));
    }

    fn errors(&mut self, f: &Figures) {
        if f.errors.is_empty() {
            return;
        }
        let row = |(cause, count): (&String, &u64)| vec![cause.clone(), count.to_string()];
        let rows: Vec<_> = f.errors.iter().map(row).collect();
        self.figure("Errors", &table(&["cause", "orders"], &rows));
    }
}

fn row(name: &str, venue: f64, of: &str, other: f64, digits: usize) -> Vec<String> {
    let ratio = if other > 0.0 { format!("{:.2}", venue / other) } else { String::new() };
    vec![
        name.to_owned(),
        format!("{venue:.digits$}"),
        of.to_owned(),
        format!("{other:.digits$}"),
        ratio,
    ]
}

fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let mut html = String::from("<table><tr>");
    for head in heads {
        put(&mut html, format_args!("<th>{head}</th>"));
    }
    for row in rows {
        html.push_str("</tr><tr>");
        for cell in row {
            put(&mut html, format_args!("<td>{}</td>", escaped(cell)));
        }
    }
    html.push_str("</tr></table>");
    html
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes all that is written to it");
}
