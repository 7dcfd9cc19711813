//! Aggregate trades, put together of trades as they were made.

use marketdata::PublicTrade;
use types::{AggTrade, OrderId, Price};

/// A trade, and what it has in common with the others of its aggregate.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub trade: PublicTrade,
    /// Where the command began that led to it.
    pub command: u64,
    pub taker: OrderId,
}

/// Aggregate trades that begin within a range of ids.
#[derive(Debug)]
pub struct AggPage {
    from_id: i64,
    before_id: i64,
    limit: usize,
    all: marketdata::AggTrades,
    complete: Vec<AggTrade>,
}

impl AggPage {
    /// Those that begin with `from_id` or later, and before `before_id`.
    pub fn new(from_id: i64, before_id: i64, limit: usize) -> Self {
        let all = marketdata::AggTrades::default();
        Self { from_id, before_id, limit, all, complete: Vec::new() }
    }

    /// The trades to push begin here: the one before shows whether the first begins anything.
    pub fn first_id(&self) -> i64 {
        self.from_id.saturating_sub(1)
    }

    /// Takes the next trade, in rising order. Returns whether more are needed.
    pub fn push(&mut self, part: &Part) -> bool {
        let Part { trade, command, taker } = part;
        let Some(done) = self.all.push_public(*command, *taker, trade) else { return true };
        if self.begins_there(&done) {
            self.complete.push(done);
        }
        self.complete.len() != self.limit && id(trade) < self.before_id
    }

    pub fn finish(mut self) -> Vec<AggTrade> {
        if let Some(last) = self.all.take()
            && self.begins_there(&last)
        {
            self.complete.push(last);
        }
        self.complete.truncate(self.limit);
        self.complete
    }

    fn begins_there(&self, trade: &AggTrade) -> bool {
        let first = i64::try_from(trade.first_trade.0).unwrap_or(i64::MAX);
        self.from_id <= first && first < self.before_id
    }
}

/// Finds where the first of the last aggregate trades begins that begin before a trade.
#[derive(Debug)]
pub struct LastBegin {
    begin: i64,
    count: usize,
    limit: usize,
    last: Option<(u64, OrderId, Price, bool)>,
}

impl LastBegin {
    pub fn new(before_id: i64, limit: usize) -> Self {
        Self { begin: before_id, count: 0, limit, last: None }
    }

    /// Takes the next trade, in falling order. Returns whether more are needed.
    pub fn push(&mut self, part: &Part) -> bool {
        let Part { trade, command, taker } = part;
        let in_common = Some((*command, *taker, trade.price, trade.is_buyer_maker));
        if self.last != in_common {
            if self.count == self.limit {
                return false;
            }
            self.count += 1;
            self.last = in_common;
        }
        self.begin = id(trade);
        true
    }

    pub fn begin(&self) -> i64 {
        self.begin
    }
}

fn id(trade: &PublicTrade) -> i64 {
    i64::try_from(trade.trade_id.0).unwrap_or(i64::MAX)
}
