//! Script lines about phases, auctions, bands, halts, calendars, delisting, and time.
//!
//! ```text
//! phase PreOpen on 1
//! bands static=500 dynamic=200 for=5s halt  in basis points; a breach starts an auction, or `halt`
//! halt 2 until 9s                             its level; without `until` a command ends it
//! resume
//! breaker 700:5s 1300 on 1                  instrument 1 is the index; decline:duration, if given
//! calendar 1111100 9h PreOpen, 1111111 17h Closed     the days from Monday on
//! delist on 1
//! update max_price=99                         bounds of instrument 0, the others as in the setup
//! rules max_position=9 max_order_lists=1      any count of the instrument's rules
//! at 5s                                       the next command is of this time; in h, s, ms or ns
//! advance 100ms                               the time between the last and the next command
//! phases | indicative | calendar-of | due | deadline | halted       queries
//! ```

use engine::Engine;
use types::{
    AuctionIndicated, AuctionUncrossed, BandBreach, Calendar, CircuitBreaker, Command,
    DelistInstrument, Event, HALT_LEVELS, HaltLevel, HaltVenue, InstrumentRules, Phase, PhaseCause,
    Price, PriceBands, Qty, SESSIONS_MAX, Session, SetInstrumentRules, SetPhase, Side,
    UpdateInstrument,
};

use crate::house::House;
use crate::script::{instrument, set_bound};

/// `None` for other lines.
pub(crate) fn command(line: &str) -> Option<Command> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |word: &str| words.iter().position(|other| *other == word).map(|at| words[at + 1]);
    let instrument = instrument(line);
    Some(match words[0] {
        "phase" => Command::SetPhase(SetPhase { instrument, phase: phase(words[1]) }),
        "bands" => {
            let rules = InstrumentRules { bands: bands(&words), ..InstrumentRules::default() };
            Command::SetInstrumentRules(SetInstrumentRules { instrument, rules })
        }
        "halt" => Command::HaltVenue(HaltVenue {
            level: words[1].parse().unwrap(),
            resume_ns: after("until").map_or(0, time_ns),
        }),
        "resume" => Command::ResumeVenue(()),
        "breaker" => {
            let mut levels = [None; HALT_LEVELS];
            let texts = words[1..].iter().take_while(|word| **word != "on");
            for (level, word) in levels.iter_mut().zip(texts) {
                let (decline, time) = word.split_once(':').unwrap_or((word, "0ns"));
                let decline_bps = decline.parse().unwrap();
                *level = Some(HaltLevel { decline_bps, halt_ns: time_ns(time) });
            }
            Command::SetCircuitBreaker(CircuitBreaker { index: instrument, levels })
        }
        "calendar" => {
            let line = line.split(" on ").next().expect("sessions");
            let texts = line["calendar".len()..].split(',').map(str::trim);
            let mut sessions = [None; SESSIONS_MAX];
            for (place, texts) in sessions.iter_mut().zip(texts.filter(|texts| !texts.is_empty())) {
                let words: Vec<&str> = texts.split(' ').collect();
                let [days, begins, to] = words[..] else { panic!("{line}") };
                let days = days.bytes().rev().fold(0, |all, day| all << 1 | (day - b'0'));
                let begins_s = u32::try_from(time_ns(begins) / 1_000_000_000).unwrap();
                *place = Some(Session { weekdays: days, begins_s, phase: phase(to) });
            }
            Command::SetCalendar(Calendar { instrument, sessions })
        }
        "update" => {
            let mut spec = House::default().instruments[instrument.0 as usize];
            let bounds = words[1..].iter().filter(|word| word.contains('='));
            bounds.for_each(|bound| set_bound(&mut spec, bound));
            Command::UpdateInstrument(UpdateInstrument { instrument, spec })
        }
        "rules" => {
            let mut rules = InstrumentRules::default();
            for (key, value) in words[1..].iter().filter_map(|word| word.split_once('=')) {
                let value: u32 = value.parse().unwrap();
                match key {
                    "max_position" => rules.max_position = Qty::from_lots(value.into()),
                    "market_min_qty" => rules.market_min_qty = Qty::from_lots(value.into()),
                    "max_order_lists" => rules.max_order_lists = value,
                    "max_stop_orders" => rules.max_stop_orders = value,
                    "max_iceberg_orders" => rules.max_iceberg_orders = value,
                    "max_amends" => rules.max_amends = value,
                    _ => panic!("no such rule: {key}"),
                }
            }
            Command::SetInstrumentRules(SetInstrumentRules { instrument, rules })
        }
        "delist" => Command::DelistInstrument(DelistInstrument { instrument }),
        _ => return None,
    })
}

fn bands(words: &[&str]) -> PriceBands {
    let mut bands = PriceBands::default();
    for word in &words[1..] {
        match word.split_once('=') {
            Some(("static", bps)) => bands.static_bps = bps.parse().unwrap(),
            Some(("dynamic", bps)) => bands.dynamic_bps = bps.parse().unwrap(),
            Some(("for", time)) => bands.breach_ns = time_ns(time),
            None if *word == "halt" => bands.breach = BandBreach::Halt,
            _ => {}
        }
    }
    bands
}

/// The time of the previous command, if the line sets the time.
pub(crate) fn time(line: &str, now_ns: u64) -> Option<u64> {
    match line.split_once(' ')? {
        ("at", time) => Some(time_ns(time) - 1),
        ("advance", time) => Some(now_ns + time_ns(time) - 1),
        _ => None,
    }
}

pub(crate) fn answer(engine: &Engine, now_ns: u64, line: &str) -> Option<String> {
    let id = instrument(line);
    let phases = |all: &mut dyn Iterator<Item = (u32, Phase)>| -> String {
        all.map(|(id, phase)| format!(" {id}:{phase:?}")).collect()
    };
    Some(match line.split(" on ").next().expect("a verb") {
        "phases" => {
            let ids = engine.instruments().map(|instrument| instrument.id);
            let mut all = ids.map(|id| (id.0, engine.phase(id).expect("it is listed")));
            format!("phases{}", phases(&mut all))
        }
        "indicative" => match engine.indicative(id) {
            None => "indicative none".to_owned(),
            Some((price, volume)) => format!("indicative {}@{}", volume.lots(), price.ticks()),
        },
        "calendar-of" => {
            let calendar = engine.calendar(id).expect("an instrument");
            let sessions = calendar.sessions.iter().flatten().map(|session| {
                let begins = u64::from(session.begins_s) * 1_000_000_000;
                format!(" {}-{:?}", print_time(begins), session.phase)
            });
            format!("calendar{}", sessions.collect::<String>())
        }
        "due" => {
            let mut due = engine.due_phases(now_ns).map(|(id, phase)| (id.0, phase));
            format!("due{}", phases(&mut due))
        }
        "deadline" => {
            let deadline = engine.next_deadline_ns().map_or("none".to_owned(), print_time);
            format!("deadline {deadline}")
        }
        "halted" => match engine.venue_halt() {
            None => "not halted".to_owned(),
            Some(halt) => format!("halted {}{}", halt.level, until(halt.resume_ns)),
        },
        _ => return None,
    })
}

pub(crate) fn print(event: &Event) -> Option<String> {
    Some(match event {
        Event::PhaseChanged(changed) => {
            let cause = match changed.cause {
                PhaseCause::Commanded => String::new(),
                cause => format!(" {cause:?}"),
            };
            let until = until(changed.until_ns);
            format!("phase {} {:?}{cause}{until}", changed.instrument, changed.phase)
        }
        Event::AuctionUncrossed(e) => {
            let AuctionUncrossed { price, volume, surplus, surplus_side, .. } = *e;
            format!("uncrossed {}", equilibrium(price, volume, surplus, surplus_side))
        }
        Event::AuctionIndicated(e) => {
            let AuctionIndicated { price, volume, surplus, surplus_side, .. } = *e;
            let found = match price {
                None => "none".to_owned(),
                Some(price) => equilibrium(price, volume, surplus, surplus_side),
            };
            format!("indicated {} {found}", e.instrument)
        }
        Event::InstrumentRulesSet(set) => format!("rules {}", set.instrument),
        Event::InstrumentUpdated(updated) => format!("updated {}", updated.instrument.id),
        Event::InstrumentDelisted(delisted) => format!("delisted {}", delisted.instrument),
        Event::VenueHalted(halt) => format!("halted {}{}", halt.level, until(halt.resume_ns)),
        Event::VenueResumed(()) => "resumed".to_owned(),
        Event::CircuitBreakerSet(breaker) => format!("breaker {}", breaker.index),
        Event::CalendarSet(set) => format!("calendar {}", set.calendar.instrument),
        _ => return None,
    })
}

/// `volume@price`, and the surplus there.
fn equilibrium(price: Price, volume: Qty, surplus: Qty, side: Side) -> String {
    let left = match (surplus.lots(), side) {
        (0, _) => String::new(),
        (left, Side::Buy) => format!(" left {left} to buy"),
        (left, Side::Sell) => format!(" left {left} to sell"),
    };
    format!("{}@{}{left}", volume.lots(), price.ticks())
}

fn until(ns: u64) -> String {
    if ns == 0 { String::new() } else { format!(" until {}", print_time(ns)) }
}

const UNITS: [(&str, u64); 4] =
    [("ns", 1), ("ms", 1_000_000), ("s", 1_000_000_000), ("h", 3_600_000_000_000)];

fn time_ns(text: &str) -> u64 {
    let digits = text.trim_end_matches(char::is_alphabetic);
    let unit = UNITS.iter().find(|(unit, _)| *unit == &text[digits.len()..]);
    digits.parse::<u64>().unwrap() * unit.expect("a unit").1
}

/// In the largest unit that gives a whole number.
fn print_time(ns: u64) -> String {
    let unit = UNITS.iter().rev().find(|(_, unit)| ns.is_multiple_of(*unit));
    let (unit, one) = unit.expect("of nanoseconds it always is");
    format!("{}{unit}", ns / one)
}

fn phase(word: &str) -> Phase {
    let found = Phase::ALL.iter().find(|phase| format!("{phase:?}") == word);
    *found.unwrap_or_else(|| panic!("no such phase: {word}"))
}
