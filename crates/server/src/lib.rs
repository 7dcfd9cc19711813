//! A running venue: settings, venue, read model, gateway, demo and bots, wired together.
//!
//! A library without a command line, so that a program, a test or another language can run a venue.
//! They hand in two traits: [`Host`] shows progress and the address of the ready venue, and
//! [`Operators`] answers operators, whose requests this crate does not see.

mod demo;
mod doors;
mod error;
pub mod feed;
mod huge_pages;
mod itch_doors;
#[cfg(feature = "market")]
mod market;
#[cfg(not(feature = "market"))]
#[path = "without_market.rs"]
mod market;
mod operators;
#[cfg(feature = "publish")]
pub mod publishers;
#[cfg(not(feature = "publish"))]
#[path = "without_publishers.rs"]
mod publishers;
mod random;
mod run;
mod settings;
mod test_folder;
mod traces;

pub use ::venue::clock::now_ns;
pub use demo::FILE_NAME as DEMO_FILE;
pub use error::ServeError;
pub use huge_pages::HugePages;
pub use operators::{OperatedVenue, Operators, Serving, Stopped};
pub use random::Random;
pub use run::{Host, run};
pub use settings::Settings;
pub use settings::address::parse as parse_address;
pub use settings::bps::Bps;
pub use settings::demo::Demo as DemoSettings;
pub use settings::door::Door as DoorSettings;
pub use settings::history::{Place as HistoryPlace, read_place as read_history_place};
pub use settings::http::Http as HttpSettings;
pub use settings::log::{Durability, Log as LogSettings};
pub use settings::logging::{LogFormat, Logging as LoggingSettings};
pub use settings::publish::Publish as PublishSettings;
pub use settings::sources::nearest;
pub use settings::spool::Spool as SpoolSettings;
pub use settings::trace::Trace as TraceSettings;
pub use settings::venue::{Venue as VenueSettings, check_is_no_master_key, read_master_key};
