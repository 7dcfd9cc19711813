//! File names that are numbers, for segments and snapshots.

use std::path::Path;

/// The decimal digits of `u64::MAX`: names sort as numbers do.
const NAME_DIGITS: usize = 20;

/// `00000000000000000042.log`
pub(crate) fn numbered_name(number: u64, extension: &str) -> String {
    format!("{number:0NAME_DIGITS$}.{extension}")
}

pub(crate) fn parse_numbered_name(path: &Path, extension: &str) -> Option<u64> {
    let stem = path.file_name()?.to_str()?.strip_suffix(extension)?.strip_suffix('.')?;
    if stem.len() != NAME_DIGITS || !stem.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    stem.parse().ok()
}
