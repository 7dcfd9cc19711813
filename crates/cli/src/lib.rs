//! Parts that all tools of the binary share: [`Failure`], the flags of the settings, moments in a
//! log, progress, log lines, standard output, printed values, trusted authorities of TLS, and the
//! client of the admin socket.

mod authorities;
mod failure;
mod flags;
pub mod log_question;
pub mod moment;
mod print;
mod progress;
mod recovery;
pub mod show;
pub mod socket;
mod trace;

pub use authorities::authorities;
pub use failure::{Cause, Failure};
pub use flags::{DURABILITY, Flags, SWITCH};
pub use print::{is_read, print, print_error, print_line};
pub use progress::Progress;
pub use recovery::Recovery;
pub use trace::{init as init_trace, init_warnings, set_level as set_log_level};
