//! What an instrument has for orders with special terms.

use std::collections::BTreeSet;

use types::OrderId;

use crate::book::Book;
use crate::state::market::pegs::Pegs;

/// What a market has for orders with special terms.
#[derive(Clone, Debug, Default)]
pub(crate) struct Special {
    /// The hidden orders.
    pub(crate) dark: Book,
    pub(crate) hidden_count: usize,
    /// On the book, or taken off it for a while.
    pub(crate) icebergs: BTreeSet<OrderId>,
    pub(crate) pegs: Pegs,
    pub(crate) last_prevented_id: u64,
}
