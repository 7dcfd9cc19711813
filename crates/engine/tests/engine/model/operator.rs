//! Chapter 14: assets, instruments, accounts and keys.

use types::*;

use super::{Model, ModelMarket, Owner};

impl Model {
    pub(super) fn list_asset(&mut self, asset: &Asset) -> Result<(), RejectReason> {
        let asset = *asset;
        if self.assets.iter().any(|other| other.name == asset.name) {
            return Err(RejectReason::NameInUse);
        }
        if asset.decimals > 18 {
            return Err(RejectReason::DecimalsAboveMax);
        }
        self.assets.push(asset);
        let id = AssetId(self.assets.len() as u16 - 1);
        self.events.push(Event::AssetListed(AssetListed { id, asset }));
        Ok(())
    }

    pub(super) fn list_instrument(&mut self, spec: &InstrumentSpec) -> Result<(), RejectReason> {
        let base = *self.assets.get(usize::from(spec.base.0)).ok_or(RejectReason::UnknownAsset)?;
        let quote =
            *self.assets.get(usize::from(spec.quote.0)).ok_or(RejectReason::UnknownAsset)?;
        if self.markets.iter().any(|other| other.instrument.spec.symbol == spec.symbol) {
            return Err(RejectReason::NameInUse);
        }
        let id = InstrumentId(self.markets.len() as u32);
        let instrument = Instrument::new(id, *spec, &base, &quote).map_err(listing_fault)?;
        self.markets.push(ModelMarket::new(instrument));
        let instrument_seq = self.instrument_seq(id);
        let listed = InstrumentListed { instrument_seq, instrument };
        self.events.push(Event::InstrumentListed(listed));
        Ok(())
    }

    /// Other bounds and fees; open orders stay unchanged.
    pub(super) fn update_instrument(
        &mut self,
        request: &UpdateInstrument,
    ) -> Result<(), RejectReason> {
        let UpdateInstrument { instrument: id, spec } = *request;
        let was = self.known(id)?.instrument.spec;
        let steps = |spec: &InstrumentSpec| {
            (spec.symbol, spec.base, spec.quote, spec.tick_size, spec.lot_size)
        };
        if steps(&was) != steps(&spec) {
            return Err(RejectReason::InstrumentStepsFixed);
        }
        let asset = |id: AssetId| self.assets[usize::from(id.0)];
        let instrument = Instrument::new(id, spec, &asset(spec.base), &asset(spec.quote))
            .map_err(listing_fault)?;
        self.market_mut(id).instrument = instrument;
        let instrument_seq = self.instrument_seq(id);
        let updated = InstrumentUpdated { instrument_seq, instrument };
        self.events.push(Event::InstrumentUpdated(updated));
        Ok(())
    }

    pub(super) fn set_instrument_rules(
        &mut self,
        request: &SetInstrumentRules,
    ) -> Result<(), RejectReason> {
        let SetInstrumentRules { instrument, rules } = *request;
        self.known(instrument)?;
        let market = self.market_mut(instrument);
        if market.rules.avg_price_mins != rules.avg_price_mins {
            market.traded.clear();
        }
        market.rules = rules;
        let instrument_seq = self.instrument_seq(instrument);
        let set = InstrumentRulesSet { instrument_seq, instrument, rules };
        self.events.push(Event::InstrumentRulesSet(set));
        Ok(())
    }

    pub(super) fn delist(&mut self, instrument: InstrumentId) -> Result<(), RejectReason> {
        if self.known(instrument)?.delisted {
            return Err(RejectReason::InstrumentDelisted);
        }
        self.market_mut(instrument).delisted = true;
        self.market_mut(instrument).until_ns = 0;
        let instrument_seq = self.instrument_seq(instrument);
        let delisted = InstrumentDelisted { instrument_seq, instrument };
        self.events.push(Event::InstrumentDelisted(delisted));
        let mut all: Vec<OrderId> = Vec::new();
        for open in self.open.iter().filter(|open| open.order.instrument == instrument) {
            all.push(open.order.order_id);
        }
        all.sort();
        for key in all.into_iter().map(|id| (instrument, id)) {
            if let Some(open) = self.find(key) {
                let cl_ord_id = open.order.cl_ord_id;
                self.cancel(key, cl_ord_id, CancelCause::Delisted);
            }
        }
        Ok(())
    }

    pub(super) fn set_fee_schedule(
        &mut self,
        request: &SetFeeSchedule,
    ) -> Result<(), RejectReason> {
        let SetFeeSchedule { instrument, schedule } = *request;
        self.known(instrument)?;
        if let Some(schedule) = &schedule
            && !is_sound(schedule)
        {
            return Err(RejectReason::FeeScheduleInvalid);
        }
        self.market_mut(instrument).schedule = schedule;
        let instrument_seq = self.instrument_seq(instrument);
        let set = FeeScheduleSet { instrument_seq, instrument, schedule };
        self.events.push(Event::FeeScheduleSet(set));
        Ok(())
    }

    pub(super) fn create_account(&mut self, spec: &AccountSpec) -> Result<(), RejectReason> {
        let spec = *spec;
        if self.accounts.iter().any(|other| other.spec.name == spec.name) {
            return Err(RejectReason::NameInUse);
        }
        self.accounts.push(Owner::new(spec));
        let account = AccountId(self.accounts.len() as u32 - 1);
        let account_seq = self.account_seq(account);
        let created = AccountCreated { account_seq, account, spec };
        self.events.push(Event::AccountCreated(created));
        Ok(())
    }

    pub(super) fn update_account(&mut self, request: &UpdateAccount) -> Result<(), RejectReason> {
        let UpdateAccount { account, spec } = *request;
        self.trader(account)?;
        let owner = self.owner_mut(account);
        if owner.spec.name != spec.name {
            return Err(RejectReason::NameInUse);
        }
        owner.spec = spec;
        owner.trim();
        let account_seq = self.account_seq(account);
        let updated = AccountUpdated { account_seq, account, spec };
        self.events.push(Event::AccountUpdated(updated));
        Ok(())
    }

    pub(super) fn create_key(
        &mut self,
        spec: &KeySpec,
        created_by: KeyId,
    ) -> Result<(), RejectReason> {
        let spec = *spec;
        self.trader(spec.account)?;
        let login = spec.login.map(|login| self.login(login)).transpose()?;
        if spec.login.is_some_and(|login| self.keys_of(login).len() == 64) {
            return Err(RejectReason::TooManyKeysOfLogin);
        }
        if self.keys.iter().any(|(key, _)| key.api_key_hash == spec.api_key_hash) {
            return Err(RejectReason::ApiKeyInUse);
        }
        if spec.role == Role::Operator && created_by.0 > 0 {
            return Err(RejectReason::OperatorKeyByKey);
        }
        if let Some(login) = login {
            let is_same = (login.account, login.role) == (spec.account, spec.role);
            if !is_same || spec.role == Role::Operator {
                return Err(RejectReason::KeyBeyondLogin);
            }
        }
        self.keys.push((spec, false));
        let key = KeyId(self.keys.len() as u32);
        let account_seq = self.account_seq(spec.account);
        self.events.push(Event::KeyCreated(KeyCreated { account_seq, key, spec }));
        Ok(())
    }

    pub(super) fn revoke_key(&mut self, key: KeyId) -> Result<(), RejectReason> {
        let at = (1..).zip(&mut self.keys).find(|(id, _)| *id == key.0);
        let (spec, revoked) = at.map(|(_, found)| found).ok_or(RejectReason::UnknownKey)?;
        if std::mem::replace(revoked, true) {
            return Err(RejectReason::UnknownKey);
        }
        let (account, role) = (spec.account, spec.role);
        let account_seq = self.account_seq(account);
        self.events.push(Event::KeyRevoked(KeyRevoked { account_seq, key, account, role }));
        Ok(())
    }

    pub(super) fn login(&self, login: LoginId) -> Result<LoginSpec, RejectReason> {
        let found = (1..).zip(&self.logins).find(|(id, (_, revoked))| *id == login.0 && !revoked);
        found.map(|(_, (spec, _))| *spec).ok_or(RejectReason::UnknownLogin)
    }

    fn keys_of(&self, login: LoginId) -> Vec<KeyId> {
        let valid = (1..).zip(&self.keys).filter(|(_, (_, revoked))| !revoked);
        valid.filter(|(_, (key, _))| key.login == Some(login)).map(|(id, _)| KeyId(id)).collect()
    }

    pub(super) fn create_login(
        &mut self,
        spec: &LoginSpec,
        created_by: KeyId,
    ) -> Result<(), RejectReason> {
        let spec = *spec;
        self.trader(spec.account)?;
        if self.logins.iter().any(|(login, revoked)| login.user == spec.user && !revoked) {
            return Err(RejectReason::UserInUse);
        }
        if spec.role == Role::Operator && created_by.0 > 0 {
            return Err(RejectReason::OperatorLoginByKey);
        }
        self.logins.push((spec, false));
        let login = LoginId(self.logins.len() as u32);
        let account_seq = self.account_seq(spec.account);
        self.events.push(Event::LoginCreated(LoginCreated { account_seq, login, spec }));
        Ok(())
    }

    pub(super) fn update_login(
        &mut self,
        request: &UpdateLogin,
        changed_by: KeyId,
    ) -> Result<(), RejectReason> {
        let UpdateLogin { login, ways, sealed_secret, sign_out } = *request;
        let mut spec = self.login(login)?;
        if spec.role == Role::Operator && changed_by.0 > 0 {
            return Err(RejectReason::OperatorLoginByKey);
        }
        (spec.ways, spec.sealed_secret) = (ways, sealed_secret);
        self.logins[login.0 as usize - 1].0 = spec;
        let account_seq = self.account_seq(spec.account);
        let updated = LoginUpdated { account_seq, login, spec, sign_out };
        self.events.push(Event::LoginUpdated(updated));
        if sign_out {
            self.close_session_of(login);
            self.revoke_keys_of(login)
        } else {
            Ok(())
        }
    }

    pub(super) fn revoke_login(&mut self, login: LoginId) -> Result<(), RejectReason> {
        let LoginSpec { user, account, role, .. } = self.login(login)?;
        self.logins[login.0 as usize - 1].1 = true;
        let account_seq = self.account_seq(account);
        let revoked = LoginRevoked { account_seq, login, user, account, role };
        self.events.push(Event::LoginRevoked(revoked));
        self.close_session_of(login);
        self.revoke_keys_of(login)
    }

    fn revoke_keys_of(&mut self, login: LoginId) -> Result<(), RejectReason> {
        self.keys_of(login).into_iter().try_for_each(|key| self.revoke_key(key))
    }

    pub(super) fn rotate_master_key(
        &mut self,
        request: &RotateMasterKey,
    ) -> Result<(), RejectReason> {
        let numbered = (1..).zip(&self.keys);
        let valid: Vec<u32> =
            numbered.filter(|(_, (_, revoked))| !revoked).map(|(id, _)| id).collect();
        let named: Vec<u32> = request.keys.iter().map(|resealed| resealed.key.0).collect();
        let numbered = (1..).zip(&self.logins);
        let valid_logins: Vec<u32> =
            numbered.filter(|(_, (_, revoked))| !revoked).map(|(id, _)| id).collect();
        let named_logins: Vec<u32> = request.logins.iter().map(|login| login.login.0).collect();
        if named != valid || named_logins != valid_logins {
            return Err(RejectReason::KeysChanged);
        }
        let (fingerprint, key_count) = (request.fingerprint, named.len() as u32);
        self.events.push(Event::MasterKeyRotated(MasterKeyRotated { fingerprint, key_count }));
        Ok(())
    }
}

fn listing_fault(error: ListingError) -> RejectReason {
    match error {
        ListingError::BoundsInvalid => RejectReason::InstrumentBoundsInvalid,
        ListingError::BaseIsQuote => RejectReason::BaseIsQuote,
        ListingError::FeeTooHigh => RejectReason::FeeTooHigh,
        ListingError::TickTimesLotNotWhole => RejectReason::TickTimesLotNotWhole,
        ListingError::LotNotWhole => RejectReason::LotNotWhole,
        ListingError::AmountsTooLarge => RejectReason::InstrumentAmountsTooLarge,
    }
}

/// The first tier begins at zero, the others ascend; no rate exceeds 100 %.
fn is_sound(schedule: &FeeSchedule) -> bool {
    let tiers: Vec<&FeeTier> = schedule.tiers.iter().flatten().collect();
    let first = tiers.first().is_some_and(|tier| tier.volume_min == Amount::ZERO);
    let ascend = tiers.windows(2).all(|pair| pair[0].volume_min < pair[1].volume_min);
    let rate = |rate: i32| rate.unsigned_abs() <= FeeRates::MAX_BPS_X100;
    let rates = |tier: &&FeeTier| rate(tier.maker_fee_bps_x100) && rate(tier.taker_fee_bps_x100);
    first && ascend && tiers.iter().all(rates)
}
