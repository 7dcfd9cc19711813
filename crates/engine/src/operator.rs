//! What operators do: money in and out, listings, accounts, keys.

use types::{
    AMOUNT_MAX, AccountCreated, AccountId, AccountSpec, AccountUpdated, Amount, Asset, AssetId,
    AssetListed, CreateAccount, CreateKey, Deposit, Deposited, Event, ExternalRef, FeeRates,
    Instrument, InstrumentId, InstrumentListed, KeyCreated, KeyId, KeyRevoked, ListAsset,
    ListInstrument, ListingError, MasterKeyInUse, MasterKeyRotated, RejectReason, RevokeKey,
    RotateMasterKey, Sealed, UpdateAccount, Withdraw, Withdrawn,
};

use crate::account::Account;
use crate::engine::{Engine, Key};
use crate::market::Market;

const ASSETS_MAX: usize = 10_000;
const INSTRUMENTS_MAX: usize = 100_000;
const ACCOUNTS_MAX: usize = 10_000_000;
const KEYS_MAX: usize = 10_000_000;

/// What an account may ask the venue to keep of its past.
const KEPT_MAX: u32 = 1_000_000;

impl Engine {
    pub(crate) fn deposit(&mut self, request: &Deposit, events: &mut Vec<Event>) {
        let Deposit { account, asset, amount, external_ref } = *request;
        if self.account(account).is_none() {
            return self.reject(account, RejectReason::UnknownAccount, events);
        }
        if let Err(reason) = self.check_transfer(account, asset, amount, &external_ref) {
            return self.reject(account, reason, events);
        }
        let supply = &mut self.supply[usize::from(asset.0)];
        if *supply + amount > AMOUNT_MAX {
            return self.reject(account, RejectReason::SupplyAboveMax, events);
        }
        *supply += amount;
        let owner = &mut self.accounts[account.0 as usize];
        owner.external_refs.insert(external_ref.as_bytes().into());
        let account_seq = owner.next_seq();
        let balance = owner.balance_mut(asset);
        balance.free += amount;
        let free = balance.free;
        let deposited = Deposited { account_seq, account, asset, amount, external_ref, free };
        events.push(Event::Deposited(deposited));
        self.settle_debts(account, asset, events);
    }

    pub(crate) fn withdraw(&mut self, request: &Withdraw, events: &mut Vec<Event>) {
        let Withdraw { account, asset, amount, external_ref } = *request;
        if let Err(reason) = self.check_transfer(account, asset, amount, &external_ref) {
            return self.reject(account, reason, events);
        }
        let owner = &mut self.accounts[account.0 as usize];
        if owner.balance(asset).free < amount {
            return self.reject(account, RejectReason::WithdrawalAboveFree, events);
        }
        self.supply[usize::from(asset.0)] -= amount;
        owner.external_refs.insert(external_ref.as_bytes().into());
        let account_seq = owner.next_seq();
        let balance = owner.balance_mut(asset);
        balance.free -= amount;
        let free = balance.free;
        let withdrawn = Withdrawn { account_seq, account, asset, amount, external_ref, free };
        events.push(Event::Withdrawn(withdrawn));
    }

    /// An operator may withdraw what the venue's own account earned, but pays nothing in there.
    pub(crate) fn check_transfer(
        &self,
        account: AccountId,
        asset: AssetId,
        amount: Amount,
        external_ref: &ExternalRef,
    ) -> Result<(), RejectReason> {
        let owner = self.accounts.get(account.0 as usize).ok_or(RejectReason::UnknownAccount)?;
        self.asset(asset).ok_or(RejectReason::UnknownAsset)?;
        if amount <= Amount::ZERO {
            return Err(RejectReason::AmountNotPositive);
        }
        if amount > AMOUNT_MAX {
            return Err(RejectReason::AmountAboveMax);
        }
        if owner.external_refs.contains(external_ref.as_bytes()) {
            return Err(RejectReason::DuplicateExternalRef);
        }
        if !owner.is_cash() {
            return Err(RejectReason::OwnsNoBalances);
        }
        Ok(())
    }

    pub(crate) fn list_asset(&mut self, request: &ListAsset, events: &mut Vec<Event>) {
        let asset = request.asset;
        let result = if self.assets.iter().any(|other| other.name == asset.name) {
            Err(RejectReason::NameInUse)
        } else if self.assets.len() >= ASSETS_MAX {
            Err(RejectReason::TooManyAssets)
        } else if asset.decimals > Asset::DECIMALS_MAX {
            Err(RejectReason::DecimalsAboveMax)
        } else {
            Ok(())
        };
        if let Err(reason) = result {
            return self.reject(AccountId::VENUE, reason, events);
        }
        let id = AssetId(u16::try_from(self.assets.len()).expect("below ASSETS_MAX"));
        self.assets.push(asset);
        self.supply.push(Amount::ZERO);
        self.clearing.push(Amount::ZERO);
        events.push(Event::AssetListed(AssetListed { id, asset }));
    }

    pub(crate) fn list_instrument(&mut self, request: &ListInstrument, events: &mut Vec<Event>) {
        let instrument = match self.check_listing(request) {
            Ok(instrument) => instrument,
            Err(reason) => return self.reject(AccountId::VENUE, reason, events),
        };
        let mut market = Market::new(instrument);
        let instrument_seq = market.next_seq();
        self.markets.push(market);
        events.push(Event::InstrumentListed(InstrumentListed { instrument_seq, instrument }));
    }

    fn check_listing(&self, request: &ListInstrument) -> Result<Instrument, RejectReason> {
        let spec = request.spec;
        let base = self.asset(spec.base).ok_or(RejectReason::UnknownAsset)?;
        let quote = self.asset(spec.quote).ok_or(RejectReason::UnknownAsset)?;
        if self.markets.iter().any(|market| market.instrument.spec.symbol == spec.symbol) {
            return Err(RejectReason::NameInUse);
        }
        if self.markets.len() >= INSTRUMENTS_MAX {
            return Err(RejectReason::TooManyInstruments);
        }
        if self.rules < 2 && spec.min_price.ticks() <= 0 {
            return Err(RejectReason::InstrumentBoundsInvalid);
        }
        let id = InstrumentId(u32::try_from(self.markets.len()).expect("below INSTRUMENTS_MAX"));
        Instrument::new(id, spec, base, quote).map_err(listing_reason)
    }

    pub(crate) fn create_account(&mut self, request: &CreateAccount, events: &mut Vec<Event>) {
        let spec = request.spec;
        let result = if self.taken.accounts.contains(&spec.name) {
            Err(RejectReason::NameInUse)
        } else if self.accounts.len() >= ACCOUNTS_MAX {
            Err(RejectReason::TooManyAccounts)
        } else {
            check_account_spec(&spec)
        };
        if let Err(reason) = result {
            return self.reject(AccountId::VENUE, reason, events);
        }
        let account = AccountId(u32::try_from(self.accounts.len()).expect("below ACCOUNTS_MAX"));
        let mut created = Account::new(spec);
        let account_seq = created.next_seq();
        self.accounts.push(created);
        self.taken.accounts.insert(spec.name);
        events.push(Event::AccountCreated(AccountCreated { account_seq, account, spec }));
    }

    pub(crate) fn update_account(&mut self, request: &UpdateAccount, events: &mut Vec<Event>) {
        let UpdateAccount { account, spec } = *request;
        let result = match self.account(account) {
            None => Err(RejectReason::UnknownAccount),
            Some(owner) if owner.spec.name != spec.name => Err(RejectReason::NameInUse),
            Some(_) => check_account_spec(&spec),
        };
        if let Err(reason) = result {
            return self.reject(account, reason, events);
        }
        let owner = &mut self.accounts[account.0 as usize];
        owner.spec = spec;
        owner.trades.keep(spec.trades_kept as usize);
        owner.finished.keep(spec.finished_orders_kept as usize);
        let account_seq = owner.next_seq();
        events.push(Event::AccountUpdated(AccountUpdated { account_seq, account, spec }));
    }

    pub(crate) fn create_key(&mut self, request: &CreateKey, events: &mut Vec<Event>) {
        let spec = request.spec;
        let result = if self.account(spec.account).is_none() {
            Err(RejectReason::UnknownAccount)
        } else if self.keys.len() >= KEYS_MAX {
            Err(RejectReason::TooManyKeys)
        } else if self.taken.api_key_hashes.contains(&spec.api_key_hash) {
            Err(RejectReason::ApiKeyInUse)
        } else {
            Ok(())
        };
        if let Err(reason) = result {
            return self.reject(spec.account, reason, events);
        }
        self.keys.push(Key { spec, revoked: false });
        self.taken.api_key_hashes.insert(spec.api_key_hash);
        let key = KeyId(u32::try_from(self.keys.len()).expect("below KEYS_MAX"));
        let account_seq = self.accounts[spec.account.0 as usize].next_seq();
        events.push(Event::KeyCreated(KeyCreated { account_seq, key, spec }));
    }

    pub(crate) fn revoke_key(&mut self, request: &RevokeKey, events: &mut Vec<Event>) {
        let at = (request.key.0 as usize).wrapping_sub(1);
        let Some(key) = self.keys.get_mut(at).filter(|key| !key.revoked) else {
            return self.reject(AccountId::VENUE, RejectReason::UnknownKey, events);
        };
        key.revoked = true;
        let spec = key.spec;
        events.push(Event::KeyRevoked(KeyRevoked {
            account_seq: self.accounts[spec.account.0 as usize].next_seq(),
            key: request.key,
            account: spec.account,
            role: spec.role,
        }));
    }

    pub(crate) fn rotate_master_key(&mut self, request: &RotateMasterKey, events: &mut Vec<Event>) {
        let valid = self.keys().map(|(key, _)| key);
        if !valid.eq(request.keys.iter().map(|resealed| resealed.key)) {
            return self.reject(AccountId::VENUE, RejectReason::KeysChanged, events);
        }
        // What is not named was revoked: nobody is to open it any more.
        self.keys.iter_mut().for_each(|key| key.spec.sealed_secret = Sealed::EMPTY);
        for resealed in &request.keys {
            self.keys[resealed.key.0 as usize - 1].spec.sealed_secret = resealed.sealed_secret;
        }
        let fingerprint = request.fingerprint;
        self.master_key = Some(MasterKeyInUse { fingerprint, since_ns: self.now_ns });
        let key_count = u32::try_from(request.keys.len()).expect("below KEYS_MAX");
        events.push(Event::MasterKeyRotated(MasterKeyRotated { fingerprint, key_count }));
    }

    pub(crate) fn asset(&self, asset: AssetId) -> Option<&Asset> {
        self.assets.get(usize::from(asset.0))
    }
}

pub(crate) fn listing_reason(error: ListingError) -> RejectReason {
    match error {
        ListingError::TickTimesLotNotWhole => RejectReason::TickTimesLotNotWhole,
        ListingError::LotNotWhole => RejectReason::LotNotWhole,
        ListingError::AmountsTooLarge => RejectReason::InstrumentAmountsTooLarge,
        ListingError::BoundsInvalid => RejectReason::InstrumentBoundsInvalid,
        ListingError::FeeTooHigh => RejectReason::FeeTooHigh,
        ListingError::BaseIsQuote => RejectReason::BaseIsQuote,
    }
}

pub(crate) fn check_account_spec(spec: &AccountSpec) -> Result<(), RejectReason> {
    let fees = spec.fees.unwrap_or(FeeRates::ZERO);
    if fees.maker_fee_bps_x100.max(fees.taker_fee_bps_x100) > FeeRates::MAX_BPS_X100 {
        return Err(RejectReason::FeeTooHigh);
    }
    if spec.finished_orders_kept.max(spec.trades_kept) > KEPT_MAX {
        return Err(RejectReason::AccountLimitsTooHigh);
    }
    Ok(())
}
