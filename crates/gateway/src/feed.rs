pub(crate) mod outlet;
pub(crate) mod quote;
