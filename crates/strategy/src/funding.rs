//! Funding: what holders of positions pay each other at stated times, as in perpetual futures.
//!
//! At each time a position pays its value at the mark times the rate: a long one pays a positive
//! rate, a short one receives it. The amount is exact to half of the unit of [`Account::funding`].

use std::io::BufRead;
use std::sync::Arc;

use thiserror::Error;

use crate::account::{Account, RATE_DECIMALS};
use crate::context::Context;

const HEADER: &str = "time,rate";

/// Rates by their times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Funding {
    /// Time, and rate in 10^-8.
    rows: Arc<[(i64, i64)]>,
    next: usize,
}

/// A line of a file of rates is none.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {reason}")]
pub struct FundingError {
    pub line: usize,
    pub reason: String,
}

impl Funding {
    /// Reads CSV with the header `time,rate`: times as recordings have them, rates as decimals with
    /// at most eight places, such as `0.0001`.
    pub fn read(input: impl BufRead) -> Result<Self, FundingError> {
        let mut rows: Vec<(i64, i64)> = Vec::new();
        for (at, line) in input.lines().enumerate() {
            let fail = |reason: String| FundingError { line: at + 1, reason };
            let line = line.map_err(|error| fail(error.to_string()))?;
            let line = line.trim_end();
            if at == 0 {
                if line != HEADER {
                    return Err(fail(format!("the header is not {HEADER}")));
                }
                continue;
            }
            let row = parse(line).map_err(fail)?;
            if rows.last().is_some_and(|last| last.0 >= row.0) {
                return Err(fail("the time is not after that of the line above".to_owned()));
            }
            rows.push(row);
        }
        Ok(Self { rows: rows.into(), next: 0 })
    }

    /// Leaves out what was due before a run.
    pub(crate) fn skip_until(&mut self, ns: i64) {
        self.next = self.rows.partition_point(|(at_ns, _)| *at_ns < ns);
    }

    /// When the next payment is due, `i64::MAX` after the last.
    #[inline]
    pub(crate) fn next_ns(&self) -> i64 {
        self.rows.get(self.next).map_or(i64::MAX, |(at_ns, _)| *at_ns)
    }

    /// Pays what is due up to `ns`, at present marks.
    pub(crate) fn pay(&mut self, ns: i64, context: &mut Context) {
        while let Some((at_ns, rate)) = self.rows.get(self.next)
            && *at_ns <= ns
        {
            self.next += 1;
            for view in &mut context.views {
                let Some(twice) = view.twice_mark() else { continue };
                let Account { position, funding, .. } = &mut view.account;
                *funding += i128::from(*position) * i128::from(twice) * i128::from(*rate) / 2;
            }
        }
    }
}

fn parse(line: &str) -> Result<(i64, i64), String> {
    let (time, rate) = line.split_once(',').ok_or("it is not a time and a rate")?;
    let at_ns = recorded::time_ns(time).ok_or_else(|| format!("{time:?} is no time"))?;
    let (sign, digits) = rate.strip_prefix('-').map_or((1, rate), |digits| (-1, digits));
    let units = types::parse_decimal(digits, RATE_DECIMALS as u8);
    let units = units.and_then(|units| i64::try_from(units).ok());
    let units = units.ok_or_else(|| {
        format!("{rate:?} is no rate with at most {RATE_DECIMALS} decimals, such as 0.0001")
    })?;
    Ok((at_ns, sign * units))
}

#[cfg(test)]
mod tests {
    use types::{Increment, Price, Qty, Side};

    use super::*;
    use crate::account::{FEE_UNITS, Fees};
    use crate::instrument::Instrument;
    use crate::risk::RiskLimits;

    #[track_caller]
    fn check(lines: &str, expected: Result<&[(i64, i64)], &str>) {
        let read = Funding::read(format!("{HEADER}\n{lines}").as_bytes());
        let found = read.as_ref().map(|funding| &*funding.rows).map_err(ToString::to_string);
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn rates_are_read_or_refused() {
        let rows = [(1_723_075_200_000_000_000, 10_000), (1_723_104_000_000_000_000, -1)];
        check("1723075200000,0.0001\n2024-08-08 08:00:00,-0.00000001", Ok(&rows));
        check("1723075200000", Err("line 2: it is not a time and a rate"));
        check("noon,0.0001", Err("line 2: \"noon\" is no time"));
        let finer = "\"0.000000001\" is no rate with at most 8 decimals, such as 0.0001";
        check("1723075200000,0.000000001", Err(&format!("line 2: {finer}")));
        let late = "line 3: the time is not after that of the line above";
        check("1723075200000,0\n1723075200000,0", Err(late));
        let error = Funding::read(&b"a,b"[..]).expect_err("no header").to_string();
        assert_eq!(error, "line 1: the header is not time,rate");
    }

    #[test]
    fn a_long_position_pays_a_positive_rate_and_a_short_one_receives_it() {
        let one = Increment { units: 1, decimals: 0 };
        let named = ["LONG", "SHORT", "FLAT"].map(|name| Instrument::new(name, one, one));
        let mut context = Context::new(named.into(), Fees::default(), RiskLimits::default());
        let price = Price::from_ticks(200);
        for (at, side) in [(0, Side::Buy), (1, Side::Sell)] {
            let account = &mut context.views[at].account;
            account.apply(side, price, Qty::from_lots(3), true, 0);
        }
        for view in &mut context.views {
            view.last_price = Some(price);
        }
        let mut funding = Funding { rows: [(5, 10_000), (9, -20_000)].into(), next: 0 };
        funding.pay(4, &mut context);
        assert_eq!((funding.next_ns(), context.account(0).funding), (5, 0));
        funding.pay(5, &mut context);
        // 3 x 200 x 0.0001 of a tick-lot.
        let paid = FEE_UNITS * 600 / 10_000;
        let of = |context: &Context| [0, 1, 2].map(|at| context.account(at).funding);
        assert_eq!(of(&context), [paid, -paid, 0]);
        assert_eq!(context.account(0).equity(400), -paid);
        funding.pay(100, &mut context);
        assert_eq!((funding.next_ns(), of(&context)), (i64::MAX, [-paid, paid, 0]));
        funding.skip_until(9);
        assert_eq!(funding.next_ns(), 9);
    }
}
