//! Listings, accounts and keys.

use types::{
    AccountId, AccountName, AccountSpec, Asset, AssetId, AssetName, Command, CreateAccount,
    CreateKey, Event, FeeRates, Increment, InstrumentId, InstrumentSpec, KeyId, KeySpec, ListAsset,
    ListInstrument, MasterKeyRotated, RejectReason, ResealedKey, RevokeKey, Role, RotateMasterKey,
    Sealed, Symbol, UpdateAccount,
};

use crate::house::{Driver, House, account_spec, lots, minor, state_bytes, ticks};

#[test]
fn ids_are_handed_out_in_order() {
    let mut venue = House::default().open();
    let asset = Asset { name: AssetName::parse("D").unwrap(), decimals: 18 };
    let events = venue.apply(0, Command::ListAsset(ListAsset { asset }));
    let [Event::AssetListed(listed)] = events[..] else { panic!("{events:?}") };
    assert_eq!((listed.id, listed.asset), (AssetId(3), asset));

    let spec = account_spec(7);
    let events = venue.apply(0, Command::CreateAccount(CreateAccount { spec }));
    let [Event::AccountCreated(created)] = events[..] else { panic!("{events:?}") };
    assert_eq!((created.account, created.spec), (AccountId(5), spec));

    for (at, hash) in (1..).zip([7, 8]) {
        let events = venue.apply(0, create_key(1, hash));
        let [Event::KeyCreated(created)] = events[..] else { panic!("{events:?}") };
        assert_eq!(created.key, KeyId(at));
    }
    assert_eq!(venue.engine.assets().len(), 4);
    let names = venue.engine.accounts().map(|(id, spec)| (id.0, spec.name.to_string()));
    assert_eq!(names.last(), Some((5, "account-7".to_owned())));
    assert_eq!(venue.engine.accounts().next().unwrap().1.name.as_str(), "venue");
    let symbols = venue.engine.instruments().map(|at| at.spec.symbol.to_string());
    assert_eq!(symbols.collect::<Vec<_>>(), ["BQ", "CQ"]);
}

#[test]
fn an_asset_is_listed_once_with_decimals_that_amounts_can_hold() {
    let mut venue = House::default().open();
    let mut list = |name: &str, decimals| {
        let asset = Asset { name: AssetName::parse(name).unwrap(), decimals };
        refused(&mut venue, Command::ListAsset(ListAsset { asset }))
    };
    assert_eq!(list("B", 19), Some(RejectReason::NameInUse));
    assert_eq!(list("D", 19), Some(RejectReason::DecimalsAboveMax));
    assert_eq!(list("D", u8::MAX), Some(RejectReason::DecimalsAboveMax));
    assert_eq!(list("D", 18), None);
    for number in 4..10_000 {
        assert_eq!(list(&format!("X{number}"), 0), None);
    }
    assert_eq!(list("B", 19), Some(RejectReason::NameInUse));
    assert_eq!(list("E", 19), Some(RejectReason::TooManyAssets));
}

#[test]
fn listings_are_refused_in_order_of_precedence() {
    let house = House::default();
    let mut venue = house.open();
    let good = InstrumentSpec { symbol: Symbol::parse("NEW").unwrap(), ..house.instruments[0] };
    let mut check = |spec: InstrumentSpec, expect| {
        let command = Command::ListInstrument(ListInstrument { spec });
        assert_eq!(refused(&mut venue, command), Some(expect), "{spec:?}");
    };
    let mut spec = good;
    // From the last rung to the first, each fault together with those of later rungs.
    spec.max_price = types::PRICE_MAX;
    spec.max_qty = types::QTY_MAX;
    spec.tick_size = Increment { units: 1 << 40, decimals: 0 };
    check(spec, RejectReason::InstrumentAmountsTooLarge);
    spec.lot_size = Increment { units: 1, decimals: 1 };
    spec.tick_size = Increment { units: 10 << 40, decimals: 0 };
    check(spec, RejectReason::LotNotWhole);
    spec.tick_size.units += 1;
    check(spec, RejectReason::TickTimesLotNotWhole);
    spec.fees.maker_fee_bps_x100 = FeeRates::MAX_BPS_X100 + 1;
    check(spec, RejectReason::FeeTooHigh);
    spec.quote = spec.base;
    check(spec, RejectReason::BaseIsQuote);
    for bounds in [
        InstrumentSpec { min_price: ticks(spec.max_price.ticks() + 1), ..spec },
        InstrumentSpec { min_price: ticks(i64::MIN), ..spec },
        InstrumentSpec { max_price: ticks(i64::MAX), ..spec },
        InstrumentSpec { min_qty: lots(0), ..spec },
        InstrumentSpec { max_qty: lots(u64::MAX), ..spec },
        InstrumentSpec { market_max_qty: lots(u64::MAX), ..spec },
        InstrumentSpec { min_notional: minor(-1), ..spec },
        InstrumentSpec { max_notional: minor(i128::MIN), ..spec },
        InstrumentSpec { tick_size: Increment { units: 0, decimals: 0 }, ..spec },
        InstrumentSpec { lot_size: Increment { units: 1, decimals: u8::MAX }, ..spec },
    ] {
        check(bounds, RejectReason::InstrumentBoundsInvalid);
        let symbol = house.instruments[0].symbol;
        check(InstrumentSpec { symbol, ..bounds }, RejectReason::NameInUse);
        let base = AssetId(9);
        check(InstrumentSpec { symbol, base, ..bounds }, RejectReason::UnknownAsset);
        check(InstrumentSpec { symbol, quote: base, ..bounds }, RejectReason::UnknownAsset);
    }
    let command = Command::ListInstrument(ListInstrument { spec: good });
    let events = venue.apply(0, command.clone());
    let [Event::InstrumentListed(listed)] = events[..] else { panic!("{events:?}") };
    assert_eq!(listed.instrument.id, InstrumentId(2));
    assert_eq!(refused(&mut venue, command), Some(RejectReason::NameInUse));
}

#[test]
fn an_account_has_its_own_name_and_bearable_terms() {
    let mut venue = House::default().open();
    let too_high = FeeRates { maker_fee_bps_x100: 0, taker_fee_bps_x100: 1_000_001 };
    let bad =
        AccountSpec { fees: Some(too_high), finished_orders_kept: u32::MAX, ..account_spec(1) };
    let mut create = |spec| refused(&mut venue, Command::CreateAccount(CreateAccount { spec }));
    assert_eq!(create(bad), Some(RejectReason::NameInUse));
    let venue_name = AccountName::parse("venue").unwrap();
    assert_eq!(create(AccountSpec { name: venue_name, ..bad }), Some(RejectReason::NameInUse));
    let bad = AccountSpec { name: account_spec(9).name, ..bad };
    assert_eq!(create(bad), Some(RejectReason::FeeTooHigh));
    let bad = AccountSpec { fees: None, ..bad };
    assert_eq!(create(bad), Some(RejectReason::AccountLimitsTooHigh));
    let bad = AccountSpec { finished_orders_kept: 0, trades_kept: 1_000_001, ..bad };
    assert_eq!(create(bad), Some(RejectReason::AccountLimitsTooHigh));
    assert_eq!(create(AccountSpec { trades_kept: 1_000_000, ..bad }), None);
}

#[test]
fn an_account_gets_new_terms_under_its_old_name() {
    let mut venue = House::default().open();
    let mut update = |account, spec| {
        let account = AccountId(account);
        refused(&mut venue, Command::UpdateAccount(UpdateAccount { account, spec }))
    };
    let bad = AccountSpec { trades_kept: u32::MAX, ..account_spec(2) };
    assert_eq!(update(9, bad), Some(RejectReason::UnknownAccount));
    assert_eq!(update(0, bad), Some(RejectReason::UnknownAccount));
    assert_eq!(update(1, bad), Some(RejectReason::NameInUse));
    assert_eq!(update(2, bad), Some(RejectReason::AccountLimitsTooHigh));
    let new_terms = AccountSpec { max_open_orders: 1, ..account_spec(2) };
    assert_eq!(update(2, new_terms), None);
    assert_eq!(venue.engine.accounts().nth(2).unwrap().1, &new_terms);
}

#[test]
fn keys_are_created_once_and_revoked_once() {
    let mut venue = House::default().open();
    let revoke = |key| Command::RevokeKey(RevokeKey { key: KeyId(key) });
    assert_eq!(refused(&mut venue, create_key(9, 7)), Some(RejectReason::UnknownAccount));
    assert_eq!(refused(&mut venue, create_key(0, 7)), Some(RejectReason::UnknownAccount));
    assert_eq!(refused(&mut venue, create_key(1, 7)), None);
    assert_eq!(refused(&mut venue, create_key(2, 7)), Some(RejectReason::ApiKeyInUse));
    assert_eq!(refused(&mut venue, create_key(2, 8)), None);
    venue.restart();
    for unknown in [0, 3, u32::MAX] {
        assert_eq!(refused(&mut venue, revoke(unknown)), Some(RejectReason::UnknownKey));
    }
    let events = venue.apply(0, revoke(1));
    let [Event::KeyRevoked(revoked)] = events[..] else { panic!("{events:?}") };
    assert_eq!((revoked.account, revoked.role), (AccountId(1), Role::Trader));
    assert_eq!(refused(&mut venue, revoke(1)), Some(RejectReason::UnknownKey));
    // A hash stays taken: a revoked key must not become valid for another account.
    assert_eq!(refused(&mut venue, create_key(2, 7)), Some(RejectReason::ApiKeyInUse));
    venue.restart();
    let valid = venue.engine.keys().map(|(id, spec)| (id.0, spec.account.0));
    assert_eq!(valid.collect::<Vec<_>>(), [(2, 2)]);
}

#[test]
fn a_master_key_is_rotated_for_all_valid_keys_or_for_none() {
    let mut venue = House::default().open();
    for (hash, key) in (1..).zip([1, 2, 1]) {
        venue.apply(0, create_key(key, hash));
    }
    venue.apply(0, Command::RevokeKey(RevokeKey { key: KeyId(2) }));
    let resealed = |key: u32| ResealedKey {
        key: KeyId(key),
        sealed_secret: Sealed::new(format!("anew {key}").as_bytes()).unwrap(),
    };
    let rotate = |keys: &[u32]| {
        let keys = keys.iter().copied().map(resealed).collect();
        let logins = Vec::new();
        Command::RotateMasterKey(RotateMasterKey { fingerprint: [7; 16], keys, logins })
    };
    for keys in [&[][..], &[1], &[3], &[1, 2, 3], &[3, 1], &[1, 1], &[1, 3, 4]] {
        assert_eq!(refused(&mut venue, rotate(keys)), Some(RejectReason::KeysChanged), "{keys:?}");
    }
    assert_eq!(venue.engine.master_key_in_use(), None);
    let [Event::MasterKeyRotated(rotated)] = venue.apply(0, rotate(&[1, 3]))[..] else { panic!() };
    assert_eq!(rotated, MasterKeyRotated { fingerprint: [7; 16], key_count: 2 });
    venue.restart();
    assert_eq!(venue.engine.master_key_in_use().unwrap().fingerprint, [7; 16]);
    let sealed = venue.engine.keys().map(|(id, spec)| (id.0, spec.sealed_secret));
    let expect = [1, 3].map(|key| (key, resealed(key).sealed_secret));
    assert_eq!(sealed.collect::<Vec<_>>(), expect);
    // A revoked key has nothing left that the old master key would open.
    let state = state_bytes(&venue.engine);
    assert!(!state.windows(6).any(|bytes| bytes == b"sealed"));
}

fn create_key(account: u32, hash: u8) -> Command {
    Command::CreateKey(Box::new(CreateKey {
        spec: KeySpec {
            account: AccountId(account),
            role: Role::Trader,
            login: None,
            api_key_hash: [hash; 16],
            sealed_secret: Sealed::new(b"sealed").unwrap(),
        },
    }))
}

/// The reason for which a command was refused; also checks that it changed nothing.
fn refused(venue: &mut Driver, command: Command) -> Option<RejectReason> {
    let before = state_bytes(&venue.engine);
    let reason = venue.reason(0, command.clone());
    if reason.is_some() {
        // The state begins with its version, the count of commands and the time.
        assert_eq!(before[18..], state_bytes(&venue.engine)[18..], "{command:?}");
    }
    reason
}
