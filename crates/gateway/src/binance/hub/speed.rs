//! The index of each speed among the hub's rounds.

use protocol::binance::stream::Speed;

pub(super) const ROUNDS: usize = 3;

pub(super) const fn round_of(speed: Speed) -> usize {
    match speed {
        Speed::Ms100 => 0,
        Speed::Ms1000 => 1,
        Speed::Ms2000 => 2,
    }
}
