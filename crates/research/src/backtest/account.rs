//! The figures of one account in a report, and sums over all.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use strategy::job::AccountJob;
use strategy::statistics::{Figure, Row, maker_rows, rows};
use strategy::{Account, Context, Instrument, Journal, sheet};

/// What an account has earned, and its statistics.
pub(crate) struct AccountReport {
    name: String,
    fields: Map<String, Value>,
    pub(super) rows: Vec<Row>,
}

impl AccountReport {
    pub(super) fn of(
        account: &AccountJob,
        instruments: &[Instrument],
        context: &Context,
        journal: &Journal,
    ) -> Self {
        let mut fields = Map::new();
        fields.insert("account".to_owned(), json!(account.name));
        fields.insert("strategy".to_owned(), json!(account.strategy));
        put_sums(&mut fields, instruments, std::slice::from_ref(context), journal);
        let rows = rows(&journal.returns, &journal.trades)
            .into_iter()
            .chain(maker_rows(journal, instruments))
            .collect();
        Self { name: account.name.clone(), fields, rows }
    }

    /// All rows by name.
    pub(super) fn statistics(&self) -> Value {
        let field = |row: &Row| (row.name.to_owned(), figure_json(row.figure));
        Value::Object(self.rows.iter().map(field).collect())
    }

    pub(super) fn json(&self) -> Value {
        let mut fields = self.fields.clone();
        fields.insert("statistics".to_owned(), self.statistics());
        Value::Object(fields)
    }

    pub(super) fn write(&self, text: &mut String) {
        let strategy = self.fields["strategy"].as_str().unwrap_or_default();
        let _ = writeln!(text, "\naccount {}: {strategy}", self.name);
        write_sums(text, &self.fields);
        write_rows(text, &self.rows);
    }
}

/// Sums over accounts, with the record of them together.
pub(super) fn put_sums(
    fields: &mut Map<String, Value>,
    instruments: &[Instrument],
    contexts: &[Context],
    journal: &Journal,
) {
    let each = || contexts.iter().flat_map(|of| (0..instruments.len()).map(move |at| (of, at)));
    let money = |sum: fn(&Account) -> i128, unit: f64| -> f64 {
        let of = |(context, at): (&Context, usize)| {
            sum(context.account(at as u16)) as f64 / unit * instruments[at].unit_value()
        };
        each().map(of).sum()
    };
    let pnl: f64 = each().map(|(context, at)| context.pnl(at as u16)).sum();
    let position =
        |at: usize| -> i64 { contexts.iter().map(|context| context.position(at as u16)).sum() };
    let fee_units = strategy::FEE_UNITS as f64;
    let mut put = |name: &str, value| fields.insert(name.to_owned(), value);
    put("fills", json!(journal.totals.fills));
    put("orders", json!(journal.totals.orders));
    put("turnover", number(money(|account| account.turnover, 1.0)));
    put("pnl", number(pnl));
    put("fees", number(money(|account| account.fees, fee_units)));
    put("funding", number(money(|account| account.funding, fee_units)));
    put("sharpe", number(journal.returns.sharpe()));
    put("max_drawdown", number(journal.totals.max_drawdown));
    put("refused", json!(contexts.iter().map(Context::refused).sum::<u64>()));
    put("position_lots", json!((0..instruments.len()).map(position).collect::<Vec<_>>()));
}

/// The first lines of a report for a person.
pub(super) fn write_sums(text: &mut String, fields: &Map<String, Value>) {
    for name in ["orders", "fills", "turnover", "fees", "pnl"] {
        let value = fields.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let _ = writeln!(text, "{name:<24} {}", short(value));
    }
}

pub(super) fn write_rows(text: &mut String, rows: &[Row]) {
    for row in rows {
        let _ = writeln!(text, "{:<24} {}", row.name, sheet::figure_text(row.figure));
    }
}

fn short(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.4}") }
}

/// JSON has no infinities and no NaN: a figure that does not exist is null.
pub(super) fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn figure_json(figure: Figure) -> Value {
    match figure {
        Figure::Number(value) => number(value),
        Figure::Count(count) => json!(count),
        Figure::Moment(ns) | Figure::Nanoseconds(ns) => json!(ns),
    }
}
