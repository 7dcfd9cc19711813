//! What the venue reports of orders, in order and without a gap.

use tokio::sync::mpsc;

/// Reports that may wait to be read. Beyond it the way reads no more until some are taken.
pub(super) const WAITING_MAX: usize = 65_536;

/// Something that happened to an order.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Report {
    /// Its number among the way's reports: the next subscription asks for the one after it. Zero
    /// where the venue does not number them, as Binance does not: then those of the time without a
    /// connection are missing.
    pub sequence: u64,
    /// `#` and a number for an order of OUCH that was entered without a name, or before the first
    /// report that was read.
    pub client_order_id: String,
    /// When the venue did it, in nanoseconds since 1970 by its clock; `None` over OUCH and
    /// gRPC.
    pub time_ns: Option<i64>,
    pub kind: ReportKind,
}

impl Report {
    /// Those from `from` on are missing, and `next` is the first that is there.
    pub(super) fn missed(from: u64, next: u64) -> Self {
        let (client_order_id, kind) = (String::new(), ReportKind::Missed { from });
        Self { sequence: next - 1, client_order_id, time_ns: None, kind }
    }
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ReportKind {
    Accepted,
    /// The order has another name from here on, and maybe another quantity and price.
    Replaced {
        orig_client_order_id: String,
    },
    Executed {
        qty: String,
        price: String,
        /// Of the trade: both sides have the same.
        trade_id: u64,
        is_maker: bool,
        /// What the account paid for it; `None` over OUCH and gRPC.
        commission: Option<Commission>,
    },
    /// The order, or a part of it, is gone without a trade. The reason is a word of the way.
    Canceled {
        reason: String,
    },
    Rejected {
        reason: String,
    },
    /// An iceberg shows its next part.
    Refreshed {
        shown_qty: String,
    },
    /// A pegged order has another price.
    Repriced {
        price: String,
    },
    /// An operator undid a trade.
    Busted {
        trade_id: u64,
    },
    /// An operator gave a trade another price.
    Corrected {
        trade_id: u64,
        price: String,
    },
    /// The venue does not keep the reports with these numbers any more, from this one up to that
    /// of this report: query orders and fills by another way. It names no order.
    Missed {
        from: u64,
    },
}

/// A fee, in the asset that it was taken from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Commission {
    pub amount: String,
    pub asset: String,
}

/// The reports of a way. Drop it where they are not wanted: reports that are not read stop the way.
#[derive(Debug)]
pub struct Reports(pub(super) mpsc::Receiver<Report>);

impl Reports {
    /// `None` when the way is closed.
    pub async fn next(&mut self) -> Option<Report> {
        self.0.recv().await
    }

    /// The next one that has arrived.
    pub fn try_next(&mut self) -> Option<Report> {
        self.0.try_recv().ok()
    }
}
