//! A market as the text of a file.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::form::NONE;
use super::kind::{Kind, VENUE, is_plain};
use super::part::Part;
use super::present::Present;

const HEAD: &str = "\
# A market of Buttonwood, written by `buttonwood export market`. `buttonwood apply FILE` brings a
# venue to it. Secrets are not in it: `apply` makes them for the keys that a venue does not have. For a
# login that a venue does not have, add `password_file` or `password_variable`.
";

pub(super) fn write(present: &Present) -> String {
    let mut text = HEAD.to_owned();
    for part in in_order(&present.parts) {
        let values = part.kind.keys().iter().filter_map(|key| {
            let value = part.values.get(key.name)?;
            (!is_plain(key.name, value)).then_some((key.name, value))
        });
        let values: Vec<_> = values.collect();
        let is_empty = values.is_empty() && part.kind == Kind::Rules;
        if is_empty {
            continue;
        }
        write_line(&mut text, format_args!("\n[{}]", header(part)));
        for (name, value) in values {
            write_line(&mut text, format_args!("{name} = {}", toml(value)));
        }
    }
    for (account, numbers) in &present.unnamed_keys {
        let numbers: Vec<_> = numbers.iter().map(u64::to_string).collect();
        write_line(
            &mut text,
            format_args!(
                "\n# Account {account} has keys without a name, which a file cannot hold: {}",
                numbers.join(", ")
            ),
        );
    }
    if present.has_sealed {
        write_line(
            &mut text,
            format_args!(
                "\n# The venue has keys or logins, which only its master key opens: --master-key FILE"
            ),
        );
    }
    text
}

/// Each account with what stands below it, but not the venue's own account.
fn in_order(parts: &[Part]) -> Vec<&Part> {
    let mut all: Vec<_> = parts.iter().filter(|part| part.kind < Kind::Account).collect();
    let mut owners = Vec::new();
    let mut below: BTreeMap<&str, Vec<&Part>> = BTreeMap::new();
    for part in parts.iter().filter(|part| part.kind >= Kind::Account) {
        let owner = part.names[0].as_str();
        if part.kind == Kind::Account && owner != VENUE {
            owners.push(owner);
        }
        below.entry(owner).or_default().push(part);
    }
    all.extend(owners.into_iter().flat_map(|owner| below.remove(owner).unwrap_or_default()));
    all
}

fn header(part: &Part) -> String {
    let mut words = Vec::new();
    let mut names = part.names.iter();
    for table in part.kind.tables() {
        words.push((*table).to_owned());
        words.extend(names.next().map(|name| quoted_key(name)));
    }
    words.join(".")
}

fn quoted_key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if name.bytes().all(is_bare) { name.to_owned() } else { quoted(name) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn toml(value: &Value) -> String {
    match value {
        Value::Null => quoted(NONE),
        Value::String(text) if text.contains('\n') => format!("\"\"\"\n{text}\"\"\""),
        Value::String(text) => quoted(text),
        Value::Array(rows) if rows.iter().any(Value::is_array) => {
            let rows = rows.iter().map(|row| format!("    {},\n", toml(row)));
            format!("[\n{}]", rows.collect::<String>())
        }
        Value::Array(all) => {
            let all: Vec<_> = all.iter().map(toml).collect();
            format!("[{}]", all.join(", "))
        }
        other => other.to_string(),
    }
}

fn write_line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a text in memory can be written");
}
