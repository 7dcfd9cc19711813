//! A million orders that enter and leave, in a bare book and in a whole engine.

use std::time::Instant;

use engine::{Engine, NodeId};
use types::{AccountId, Command, Entry, Envelope, Event, NewOrder, OrderId, Origin, Price, Side};

use super::{Bare, FAR, MANY, MIDDLE, NEAR, apply, house};

/// A million orders wait in a whole engine; then new orders and cancels alternate, as in w2 of the
/// workloads. Prints and returns the time of one command; against `usual`, it must be within three
/// times of that.
pub(super) fn engine_crowd(name: &str, order: fn(usize) -> NewOrder, usual: Option<u64>) -> u64 {
    let mut engine = house::open(2);
    let trade = [(2, Side::Sell), (1, Side::Buy)];
    for (account, side) in trade {
        let order = house::limit_order(side, MIDDLE, 1, "last");
        apply(&mut engine, AccountId(account), Command::NewOrder(order));
    }
    carry_out_all(&mut engine, (0..MANY).map(|at| Command::NewOrder(order(at))));
    let mut bare = Bare::empty();
    let mut order_ids: Vec<OrderId> = (0..MANY as u64).map(|at| OrderId(3 + at)).collect();
    let turns = (0..MANY).flat_map(|at| {
        let canceled = order_ids.swap_remove(bare.draw(MANY as u64) as usize);
        order_ids.push(OrderId((3 + MANY + at) as u64));
        [Command::NewOrder(order(MANY + at)), house::cancel_order(canceled)]
    });
    let taken = carry_out_all(&mut engine, turns);
    assert_eq!(engine.resting_count(), MANY, "{name}: one goes for each that comes");
    let times =
        usual.map(|usual| format!("{:>34}.{} times", taken / usual, taken * 10 / usual % 10));
    println!("  {name:36}{taken:>9}{}", times.unwrap_or_default());
    taken
}

/// Runs commands as a venue does: in batches, each announced ahead of its execution. Returns the
/// time of one command.
fn carry_out_all(engine: &mut Engine, mut commands: impl Iterator<Item = Command>) -> u64 {
    const BATCH_COMMANDS: usize = 1_000;
    let envelope = Envelope { account: AccountId(1), ..Envelope::venue(Origin::Replay, 0) };
    let (mut taken, mut count, mut events) = (0, 0, Vec::new());
    loop {
        let batch: Vec<Entry> = commands
            .by_ref()
            .take(BATCH_COMMANDS)
            .map(|command| Entry { envelope, command })
            .collect();
        if batch.is_empty() {
            return taken / count;
        }
        let start = Instant::now();
        for (at, entry) in batch.iter().enumerate() {
            engine.announce(batch.get(at + Engine::AHEAD));
            events.clear();
            engine.apply(0, entry, &mut events);
            let refused = |event: &Event| matches!(event, Event::CommandRejected(_));
            assert!(!events.iter().any(refused), "{events:?}");
        }
        taken += start.elapsed().as_nanos() as u64;
        count += batch.len() as u64;
    }
}

/// The sequence in which the orders of a crowd leave.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leave {
    AtRandom,
    BestFirst,
    WorstFirst,
}

/// A million orders enter at random, `apart` ticks from each other, and leave; waiting ones are
/// prefetched as in a replay. Prints and returns the time of one operation; against `usual`, both
/// together must be within three times of it.
pub(super) fn crowd(name: &str, apart: i64, prices: i64, leave: Leave, usual: Option<u64>) -> u64 {
    let mut bare = Bare::empty();
    let mut places: Vec<i64> = (0..MANY as i64).map(|at| at % prices).collect();
    shuffle(&mut bare, &mut places);
    // Touched ahead of the measurement, which does not include these bytes.
    let mut orders: Vec<(i64, u64)> = vec![(1, 1); MANY];
    let before = house::resident_bytes();
    let start = Instant::now();
    let price = |place: i64| Price::from_ticks(MIDDLE + place * apart);
    for (at, (order, place)) in orders.iter_mut().zip(&places).enumerate() {
        if let Some(place) = places.get(at + NEAR) {
            bare.book.prefetch(&bare.nodes, NodeId::MAX, Side::Buy, price(*place));
        }
        *order = (*place, bare.add(Side::Buy, price(*place)));
    }
    let add = start.elapsed().as_nanos() as u64 / MANY as u64;
    let bytes = house::resident_bytes().saturating_sub(before) / MANY as u64;
    assert_eq!(bare.nodes.len(), MANY);
    match leave {
        Leave::AtRandom => shuffle(&mut bare, &mut orders),
        Leave::BestFirst => orders.sort_unstable_by_key(|(place, _)| -place),
        Leave::WorstFirst => orders.sort_unstable(),
    }
    let start = Instant::now();
    for (at, (_, order_id)) in orders.iter().enumerate() {
        if let Some((_, order_id)) = orders.get(at + FAR) {
            bare.nodes.prefetch(bare.index.peek(*order_id));
        }
        if let Some((place, order_id)) = orders.get(at + NEAR) {
            let node = bare.index.peek(*order_id);
            bare.book.prefetch(&bare.nodes, node, Side::Buy, price(*place));
        }
        bare.cancel(*order_id);
    }
    let cancel = start.elapsed().as_nanos() as u64 / MANY as u64;
    assert_eq!(bare.nodes.len(), 0);
    print_crowd(name, add, cancel, Some(bytes), usual)
}

fn print_crowd(name: &str, add: u64, cancel: u64, bytes: Option<u64>, usual: Option<u64>) -> u64 {
    let both = add + cancel;
    let bytes = bytes.map(|bytes| bytes.to_string()).unwrap_or_default();
    let times = usual.map(|usual| format!("{:>6}.{} times", both / usual, both * 10 / usual % 10));
    println!("  {name:36}{add:>9}{cancel:>9}{bytes:>10}{}", times.unwrap_or_default());
    both
}

fn shuffle<T>(bare: &mut Bare, items: &mut [T]) {
    for at in (1..items.len()).rev() {
        items.swap(at, bare.draw(at as u64 + 1) as usize);
    }
}
