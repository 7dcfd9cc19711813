//! The best price levels of a book.

use marketdata::L2Book;
use types::{Price, Qty};

pub(crate) type PriceLevel = (Price, Qty);
/// The best bid and the best ask.
pub(crate) type BestLevels = [Option<PriceLevel>; 2];

pub(crate) fn best(book: &L2Book) -> BestLevels {
    [book.best_bid(), book.best_ask()].map(|level| level.map(|level| (level.price, level.qty)))
}

/// At most `limit` bids and as many asks, best first.
pub(crate) fn best_levels(book: &L2Book, limit: usize) -> [Vec<PriceLevel>; 2] {
    let pair = |level: marketdata::Level| (level.price, level.qty);
    let (bids, asks) = book.depth(limit);
    [bids.map(pair).collect(), asks.map(pair).collect()]
}
