//! What commands do with accounts: fees, limits, holds, withdrawals, undone trades.

mod bust;
mod fee;
mod hold;
mod limits;
mod receivable;
mod risk;
mod withdrawal;
