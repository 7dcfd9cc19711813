//! Paper and live: the strategies of the back-test on the feed of a venue.
//!
//! - On paper ([`paper`]) the back-test itself runs over the feed: the level market decides fills
//!   in the same code. The run is half a second behind the clock, so that what happens to be late
//!   is in its place.
//! - Live ([`trade`]) the venue decides: requests go out, and its reports come back as answers. The
//!   strategy sees feed and timers in the order and at the times of a back-test over the recorded
//!   feed.
//! - Both record the feed and their fills ([`RunRecord`]); [`reconcile`] runs the record again as a
//!   back-test and compares the fills.

mod access;
mod feed;
mod own;
mod paper;
mod reconcile;
mod record;
mod trade;

pub use self::access::LiveError;
pub use self::paper::Paper;
pub use self::reconcile::{Comparison, Pair, ReconcileError, RecordedFill, reconcile};
pub use self::record::{Recorder, RunKind, RunRecord};
pub use self::trade::{BalanceCheck, Live, Traded, trade, trade_with};
