//! The whole state as bytes, for snapshots and for the state hash.
//!
//! The same state gives the same bytes in every process: nothing here goes by the order of a hash
//! table or by where a record happens to lie in memory.

mod account;
mod amends;
mod halts;
mod lists;
mod logins;
mod market;
mod place;
mod receivables;
mod risk;
mod sessions;
mod sound;
mod special;
mod trading;
mod triggers;
mod withdrawals;

use std::collections::HashSet;

use types::{AccountId, InstrumentId, Order, Reader, Wire};

use crate::book::node::NodeId;
use crate::state::codec::{read_list, read_map, write_list};
use crate::state::deferred::{Deferred, read_deferred, write_deferred};
use crate::state::key::Key;
use crate::state::orders::record::Standing;
use crate::state::snapshot::account::read_account;
use crate::state::snapshot::market::read_market;
use crate::state::taken::Taken;
use crate::state::{Engine, RULES_VERSION};

impl Engine {
    /// The bytes begin with the rules version, which is the version of their layout too: a later
    /// program writes a state under older rules in its older layout, with the same hash.
    pub fn write_state(&self, out: &mut Vec<u8>) {
        self.rules.write(out);
        self.sequence.write(out);
        self.now_ns.write(out);
        self.assets.write(out);
        self.supply.write(out);
        let accounts = (0..).map(AccountId).zip(&self.accounts);
        write_list(accounts, out, |(id, account), out| Self::write_account(id, account, out));
        write_list(self.markets.iter(), out, |market, out| self.write_market(market, out));
        write_list(self.keys.iter(), out, |key, out| (key.spec, key.revoked).write(out));
        write_list(self.deferred.iter(), out, write_deferred);
        self.write_off_book(out);
        self.write_risk(out);
        self.write_receivables(out);
        self.write_sessions(out);
        self.write_trading(out);
        self.write_halts(out);
        self.write_special(out);
        self.write_triggers(out);
        self.write_amends(out);
        self.write_lists(out);
        self.write_sealed(out);
        self.write_withdrawals(out);
    }

    /// `None` unless the bytes are a whole state of this version that does not contradict itself.
    pub fn read_state(mut bytes: Reader<'_>) -> Option<Self> {
        let r = &mut bytes;
        let rules = r.read::<u16>()?;
        if !(1..=RULES_VERSION).contains(&rules) {
            return None;
        }
        let mut engine = Self {
            rules,
            sequence: r.read()?,
            now_ns: r.read()?,
            assets: r.read()?,
            supply: r.read()?,
            ..Self::default()
        };
        // Orders lie with their accounts and instruments, and are indexed when both are known.
        let mut finished = Vec::new();
        let mut ids = 0..;
        engine.accounts = read_list(r, |r| {
            let id = AccountId(ids.next().expect("as many as the list has"));
            read_account(r, id, &mut finished)
        })?;
        let mut resting = Vec::new();
        let mut ids = 0..;
        engine.markets = read_list(r, |r| {
            let id = InstrumentId(ids.next().expect("as many as the list has"));
            read_market(r, id, &mut resting)
        })?;
        engine.keys = read_list(r, |r| {
            let (spec, revoked) = r.read()?;
            Some(Key { spec, revoked })
        })?;
        engine.deferred = read_list(r, read_deferred)?.into();
        let off_book: Vec<(Standing, Order)> = r.read()?;
        engine.read_risk(r)?;
        engine.read_receivables(r)?;
        engine.read_sessions(r)?;
        engine.read_trading(r)?;
        engine.read_halts(r)?;
        let unshown = engine.read_special(r)?;
        let triggers = read_map(r)?;
        let amends = read_map(r)?;
        let lists = r.read()?;
        engine.read_sealed(r)?;
        engine.read_withdrawals(r)?;
        engine.taken = Taken::of(&engine)?;
        let is_whole = r.is_empty()
            && engine.parts_are_sound(&resting, &finished)
            && engine.off_book_is_sound(&off_book)
            && unshown.hidden.iter().flatten().all(|order| engine.hidden_is_sound(order));
        if !is_whole {
            return None;
        }
        let waiting = engine.place_orders(resting, off_book, unshown, finished)?;
        engine.restore_triggers(triggers, waiting)?;
        engine.restore_amends(amends)?;
        engine.restore_lists(lists)?;
        engine.mark_follow_ups()?;
        engine.count_exposures();
        engine.set_timers();
        engine.check_parts_agree().ok()?;
        Some(engine)
    }

    /// Marks the instruments that have a follow-up in the deferred work; `None` if one has two.
    fn mark_follow_ups(&mut self) -> Option<()> {
        for work in &self.deferred {
            if let Deferred::FollowUp(instrument) = work {
                let waits = &mut self.markets[instrument.0 as usize].follow_up_waits;
                if std::mem::replace(waits, true) {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Sets the timers of retry keys, phases and indications.
    fn set_timers(&mut self) {
        for (id, account) in (0..).map(AccountId).zip(&self.accounts) {
            let oldest = account.retries.oldest();
            self.retry_deadlines.extend(oldest.map(|retry| (retry.expires_ns, id)));
        }
        for (id, market) in (0..).map(InstrumentId).zip(&self.markets) {
            let until_ns = market.trading.until_ns;
            self.phase_ends.extend((until_ns > 0).then_some((until_ns, id)));
            let indication = &market.trading.indication;
            self.indications.extend(indication.is_due.then_some((indication.due_ns(), id)));
        }
    }

    /// All open orders, account by account.
    fn open_nodes(&self) -> impl Iterator<Item = NodeId> {
        self.accounts.iter().flat_map(|account| {
            let instruments = account.instruments();
            instruments.flat_map(|instrument| self.orders.of_account(account, instrument))
        })
    }

    /// Open orders that are on no book, as their accounts have them.
    fn write_off_book(&self, out: &mut Vec<u8>) {
        let off_book = self.open_nodes().filter(|node| self.orders.standing(*node).is_off_book());
        write_list(off_book, out, |node, out| {
            (self.orders.standing(node), self.orders.order(node)).write(out);
        });
    }
}

impl Taken {
    /// `None` if two have the same name.
    fn of(engine: &Engine) -> Option<Self> {
        let accounts: HashSet<_> =
            engine.accounts.iter().map(|account| account.spec.name).collect();
        let api_key_hashes: HashSet<_> =
            engine.keys.iter().map(|key| key.spec.api_key_hash).collect();
        let users: HashSet<_> = engine.logins().map(|(_, login)| login.user).collect();
        let is_sound = accounts.len() == engine.accounts.len()
            && api_key_hashes.len() == engine.keys.len()
            && users.len() == engine.logins().count();
        is_sound.then_some(Self { accounts, api_key_hashes, users })
    }
}
