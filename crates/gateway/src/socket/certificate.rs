//! The end of a certificate's validity, read from its DER.
//!
//! rustls verifies certificates of peers and does not return their times. The few fields in front
//! of the validity are all that is read here.

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// Days from 0000-03-01, from which years are counted below, to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

/// The Unix time in seconds after which the certificate is not valid; `None` if it is malformed.
pub(crate) fn expiry_s(der: &[u8]) -> Option<i64> {
    let (certificate, _) = element(der, SEQUENCE)?;
    let (mut fields, _) = element(certificate, SEQUENCE)?;
    if let Some((_, rest)) = element(fields, VERSION) {
        fields = rest;
    }
    // Serial number, algorithm, issuer.
    for _ in 0..3 {
        fields = any(fields)?.2;
    }
    let (validity, _) = element(fields, SEQUENCE)?;
    let (_, _, not_after) = any(validity)?;
    let (kind, text, _) = any(not_after)?;
    time_s(kind, text)
}

/// The content of the first element, if it has this tag, and what follows it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (found, content, rest) = any(der)?;
    (found == tag).then_some((content, rest))
}

/// Tag and content of the first element, and what follows it.
fn any(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, mut rest) = rest.split_first()?;
    let mut len = usize::from(first);
    if first & 0x80 != 0 {
        let (bytes, after) = rest.split_at_checked(usize::from(first & 0x7f))?;
        let add = |len: usize, byte: &u8| len.checked_mul(256)?.checked_add(usize::from(*byte));
        (len, rest) = (bytes.iter().try_fold(0, add)?, after);
    }
    let (content, rest) = rest.split_at_checked(len)?;
    Some((tag, content, rest))
}

/// `YYMMDDHHMMSSZ`, where years from 50 on are of the last century, or `YYYYMMDDHHMMSSZ`.
fn time_s(kind: u8, text: &[u8]) -> Option<i64> {
    let digits = text.strip_suffix(b"Z")?;
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<i64>().ok();
    let (year, rest) = match kind {
        UTC_TIME => {
            let (year, rest) = digits.split_at_checked(2)?;
            let year = number(year)?;
            (if year < 50 { 2_000 + year } else { 1_900 + year }, rest)
        }
        GENERALIZED_TIME => {
            let (year, rest) = digits.split_at_checked(4)?;
            (number(year)?, rest)
        }
        _ => return None,
    };
    let (pairs, odd) = rest.as_chunks::<2>();
    let parts: Vec<i64> = pairs.iter().map(|pair| number(&pair[..])).collect::<Option<_>>()?;
    let (&[month, day, hour, minute, second], []) = (&parts[..], odd) else { return None };
    Some(((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second)
}

/// Days since 1970. A year is counted from March on, so that the leap day is its last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - DAYS_TO_1970
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_self_signed_certificate_ends_in_the_year_4096() {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        assert_eq!(expiry_s(made.cert.der()), Some(67_090_118_400));
        let der = made.cert.der();
        (0..der.len()).for_each(|end| assert_eq!(expiry_s(&der[..end]), None, "cut at {end}"));
    }

    #[test]
    fn times_have_two_forms() {
        assert_eq!(time_s(UTC_TIME, b"700101000000Z"), Some(0));
        assert_eq!(time_s(UTC_TIME, b"240229120102Z"), Some(1_709_208_062));
        assert_eq!(time_s(GENERALIZED_TIME, b"20240229120102Z"), Some(1_709_208_062));
        for malformed in [&b"240229120102"[..], b"Z", b"24022912010Z", b"2402291201020Z"] {
            assert_eq!(time_s(UTC_TIME, malformed), None);
        }
    }
}
