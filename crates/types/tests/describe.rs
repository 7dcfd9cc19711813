//! Descriptions of commands: every field except secrets.

use types::Described as D;
use types::*;

#[test]
fn a_command_is_described_field_by_field_in_the_order_of_its_declaration() {
    let deposit = Command::Deposit(Deposit {
        account: AccountId(1),
        asset: AssetId(2),
        amount: Amount::from_minor(5),
        external_ref: ExternalRef::parse("bank-1").unwrap(),
    });
    let record = D::Record(vec![
        ("account", D::Account(AccountId(1))),
        ("asset", D::Asset(AssetId(2))),
        ("amount", D::Amount(Amount::from_minor(5))),
        ("external_ref", D::Text("bank-1".into())),
    ]);
    assert_eq!(deposit.describe(), D::Choice("Deposit", Box::new(record)));
}

#[test]
fn numbers_beyond_2_to_53_are_wide() {
    assert_eq!(u64::MAX.describe(), D::Wide(i128::from(u64::MAX)));
    assert_eq!(OrderId(7).describe(), D::Wide(7));
    assert_eq!(u32::MAX.describe(), D::Number(i64::from(u32::MAX)));
    assert_eq!(Some(3_u8).describe(), D::Number(3));
    assert_eq!(None::<u8>.describe(), D::Nothing);
}

#[test]
fn lists_show_only_their_elements() {
    assert_eq!([Some(1_u8), Some(2), None].describe(), D::List(vec![D::Number(1), D::Number(2)]));
}

#[test]
fn a_sealed_secret_is_not_described() {
    let spec = KeySpec {
        account: AccountId(1),
        role: Role::Trader,
        login: None,
        api_key_hash: [7; 16],
        sealed_secret: Sealed::new(b"hidden").unwrap(),
    };
    let D::Record(fields) = spec.describe() else { panic!("a record") };
    assert_eq!(fields[1], ("role", D::Word("Trader")));
    assert_eq!(fields[4], ("sealed_secret", D::Secret));
}
