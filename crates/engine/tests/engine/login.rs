//! Logins, and the keys that their browsers make.

use engine::{Engine, KEYS_OF_LOGIN_MAX};
use types::{
    AccountId, Command, CreateKey, CreateLogin, Entry, Envelope, Event, KeyId, KeySpec, LoginId,
    LoginSpec, Origin, Reader, RejectReason, ResealedKey, ResealedLogin, RevokeKey, RevokeLogin,
    Role, RotateMasterKey, Sealed, UpdateLogin, UserName, Way, Ways,
};

use crate::house::{Driver, House, state_bytes};

#[test]
fn a_user_name_belongs_to_one_valid_login() {
    let mut venue = House::default().open();
    assert_eq!(venue.reason(0, create("ann", 9)), Some(RejectReason::UnknownAccount));
    assert_eq!(venue.reason(0, create("ann", 0)), Some(RejectReason::UnknownAccount));
    let events = venue.apply(0, create("ann", 1));
    let [Event::LoginCreated(created)] = events[..] else { panic!("{events:?}") };
    assert_eq!((created.login, created.spec), (LoginId(1), spec("ann", 1)));
    assert_eq!(venue.reason(0, create("ann", 2)), Some(RejectReason::UserInUse));
    assert_eq!(venue.reason(0, create("bob", 1)), None);
    venue.restart();
    assert_eq!(venue.reason(0, create("bob", 2)), Some(RejectReason::UserInUse));
    for unknown in [0, 3, u32::MAX] {
        assert_eq!(venue.reason(0, revoke(unknown)), Some(RejectReason::UnknownLogin));
        assert_eq!(venue.reason(0, update(unknown, false)), Some(RejectReason::UnknownLogin));
    }
    let events = venue.apply(0, revoke(1));
    let [Event::LoginRevoked(revoked)] = events[..] else { panic!("{events:?}") };
    assert_eq!((revoked.user, revoked.account), (spec("ann", 1).user, AccountId(1)));
    assert_eq!(venue.reason(0, revoke(1)), Some(RejectReason::UnknownLogin));
    assert_eq!(venue.reason(0, update(1, false)), Some(RejectReason::UnknownLogin));
    venue.restart();
    // The name is free, and the new owner is another login.
    assert_eq!(venue.reason(0, create("ann", 2)), None);
    let valid = venue.engine.logins().map(|(id, spec)| (id.0, spec.user.to_string()));
    assert_eq!(valid.collect::<Vec<_>>(), [(2, "bob".to_owned()), (3, "ann".to_owned())]);
}

#[test]
fn a_login_has_keys_of_its_own_account_and_role() {
    let mut venue = House::default().open();
    venue.apply(0, create("ann", 1));
    let operator = LoginSpec { role: Role::Operator, ..spec("root", 1) };
    venue.apply(0, Command::CreateLogin(Box::new(CreateLogin { spec: operator })));
    let mut refused = |login, account, role| {
        let spec = KeySpec { account: AccountId(account), role, ..key_spec(Some(login), 7) };
        venue.reason(0, Command::CreateKey(Box::new(CreateKey { spec })))
    };
    assert_eq!(refused(3, 1, Role::Trader), Some(RejectReason::UnknownLogin));
    assert_eq!(refused(0, 1, Role::Trader), Some(RejectReason::UnknownLogin));
    assert_eq!(refused(1, 2, Role::Trader), Some(RejectReason::KeyBeyondLogin));
    assert_eq!(refused(1, 1, Role::ReadOnly), Some(RejectReason::KeyBeyondLogin));
    assert_eq!(refused(1, 1, Role::Operator), Some(RejectReason::KeyBeyondLogin));
    assert_eq!(refused(2, 1, Role::Operator), Some(RejectReason::KeyBeyondLogin));
    assert_eq!(refused(1, 1, Role::Trader), None);
    assert_eq!(keys_of(&venue, 1), [1]);
}

#[test]
fn a_revoked_login_leaves_no_key_behind() {
    let mut venue = House::default().open();
    venue.apply(0, create("ann", 1));
    for (hash, login) in (1..).zip([Some(1), None, Some(1), Some(1)]) {
        venue.apply(0, create_key(login, hash));
    }
    venue.apply(0, Command::RevokeKey(RevokeKey { key: KeyId(3) }));
    venue.restart();
    assert_eq!(keys_of(&venue, 1), [1, 4]);
    let events = venue.apply(0, revoke(1));
    assert_eq!(account_seqs(&events), consecutive(&events));
    let [Event::LoginRevoked(_), keys @ ..] = &events[..] else { panic!("{events:?}") };
    assert_eq!(revoked(keys), [1, 4]);
    let valid: Vec<u32> = venue.engine.keys().map(|(key, _)| key.0).collect();
    assert_eq!(valid, [2], "the key of an operator's making stays");
    assert_eq!(venue.reason(0, create_key(Some(1), 9)), Some(RejectReason::UnknownLogin));
    // Nothing is left that a master key would open.
    let state = state_bytes(&venue.engine);
    assert!(!state.windows(5).any(|bytes| bytes == b"login"));
}

#[test]
fn a_change_of_a_login_signs_it_out_only_if_it_says_so() {
    let mut venue = House::default().open();
    venue.apply(0, create("ann", 1));
    venue.apply(0, create_key(Some(1), 1));
    let events = venue.apply(0, update(1, false));
    let [Event::LoginUpdated(updated)] = events[..] else { panic!("{events:?}") };
    assert_eq!(updated.spec.sealed_secret, Sealed::new(b"other").unwrap());
    assert_eq!(keys_of(&venue, 1), [1]);
    let events = venue.apply(0, update(1, true));
    let [Event::LoginUpdated(_), keys @ ..] = &events[..] else { panic!("{events:?}") };
    assert_eq!(revoked(keys), [1]);
    assert_eq!(venue.reason(0, create_key(Some(1), 2)), None, "it may sign in again");
}

#[test]
fn a_login_has_a_limit_of_keys_that_are_valid() {
    let mut venue = House::default().open();
    venue.apply(0, create("ann", 1));
    venue.apply(0, create("bob", 1));
    for hash in 1..=u8::try_from(KEYS_OF_LOGIN_MAX).unwrap() {
        assert_eq!(venue.reason(0, create_key(Some(1), hash)), None);
    }
    let more = create_key(Some(1), 100);
    assert_eq!(venue.reason(0, more.clone()), Some(RejectReason::TooManyKeysOfLogin));
    venue.restart();
    assert_eq!(venue.reason(0, more.clone()), Some(RejectReason::TooManyKeysOfLogin));
    assert_eq!(venue.reason(0, create_key(Some(2), 101)), None);
    assert_eq!(venue.reason(0, create_key(None, 102)), None);
    venue.apply(0, Command::RevokeKey(RevokeKey { key: KeyId(5) }));
    assert_eq!(venue.reason(0, more), None);
    assert_eq!(revoked(&venue.apply(0, revoke(1))[1..]).len(), KEYS_OF_LOGIN_MAX);
}

/// Else an operator could sign in as the other operators that approve its withdrawals.
#[test]
fn a_key_makes_and_changes_no_operators_login() {
    let mut venue = House::default().open();
    let spec = LoginSpec { role: Role::Operator, ..spec("root", 1) };
    let create_operator = Command::CreateLogin(Box::new(CreateLogin { spec }));
    let mut by_key = |command: Command| {
        let envelope = Envelope { key: KeyId(1), ..Envelope::venue(Origin::AdminApi, 0) };
        match venue.apply_entry(&Entry { envelope, command })[0] {
            Event::CommandRejected(rejected) => Some(rejected.reason),
            _ => None,
        }
    };
    assert_eq!(by_key(create_operator.clone()), Some(RejectReason::OperatorLoginByKey));
    assert_eq!(by_key(create("ann", 1)), None);
    assert_eq!(by_key(update(1, true)), None);
    assert_eq!(venue.reason(0, create_operator), None);
    assert_eq!(venue.reason(0, update(2, true)), None);
    let envelope = Envelope { key: KeyId(1), ..Envelope::venue(Origin::AdminApi, 0) };
    let events = venue.apply_entry(&Entry { envelope, command: update(2, true) });
    let [Event::CommandRejected(rejected)] = events[..] else { panic!("{events:?}") };
    assert_eq!(rejected.reason, RejectReason::OperatorLoginByKey);
}

#[test]
fn a_master_key_is_rotated_for_all_logins_too() {
    let mut venue = House::default().open();
    for user in ["ann", "bob", "cid"] {
        venue.apply(0, create(user, 1));
    }
    venue.apply(0, create_key(Some(1), 1));
    venue.apply(0, revoke(2));
    let anew = Sealed::new(b"anew").unwrap();
    let rotate = |logins: &[u32]| {
        let resealed = |login: &u32| ResealedLogin { login: LoginId(*login), sealed_secret: anew };
        let keys = vec![ResealedKey { key: KeyId(1), sealed_secret: anew }];
        let logins = logins.iter().map(resealed).collect();
        Command::RotateMasterKey(RotateMasterKey { fingerprint: [7; 16], keys, logins })
    };
    for logins in [&[][..], &[1], &[1, 2, 3], &[3, 1], &[1, 1], &[1, 3, 4]] {
        let reason = venue.reason(0, rotate(logins));
        assert_eq!(reason, Some(RejectReason::KeysChanged), "{logins:?}");
    }
    assert_eq!(venue.reason(0, rotate(&[1, 3])), None);
    venue.restart();
    assert!(venue.engine.logins().all(|(_, spec)| spec.sealed_secret == anew));
    assert!(!state_bytes(&venue.engine).windows(5).any(|bytes| bytes == b"login"));
}

#[test]
fn a_state_with_logins_reads_back_and_no_part_of_it_does() {
    let mut venue = House::default().open();
    venue.apply(0, create("ann", 1));
    venue.apply(0, create("bob", 2));
    venue.apply(0, create_key(Some(1), 1));
    venue.apply(0, create_key(Some(1), 2));
    venue.apply(0, revoke(2));
    let bytes = state_bytes(&venue.engine);
    let restored = Engine::read_state(Reader(&bytes)).expect("its own state");
    assert_eq!(state_bytes(&restored), bytes);
    assert_eq!(restored.keys_of_login(LoginId(1)).count(), 2);
    for cut in 0..bytes.len() {
        assert!(Engine::read_state(Reader(&bytes[..cut])).is_none(), "cut at {cut}");
    }
    for bit in 0..8 * bytes.len() {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        if let Some(engine) = Engine::read_state(Reader(&damaged)) {
            engine.assert_consistent();
            assert_eq!(state_bytes(&engine), damaged, "bit {bit}");
        }
    }
}

fn spec(user: &str, account: u32) -> LoginSpec {
    LoginSpec {
        user: UserName::parse(user).unwrap(),
        account: AccountId(account),
        role: Role::Trader,
        ways: Ways::new(&[Way::Page]).unwrap(),
        sealed_secret: Sealed::new(b"login").unwrap(),
    }
}

fn create(user: &str, account: u32) -> Command {
    Command::CreateLogin(Box::new(CreateLogin { spec: spec(user, account) }))
}

fn update(login: u32, sign_out: bool) -> Command {
    let LoginSpec { ways, .. } = spec("ann", 1);
    let (login, sealed_secret) = (LoginId(login), Sealed::new(b"other").unwrap());
    Command::UpdateLogin(Box::new(UpdateLogin { login, ways, sealed_secret, sign_out }))
}

fn revoke(login: u32) -> Command {
    Command::RevokeLogin(RevokeLogin { login: LoginId(login) })
}

fn create_key(login: Option<u32>, hash: u8) -> Command {
    Command::CreateKey(Box::new(CreateKey { spec: key_spec(login, hash) }))
}

fn key_spec(login: Option<u32>, hash: u8) -> KeySpec {
    KeySpec {
        account: AccountId(1),
        role: Role::Trader,
        login: login.map(LoginId),
        api_key_hash: [hash; 16],
        sealed_secret: Sealed::new(b"sealed").unwrap(),
    }
}

fn keys_of(venue: &Driver, login: u32) -> Vec<u32> {
    venue.engine.keys_of_login(LoginId(login)).map(|key| key.0).collect()
}

/// The keys of events that revoke keys, and nothing else.
fn revoked(events: &[Event]) -> Vec<u32> {
    let key = |event: &Event| match event {
        Event::KeyRevoked(revoked) => revoked.key.0,
        other => panic!("{other:?}"),
    };
    events.iter().map(key).collect()
}

fn account_seqs(events: &[Event]) -> Vec<u64> {
    events.iter().flat_map(Event::account_seqs).map(|(_, number)| number).collect()
}

fn consecutive(events: &[Event]) -> Vec<u64> {
    let first = account_seqs(events)[0];
    (first..).take(events.len()).collect()
}
