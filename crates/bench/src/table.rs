//! The figures for whoever looks at a terminal.

use std::fmt::Write as _;

use super::figures::{BareOpen, Figures, Highest};
use super::latency::Latency;
use super::memory::Memory;
use super::resting::Resting;

pub(super) fn table(figures: &Figures) -> String {
    let mut out = Table(String::new());
    let f = figures;
    out.line("scenario", format!("{}, {}", f.scenario, load(f)));
    out.line("machine", f.machine.sentence());
    out.line("version", f.versions.sentence());
    out.line(
        "orders",
        format!(
            "{:.0}/s, best second {:.0}/s; {} in {:.1} s",
            f.orders_per_s, f.orders_per_s_peak, f.orders, f.duration_s
        ),
    );
    if let Some(highest) = &f.highest {
        out.line("highest rate", loop_of(highest));
    }
    let errors: u64 = f.errors.values().sum();
    out.line("succeeded", format!("{:.4} %, {errors} errors", f.success_rate * 100.0));
    for (cause, count) in &f.errors {
        out.line("", format!("{count} x {cause}"));
    }
    out.line(
        "matched",
        format!("{:.0} trades/s, {:.3} an order", f.matched_per_s, f.trades_per_order),
    );
    if let Some(book) = f.book {
        out.line(
            "book",
            format!("{} bid and {} ask levels at the end", book.bid_levels, book.ask_levels),
        );
    }
    if let Some(Resting { wanted, begin, end, least, most, looks }) = f.resting {
        out.line(
            "resting",
            format!(
                "{begin} orders at the begin and {end} at the end, {least} at the least and {most} at most in \
                 {looks} looks; {wanted} were asked for"
            ),
        );
    }
    out.latencies(f);
    out.readers(f);
    out.memory(f);
    out.stages(f);
    out.reference(f);
    out.cost(f);
    out.0
}

fn load(f: &Figures) -> String {
    let clients = match f.clients {
        1 => "1 client".to_owned(),
        clients => format!("{clients} clients"),
    };
    let rate = match (f.rate, f.ramp_s) {
        (Some(rate), 0) => format!(" at {rate:.0}/s"),
        (Some(rate), ramp_s) => format!(" at {rate:.0}/s when all have joined, after {ramp_s} s"),
        (None, 0) => String::new(),
        (None, ramp_s) => format!(" that clients join over {ramp_s} s"),
    };
    let agents = if f.agents == 1 { "process" } else { "processes" };
    let (kind, durability) = (f.loop_kind, &f.durability);
    format!("{kind} loop{rate}, {clients} in {} {agents}, durability {durability}", f.agents)
}

/// What stands beside the open loop that has half of it.
fn loop_of(highest: &Highest) -> String {
    let Highest { duration_s, orders_per_s, latency: Latency { p50_ms, p99_ms, .. }, errors } =
        highest;
    let errors: u64 = errors.values().sum();
    format!(
        "{orders_per_s:.0}/s in a closed loop of {duration_s} s, p50 {p50_ms:.3} ms, p99 {p99_ms:.3} ms, \
         {errors} errors"
    )
}

struct Table(String);

impl Table {
    fn line(&mut self, name: &str, text: impl std::fmt::Display) {
        writeln!(self.0, "{name:14}{text}").expect("a string takes all that is written to it");
    }

    fn latencies(&mut self, f: &Figures) {
        self.line("", "");
        let heads = ["min", "mean", "p50", "p75", "p90", "p95", "p99", "p99.9", "max"];
        let heads: String = heads.iter().map(|head| format!("{head:>9}")).collect();
        self.line("latency, ms", format!("{heads}{:>11}", "orders"));
        self.latency("all", &f.latency, f.orders);
        for (name, by_type) in &f.by_type {
            self.latency(name, &by_type.latency, by_type.orders);
        }
    }

    fn latency(&mut self, name: &str, latency: &Latency, orders: u64) {
        let Latency { min_ms, mean_ms, p50_ms, p75_ms, p90_ms, p95_ms, p99_ms, p99_9_ms, max_ms } =
            *latency;
        let values = [min_ms, mean_ms, p50_ms, p75_ms, p90_ms, p95_ms, p99_ms, p99_9_ms, max_ms];
        let values: String = values.iter().map(|value| format!("{value:9.3}")).collect();
        self.line(name, format!("{values}{orders:11}"));
    }

    /// Of each number of readers; what stands above is of the last.
    fn readers(&mut self, f: &Figures) {
        let Some(steps) = &f.by_readers else { return };
        self.line("", "");
        let heads = ["closed/s", "lost", "open/s", "p50, ms", "p99, ms", "cores"];
        let heads: String = heads.iter().map(|head| format!("{head:>9}")).collect();
        self.line("readers", format!("{heads}  errors"));
        for (readers, step) in steps {
            let Latency { p50_ms, p99_ms, .. } = step.latency;
            let (closed, open, errors) = (step.closed_orders_per_s, step.orders_per_s, step.errors);
            let lost = step.throughput_loss * 100.0;
            let cores = step.cores.map_or(String::new(), |cores| format!("{cores:.2}"));
            self.line(
                &readers.to_string(),
                format!(
                    "{closed:9.0}{lost:8.1}%{open:9.0}{p50_ms:9.3}{p99_ms:9.3}{cores:>9}{errors:8}"
                ),
            );
        }
        self.line("", "");
        self.line("order to depth update, ms; the stream has one every 100 ms", "");
        let heads = ["messages/s", "bytes", "p50", "p99", "max", "probes", "gaps", "behind"];
        let heads: String = heads.iter().map(|head| format!("{head:>11}")).collect();
        self.line("readers", heads);
        for (readers, step) in steps {
            let Some(age) = step.order_to_update_ms else { continue };
            let (messages, bytes) = (step.messages_per_s, step.bytes_per_message);
            let values = [messages, bytes, age.p50, age.p99, age.max];
            let values: String = values.iter().map(|value| format!("{value:11.1}")).collect();
            let counts = [step.probes, step.gaps, step.readers_behind];
            let counts: String = counts.iter().map(|count| format!("{count:11}")).collect();
            self.line(&readers.to_string(), format!("{values}{counts}"));
            for (cause, count) in &step.reader_errors {
                self.line("", format!("{count} x {cause}"));
            }
        }
    }

    fn memory(&mut self, f: &Figures) {
        let Some(memory) = &f.memory else { return };
        self.line("", "");
        let Memory { settled_mb, end_mb, highest_mb, growth_mb, samples, .. } = memory;
        self.line(
            "memory",
            format!(
                "{settled_mb:.1} MB after the first tenth, {end_mb:.1} at the end, {highest_mb:.1} at most; {} looks",
                samples.len()
            ),
        );
        let verdict = if memory.is_flat { "flat" } else { "NOT FLAT" };
        self.line(
            "",
            format!(
                "{verdict}: {growth_mb:+.2} MB since, {:+.2} MB or {:+.2} % a million orders, {:.2} % is allowed",
                memory.growth_mb_per_million,
                memory.growth_percent_per_million,
                memory.growth_percent_per_million_max
            ),
        );
        let resting = samples.iter().map(|sample| sample.resting_qty);
        let last = samples.last().map_or(0.0, |sample| sample.resting_qty);
        let most = resting.fold(0.0, f64::max);
        self.line("", format!("{last:.0} units rest in the book at the end, {most:.0} at most"));
    }

    fn stages(&mut self, f: &Figures) {
        if f.stages.is_empty() {
            return;
        }
        self.line("", "");
        self.line("stage, us", format!("{:>9}{:>9}{:>9}", "p50", "p99", "share"));
        for stage in super::stages::in_order(&f.stages) {
            let share = stage.share * 100.0;
            let text = format!("{:9.1}{:9.1}{share:8.1}%", stage.p50_us, stage.p99_us);
            self.line(stage.name, text);
        }
    }

    fn reference(&mut self, f: &Figures) {
        self.line("", "");
        if let Some(disk) = f.disk_fdatasync_ms {
            let text = format!("fdatasync of 4 KiB p50 {:.3} ms, p99 {:.3} ms", disk.p50, disk.p99);
            self.line("same minute", text);
        }
        self.line("", format!("loopback TCP round trip {:.1} us", f.loopback_us));
        let bare = f.bare_handler;
        let text = format!(
            "bare signed handler {:.0}/s, mean {:.3} ms, p99 {:.3} ms",
            f.bare_handler_per_s, bare.mean_ms, bare.p99_ms
        );
        self.line("", text);
        if let Some(BareOpen { rate, latency: Latency { mean_ms, p95_ms, p99_ms, .. } }) = bare.open
        {
            self.line(
                "",
                format!(
                    "bare signed handler at {rate:.0}/s: mean {mean_ms:.3} ms, p95 {p95_ms:.3} ms, p99 {p99_ms:.3} ms"
                ),
            );
        }
        self.beside(f);
    }

    fn beside(&mut self, f: &Figures) {
        let Some(other) = &f.beside else { return };
        let Latency { mean_ms, p99_ms, .. } = other.latency;
        let (rate, succeeded) = (other.orders_per_s, other.success_rate * 100.0);
        self.line(
            "beside",
            format!("{}: {rate:.0}/s, mean {mean_ms:.3} ms, p99 {p99_ms:.3} ms", other.url),
        );
        if let Some(highest) = &other.highest {
            self.line("", format!("highest rate {}", loop_of(highest)));
        }
        let (times, part) = (f.most_per_s() / other.most_per_s(), f.latency.p99_ms / p99_ms);
        let compared = match other.highest {
            Some(_) => {
                format!("{times:.1} times the highest rate; {part:.2} of its p99, each at half")
            }
            None => format!("{times:.1} times the rate, {part:.2} of its p99"),
        };
        self.line("", format!("{succeeded:.4} % succeeded; the venue: {compared}"));
    }

    fn cost(&mut self, f: &Figures) {
        self.line("", "");
        if let (Some(cpu_s), Some(rss_mb)) = (f.cpu_s, f.rss_mb) {
            let text =
                format!("{cpu_s:.2} s of CPU, {rss_mb:.1} MB; clients {:.2} s", f.client_cpu_s);
            self.line("venue", text);
        }
        if let Some(per_million) = f.cpu_s_per_million_orders {
            let cost = f.cost_per_million_orders;
            let cost = cost.map_or(String::new(), |cost| format!(", {cost:.4} in money"));
            self.line("a million", format!("{per_million:.1} s of CPU{cost}"));
        }
        self.line("an order", format!("{:.0} bytes of HTTP{}", f.bytes_per_order, per_order(f)));
        for thread in f.threads.iter().filter(|thread| thread.cpu_s > 0.0) {
            self.line("thread", format!("{:18}{:7.2} s", thread.name, thread.cpu_s));
        }
    }
}

fn per_order(f: &Figures) -> String {
    let (Some(packets), Some(disk)) = (f.packets_per_order, f.disk_bytes_per_order) else {
        return String::new();
    };
    let switches = f.context_switches.map_or(0.0, |all| super::latency::per(all as f64, f.orders));
    format!(", {packets:.1} packets, {disk:.0} bytes of disk, {switches:.2} context switches")
}
