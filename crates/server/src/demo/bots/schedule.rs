//! When each bot acts next.

use std::time::Duration;

use crate::random::Random;

/// How long until a market's next quotes, and until its next trade, in milliseconds.
pub(super) const QUOTE_EVERY: (u64, u64) = (800, 1_600);
const TAKE_EVERY: (u64, u64) = (200, 1_800);

/// What is to be done next, on which market.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Turn {
    Quote(usize),
    Take(usize),
}

/// The order of turns. It has a time of its own, so that it does not depend on how long turns take.
#[derive(Debug)]
pub(super) struct Schedule {
    now_ms: u64,
    due: Vec<(u64, Turn)>,
    random: Random,
}

impl Schedule {
    pub(super) fn new(markets: usize, with_takes: bool, mut random: Random) -> Self {
        let quotes = (0..markets).map(Turn::Quote);
        let takes = (0..markets).map(Turn::Take).filter(|_| with_takes);
        let due = quotes.chain(takes).map(|turn| (pause_ms(turn, &mut random), turn)).collect();
        Self { now_ms: 0, due, random }
    }

    /// The next turn, and how long to wait for it.
    pub(super) fn next(&mut self) -> (Duration, Turn) {
        let first = self.due.iter_mut().min_by_key(|(due_ms, _)| *due_ms).expect("a market");
        let (due_ms, turn) = *first;
        first.0 = due_ms + pause_ms(turn, &mut self.random);
        let pause = Duration::from_millis(due_ms - self.now_ms);
        self.now_ms = due_ms;
        (pause, turn)
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.now_ms
    }
}

fn pause_ms(turn: Turn, random: &mut Random) -> u64 {
    let (least, most) = match turn {
        Turn::Quote(_) => QUOTE_EVERY,
        Turn::Take(_) => TAKE_EVERY,
    };
    random.between(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_market_has_its_turns_in_a_minute() {
        let mut schedule = Schedule::new(3, true, Random::new(5, 0));
        let mut waited = Duration::ZERO;
        let mut turns = Vec::new();
        while schedule.now_ms() < 60_000 {
            let (pause, turn) = schedule.next();
            waited += pause;
            turns.push(turn);
        }
        assert_eq!(waited, Duration::from_millis(schedule.now_ms()));
        for market in 0..3 {
            let count = |wanted| turns.iter().filter(|turn| **turn == wanted).count();
            assert!((40..=65).contains(&count(Turn::Quote(market))));
            assert!((45..=75).contains(&count(Turn::Take(market))));
        }
    }

    #[test]
    fn without_a_taker_nothing_is_taken() {
        let mut schedule = Schedule::new(2, false, Random::new(5, 0));
        assert!((0..100).all(|_| matches!(schedule.next().1, Turn::Quote(_))));
    }
}
