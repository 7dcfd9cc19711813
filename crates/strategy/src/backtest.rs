//! Back-tests: strategies over a recorded market, with latencies, queues and fees.
//!
//! The run (`run.rs`) merges four streams by time: the record as the market saw it, the record as
//! it reached the strategy (`feed.rs`), requests and answers (`market.rs`, delayed by
//! `latency.rs`). A market decides what fills: `levels.rs` for a book by levels, with a queue model
//! (`queue.rs`), `orders.rs` for data order by order,
//! `prints.rs` for trades alone. `bars.rs` is a run of its own.
//!
//! # Invariants
//! - Cash and position of an account and an instrument are the sums of its fills.
//! - A run gives the same fills again, in whatever batches its record is read.

mod bars;
mod feed;
mod latency;
mod levels;
mod market;
mod orders;
mod prints;
mod queue;
mod run;
mod standing;

pub use self::bars::{BarSource, BarsInMemory, Inside, run_bars};
pub use self::feed::{FeedLatency, Memory, Source};
pub(crate) use self::latency::Random;
pub use self::latency::{Delay, DelayInvalid, MeasuredRequest, OrderLatency};
pub(crate) use self::levels::see_levels;
pub use self::levels::{Fills, LevelRules};
pub use self::orders::Divergence;
pub use self::queue::{QueueModel, QueueModelUnknown};
pub use self::run::{Ran, RunError, Seat, Setup, run_follow, run_impact, run_levels, run_prints};
pub use self::standing::Standing;
