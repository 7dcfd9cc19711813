//! State of an instrument for orders with special terms.

use std::collections::BTreeSet;

use types::OrderId;

use crate::book::Book;
use crate::state::market::pegs::Pegs;

/// State of an instrument for orders with special terms.
#[derive(Clone, Debug, Default)]
pub(crate) struct Special {
    /// The hidden orders.
    pub(crate) dark: Book,
    pub(crate) hidden_count: usize,
    /// Icebergs on the book, or taken off it for a change.
    pub(crate) icebergs: BTreeSet<OrderId>,
    pub(crate) pegs: Pegs,
    pub(crate) last_prevented_id: u64,
}
