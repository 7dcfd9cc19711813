//! The names and units that events use.

use types::{
    AccountId, AccountSpec, Asset, AssetId, Event, Instrument, InstrumentId, Market, Names,
    TradingState,
};

/// Instruments, assets and accounts by their ids, which are dense. It begins with those of the
/// venue's start, and takes later ones from their events.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    assets: Vec<Asset>,
    instruments: Vec<Instrument>,
    accounts: Vec<String>,
}

impl Directory {
    pub fn new(
        assets: impl IntoIterator<Item = Asset>,
        instruments: impl IntoIterator<Item = Instrument>,
        accounts: impl IntoIterator<Item = AccountSpec>,
    ) -> Self {
        Self {
            assets: assets.into_iter().collect(),
            instruments: instruments.into_iter().collect(),
            accounts: accounts.into_iter().map(|spec| spec.name.to_string()).collect(),
        }
    }

    /// Takes what an event lists or changes.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::AssetListed(listed) => {
                put(&mut self.assets, usize::from(listed.id.0), listed.asset);
            }
            Event::InstrumentListed(listed) => self.put_instrument(&listed.instrument),
            Event::InstrumentUpdated(updated) => self.put_instrument(&updated.instrument),
            Event::AccountCreated(created) => self.put_account(created.account, &created.spec),
            Event::AccountUpdated(updated) => self.put_account(updated.account, &updated.spec),
            _ => {}
        }
    }

    fn put_instrument(&mut self, instrument: &Instrument) {
        put(&mut self.instruments, instrument.id.0 as usize, *instrument);
    }

    fn put_account(&mut self, id: AccountId, spec: &AccountSpec) {
        put(&mut self.accounts, id.0 as usize, spec.name.to_string());
    }

    /// With its units. It has no rules and no phase of its own here.
    pub fn market(&self, id: InstrumentId) -> Option<Market> {
        let instrument = *self.instrument(id)?;
        let base = *self.asset(instrument.spec.base)?;
        let quote = *self.asset(instrument.spec.quote)?;
        let trading = TradingState::CONTINUOUS;
        Some(Market { instrument, base, quote, rules: Default::default(), trading })
    }

    pub fn account_name(&self, id: AccountId) -> String {
        self.account(id).unwrap_or_else(|| types::unknown(id))
    }

    pub fn account_count(&self) -> usize {
        self.accounts.len()
    }
}

impl Names for Directory {
    fn asset(&self, id: AssetId) -> Option<&Asset> {
        self.assets.get(usize::from(id.0))
    }

    fn instrument(&self, id: InstrumentId) -> Option<&Instrument> {
        self.instruments.get(id.0 as usize)
    }

    fn account(&self, id: AccountId) -> Option<String> {
        self.accounts.get(id.0 as usize).cloned()
    }
}

/// Ids are dense, and events come in their order: a new one is the next.
fn put<T>(all: &mut Vec<T>, at: usize, value: T) {
    match all.get_mut(at) {
        Some(known) => *known = value,
        None => all.push(value),
    }
}
