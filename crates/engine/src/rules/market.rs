//! Effects of operators and time on instruments: phases, auctions, calendars, halts, rules.

mod auction;
mod calendar;
mod delist;
mod equilibrium;
mod halt;
mod indication;
pub(crate) mod phase;
mod trading;
