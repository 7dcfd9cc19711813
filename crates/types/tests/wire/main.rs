//! Round trips of every logged type: written values read back, and other bytes do not read.

mod example;

use std::fmt::Debug;

use proptest::prelude::*;
use types::*;

use self::example::{Choice, Source, numbers};

fn bytes<T: Wire>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes
}

/// A value reads back, leaves the bytes after it, and does not read from a shorter slice.
fn check_value<T: Wire + Debug + PartialEq>(value: &T) {
    let mut bytes = bytes(value);
    for cut in 0..bytes.len() {
        assert_eq!(T::read(&mut Reader(&bytes[..cut])), None, "{value:?} cut at {cut}");
    }
    bytes.push(0xff);
    let mut r = Reader(&bytes);
    assert_eq!(r.read().as_ref(), Some(value));
    assert_eq!(r.0, [0xff], "{value:?} reads as many bytes as it writes");
}

/// Bytes that read at all are the bytes that the value is written as.
fn check_bytes<T: Wire + Debug>(input: &[u8]) {
    let mut r = Reader(input);
    if let Some(value) = r.read::<T>() {
        assert_eq!(bytes(&value), input[..input.len() - r.0.len()], "{value:?}");
    }
}

/// Damages one byte of a written value.
fn check_damage<T: Wire + Debug>(value: &T, at: prop::sample::Index, damage: u8) {
    let mut bytes = bytes(value);
    let at = at.index(bytes.len());
    bytes[at] ^= damage;
    check_bytes::<T>(&bytes);
}

fn check_numbers<T: Wire + Copy + Debug + PartialEq>(
    all: &[T],
    number: fn(T) -> u64,
    from_number: fn(u64) -> Option<T>,
) {
    assert!(all.is_sorted_by(|a, b| number(*a) < number(*b)), "{all:?}");
    let size = bytes(&all[0]).len();
    for n in 0_u64..1 << (8 * size) {
        let expect = all.iter().copied().find(|e| number(*e) == n);
        assert_eq!(from_number(n), expect, "{n}");
        assert_eq!(T::read(&mut Reader(&n.to_le_bytes()[..size])), expect, "{n}");
    }
}

proptest! {
    #[test]
    fn commands_read_back(numbers in numbers(), at: prop::sample::Index, damage: u8) {
        for example in Command::EXAMPLES {
            let command = example(&mut Source(&numbers));
            check_value(&command);
            check_damage(&command, at, damage);
        }
    }

    #[test]
    fn events_read_back(numbers in numbers(), at: prop::sample::Index, damage: u8) {
        for example in Event::EXAMPLES {
            let event = example(&mut Source(&numbers));
            check_value(&event);
            check_damage(&event, at, damage);
        }
    }

    #[test]
    fn other_stored_values_read_back(numbers in numbers()) {
        let mut source = Source(&numbers);
        check_value(&source.value::<Entry>());
        check_value(&source.value::<Balance>());
        check_value(&source.value::<AccountTrade>());
        check_value(&source.value::<Withdrawal>());
        check_value(&(source.value::<u8>(), source.value::<Instrument>()));
        check_value(&vec![source.value::<Option<Side>>(), source.value(), source.value()]);
    }

    #[test]
    fn arbitrary_bytes_read_as_written_or_not_at_all(
        input in prop::collection::vec(prop_oneof![0_u8..4, any::<u8>()], 0..400),
    ) {
        check_bytes::<Entry>(&input);
        check_bytes::<Command>(&input);
        check_bytes::<Event>(&input);
        check_bytes::<Vec<AccountTrade>>(&input);
        check_bytes::<Vec<Withdrawal>>(&input);
    }
}

#[test]
fn unknown_variants_are_refused() {
    fn check<T: Choice>() {
        let examples: Vec<_> =
            T::EXAMPLES.iter().map(|example| bytes(&example(&mut Source(&[])))).collect();
        let known: Vec<u8> = examples.iter().map(|bytes| bytes[0]).collect();
        assert!(known.is_sorted_by(|a, b| a < b), "{known:?}");
        for number in (0..=u8::MAX).filter(|number| !known.contains(number)) {
            for mut bytes in examples.iter().cloned() {
                bytes[0] = number;
                assert_eq!(T::read(&mut Reader(&bytes)), None, "variant {number}");
            }
        }
    }
    check::<Command>();
    check::<Event>();
}

#[test]
fn each_value_has_one_form() {
    fn check<T: Wire + Debug + PartialEq>(bytes: &[u8], expect: Option<T>) {
        assert_eq!(T::read(&mut Reader(bytes)), expect, "{bytes:?}");
    }
    check(&[1], Some(true));
    check::<bool>(&[2], None);
    check(&[0], Some(None::<u8>));
    check::<Option<u8>>(&[2, 7], None);
    check(&[0, 7, 0, 0, 0, 0, 0, 0, 0], Some(OrderSize::Base(Qty::from_lots(7))));
    check::<OrderSize>(&[2; 17], None);
    check(&[2, b'a', b'b'], ClOrdId::parse("ab"));
    check::<ClOrdId>(&[0], None);
    check::<ClOrdId>(&[2, b'a', b' '], None);
    check::<ClOrdId>(&[2, b'a', 0xff], None);
    check::<ClOrdId>(&[[37].as_slice(), &[b'a'; 37]].concat(), None);
    check(&[0], Sealed::new(&[]));
    let sealed = |head: &[u8], len| [head, &vec![7; len]].concat();
    check(&sealed(&[254], 254), Sealed::new(&[7; 254]));
    check(&sealed(&[255, 255, 0], 255), Sealed::new(&[7; 255]));
    check(&sealed(&[255, 80, 2], 592), Sealed::new(&[7; 592]));
    // Too long, and short enough for one byte.
    check::<Sealed>(&sealed(&[255, 81, 2], 593), None);
    check::<Sealed>(&sealed(&[255, 254, 0], 254), None);
    check(&[2, 0, 0, 0, 5, 6], Some(vec![5_u8, 6]));
    check::<Vec<u64>>(&[0xff, 0xff, 0xff, 0xff, 5, 6], None);
}

/// `formats.txt` has an entry, and an example of every command and event as logs and snapshots
/// store it, in hexadecimal. Fields are 1, 2, 3, and so on; in every second of the larger ones the
/// fifth byte is 1 too. Existing lines never change. `TYPES_FORMATS=write` adds new lines.
#[test]
fn formats_stay_as_they_are() {
    let numbers: Vec<u64> = (1..200).map(|i| i | (i % 2) << 32).collect();

    fn line<T: Wire>(name: &str, value: &T) -> String {
        let hex: String = bytes(value).iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{name} {hex}")
    }
    fn lines<T: Choice>(numbers: &[u64]) -> impl Iterator<Item = String> + Clone {
        let examples = T::EXAMPLES.iter().map(|example| example(&mut Source(numbers)));
        examples.map(|value| line(value.variant(), &value))
    }

    let entry = line("Entry", &Source(&numbers).value::<Entry>());
    let examples = lines::<Command>(&numbers).chain(lines::<Event>(&numbers));
    let terms = [
        line("Terms", &Source(&numbers).value::<Terms>()),
        line("OrderTerms", &Source(&numbers).value::<OrderTerms>()),
    ];
    let login = Source(&numbers).value();
    let key = KeySpec { login: Some(login), ..Source(&numbers).value() };
    let logins = vec![Source(&numbers).value()];
    let rotate = RotateMasterKey { logins, ..Source(&numbers).value() };
    let of_logins = [line("KeySpec", &key), line("RotateMasterKey", &rotate)];
    let all = std::iter::once(entry).chain(examples).chain(terms).chain(of_logins);
    if std::env::var_os("TYPES_FORMATS").is_some_and(|value| value == "write") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats.txt");
        let text: String = all.clone().map(|line| line + "\n").collect();
        std::fs::write(path, text).expect("it can be written");
    }
    let mut golden = include_str!("../formats.txt").lines();
    for line in all {
        assert_eq!(
            golden.next(),
            Some(line.as_str()),
            "the format has changed. Formats carry a version: bump those of the log and of the \
             snapshot, keep reading the old ones, and only then change formats.txt"
        );
    }
    assert_eq!(golden.next(), None, "a line without an example");
}
