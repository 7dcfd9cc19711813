//! Effects of commands on accounts: fees, limits, holds, withdrawals, busted trades.

mod bust;
mod fee;
mod hold;
pub(crate) mod limits;
mod receivable;
mod risk;
mod withdrawal;
