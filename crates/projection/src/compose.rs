//! Answers that every database puts together in the same way from rows that it reads.

pub mod agg;
pub mod kline;
