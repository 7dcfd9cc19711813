//! Errors of settings in the words of their source: the file and line, and reasons without names
//! of types.

use std::path::{Path, PathBuf};

use figment::error::Kind;

/// A flat name, and a section with its key: a setting is written in either form.
pub(super) type Keys<'a> = (&'a str, &'a str, &'a str);

/// A configuration file.
pub(super) struct File {
    path: PathBuf,
    pub(super) text: String,
}

impl File {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("the configuration {}: {error}", path.display()))?;
        Ok(Self { path: path.to_owned(), text })
    }

    /// The line that sets a key, from 1, and the key as it stands there.
    pub(super) fn line(&self, (flat, section, key): Keys<'_>) -> Option<(usize, String)> {
        let dotted = format!("{section}.{key}");
        let mut current = String::new();
        for (at, line) in (1..).zip(self.text.lines()) {
            let line = line.trim();
            if let Some(header) = line.strip_prefix('[') {
                current = header.split(']').next().unwrap_or_default().trim().to_owned();
                if !flat.is_empty() && current == flat {
                    return Some((at, flat.to_owned()));
                }
                continue;
            }
            let Some((name, _)) = line.split_once('=') else { continue };
            let name: String = name.chars().filter(|letter| !" \t\"'".contains(*letter)).collect();
            let is_flat = current.is_empty() && !flat.is_empty() && name == flat;
            let is_dotted = current.is_empty() && name == dotted;
            let is_in_section = !current.is_empty() && current == section && name == key;
            if is_flat {
                return Some((at, name));
            }
            if is_dotted || is_in_section {
                return Some((at, dotted));
            }
        }
        None
    }

    /// `FILE:LINE`, or the file alone for a key that the text has in another form.
    pub(super) fn place(&self, keys: Keys<'_>) -> String {
        match self.line(keys) {
            Some((line, _)) => format!("{}:{line}", self.path.display()),
            None => self.path.display().to_string(),
        }
    }

    /// `FILE:LINE: KEY`.
    pub(super) fn named(&self, keys: Keys<'_>) -> String {
        let name = self.line(keys).map_or(keys.0.to_owned(), |(_, name)| name);
        format!("{}: {name}", self.place(keys))
    }

    pub(super) fn unknown(&self, keys: Keys<'_>, near: Option<&str>) -> String {
        let (flat, section, key) = keys;
        let (name, prefix) = match flat {
            "" => (format!("{section}.{key}"), format!("{section}.")),
            _ => (flat.to_owned(), String::new()),
        };
        let hint = near.map(|near| format!(": did you mean `{prefix}{near}`?")).unwrap_or_default();
        format!("{}: unknown key `{name}`{hint}", self.place(keys))
    }

    /// The parser's reason: several lines, of which the first has the place and the last the fault.
    pub(super) fn syntax(&self, reason: &str) -> String {
        let path = self.path.display();
        let lines: Vec<_> = reason.lines().collect();
        let line = lines.first().and_then(|first| {
            let (_, rest) = first.split_once("at line ")?;
            rest.split(',').next()
        });
        let fault = lines.last().copied().unwrap_or(reason);
        match line {
            Some(line) => format!("{path}:{line}: {fault}"),
            None => format!("{path}: {}", lines.join(" ")),
        }
    }
}

/// The continuation of a sentence that begins with a setting's name.
pub(super) fn reason(kind: &Kind) -> String {
    match kind {
        Kind::InvalidType(found, expected) | Kind::InvalidValue(found, expected) => {
            format!("must be {}, and is {found}", plain(expected))
        }
        Kind::UnknownVariant(found, expected) => {
            let quoted: Vec<_> = expected.iter().map(|name| format!("`{name}`")).collect();
            let all = match &quoted[..] {
                [first @ .., last] if !first.is_empty() => {
                    format!("{} or {last}", first.join(", "))
                }
                _ => quoted.join(""),
            };
            format!("must be {all}, and is `{found}`")
        }
        Kind::Message(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Names of types in plain words.
fn plain(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "a boolean" | "bool" => "true or false",
        "path string" => "a path",
        "a string" => "a text in quotes",
        "a sequence" => "a list",
        other => other,
    }
}

/// The known name that is most like a mistyped one, if any is like it.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let score = |known: &str| {
        let is_part = known.contains(name) || name.contains(known);
        let distance = distance(name, known);
        let is_near = distance <= 1 + name.len() / 5;
        (is_near || is_part && name.len() > 2).then_some(distance)
    };
    let scored = known.filter_map(|known| Some((score(known)?, known)));
    scored.min().map(|(_, known)| known)
}

/// Letters to insert, remove, replace, or exchange with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = match (i, j) {
                (0, _) | (_, 0) => i + j,
                _ => {
                    let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                    if i > 1 && j > 1 && (a[i - 1], a[i - 2]) == (b[j - 2], b[j - 1]) {
                        least = least.min(rows[i - 2][j - 2] + 1);
                    }
                    least
                }
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_is_one_that_is_like_it() {
        let known = ["http", "data_dir", "durability", "demo", "pin"];
        for (name, near) in [
            ("htpt", Some("http")),
            ("data", Some("data_dir")),
            ("durabilty", Some("durability")),
            ("dem", Some("demo")),
            ("zzzz", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, known.into_iter()), near, "{name}");
        }
    }
}
