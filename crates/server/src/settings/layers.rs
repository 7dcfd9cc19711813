//! The layers that settings come from: defaults, variables `BUTTONWOOD_*`, the file, flags. The
//! later layer wins.
//!
//! A setting has a place in a section (`[log] segment_kib`) and a flat name (`log_segment_kib`).
//! Flags and variables have flat names; a file may use either form. Errors name the variable, the
//! flag, or the file and the line.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use figment::providers::{Format, Serialized, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::sources::{File, nearest, reason};

/// Section, key and flat name of the settings whose flat name is not their key.
pub(super) type FlatNames = &'static [(&'static str, &'static str, &'static str)];

/// Section, key and flat name of all settings.
struct Sections(Vec<(String, String, String)>);

pub(super) const VARIABLES_PREFIX: &str = "BUTTONWOOD_";
/// The variable that names the file.
const CONFIG: &str = "config";
/// Variables of clients, of `admin --url` and of this project's tests, which are no settings.
const OTHER_PROGRAMS: [&str; 13] = [
    "url",
    "operator_key",
    "streams_url",
    "binary",
    "dist",
    "crash_rounds",
    "power_rounds",
    "power_seed",
    "recipes",
    "framing",
    "monitoring",
    "grpc_tools",
    "postgres",
];

const ENVIRONMENT: &str = "the environment";
const CONFIGURATION: &str = "the configuration";

/// Layers the settings. The error names the setting and where it came from.
pub(super) fn extract<T: Default + DeserializeOwned + Serialize>(
    flat_names: FlatNames,
    file: Option<&Path>,
    variables: impl Iterator<Item = (OsString, OsString)>,
    flags: &impl Serialize,
) -> Result<(T, Origins), String> {
    let defaults = Value::serialize(T::default()).map_err(|error| error.to_string())?;
    let sections = Sections::of(&defaults, flat_names);
    let mut origins =
        Origins { sections, variables: BTreeSet::new(), file: None, flags: BTreeSet::new() };
    let sections = &origins.sections;
    let variables = read_variables(sections, &defaults, variables)?;
    origins.variables = variables.keys().cloned().collect();
    let mut figment = Figment::from(Serialized::defaults(T::default()))
        .merge(Layer { name: ENVIRONMENT, dict: sections.nest(variables) });
    if let Some(path) = file {
        let (file, dict) = sections.read(path)?;
        figment = figment.merge(Layer { name: CONFIGURATION, dict });
        origins.file = Some(file);
    }
    let flags = Value::serialize(flags).map_err(|error| error.to_string())?;
    let mut flags = flags.into_dict().ok_or("flags are no settings")?;
    flags.retain(|_, value| is_given(value));
    origins.flags = flags.keys().cloned().collect();
    let all = figment
        .merge(Layer { name: "the flags", dict: sections.nest(flags) })
        .extract()
        .map_err(|error| origins.sentence(&error))?;
    Ok((all, origins))
}

/// The sources of the settings, for errors.
pub(super) struct Origins {
    sections: Sections,
    /// Flat names, like those of `flags`.
    variables: BTreeSet<String>,
    file: Option<File>,
    flags: BTreeSet<String>,
}

impl Origins {
    /// What figment found wrong, with the setting named as its source names it.
    fn sentence(&self, error: &figment::Error) -> String {
        let reason = reason(&error.kind);
        let flat = match &error.path[..] {
            [section, key, ..] => self.sections.flat(section, key),
            _ => None,
        };
        let Some(flat) = flat else { return reason };
        let layer = error.metadata.as_ref().map_or("", |from| &from.name);
        let name = match (layer, &self.file) {
            (ENVIRONMENT, _) => variable(flat),
            (CONFIGURATION, Some(file)) => self.in_file(file, flat),
            _ => flag(flat),
        };
        format!("{name} {reason}")
    }

    /// A sentence about settings by their flat names, with the places that set them.
    pub(super) fn with_places(&self, sentence: String) -> String {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let words: BTreeSet<_> = sentence.split(|letter| !is_name(letter)).collect();
        let named = self.sections.0.iter().filter(|(_, _, flat)| words.contains(flat.as_str()));
        let places = named.filter_map(|(_, _, flat)| match &self.file {
            _ if self.flags.contains(flat) => Some(flag(flat)),
            Some(file) if self.is_in_file(flat) => Some(self.in_file(file, flat)),
            _ => self.variables.contains(flat).then(|| variable(flat)),
        });
        let places: Vec<_> = places.collect();
        if places.is_empty() {
            sentence
        } else {
            format!("{sentence} (from {})", places.join(", "))
        }
    }

    pub(super) fn is_set(&self, flat: &str) -> bool {
        self.flags.contains(flat) || self.is_in_file(flat) || self.variables.contains(flat)
    }

    /// Whether the setting's value is that of its variable.
    pub(super) fn is_variable(&self, flat: &str) -> bool {
        self.variables.contains(flat) && !self.flags.contains(flat) && !self.is_in_file(flat)
    }

    fn is_in_file(&self, flat: &str) -> bool {
        self.file.as_ref().is_some_and(|file| file.line(self.sections.keys(flat)).is_some())
    }

    fn in_file(&self, file: &File, flat: &str) -> String {
        file.named(self.sections.keys(flat))
    }
}

fn variable(flat: &str) -> String {
    format!("{VARIABLES_PREFIX}{}", flat.to_uppercase())
}

fn flag(flat: &str) -> String {
    let name = if flat == "data_dir" { "data" } else { flat };
    format!("--{}", name.replace('_', "-"))
}

/// A flag without a value, a switch that is off and an empty list are not on the command line.
fn is_given(flag: &Value) -> bool {
    match flag {
        Value::Empty(..) | Value::Bool(_, false) => false,
        Value::Array(_, list) => !list.is_empty(),
        _ => true,
    }
}

/// Settings of one source, by section.
struct Layer {
    name: &'static str,
    dict: Dict,
}

impl Provider for Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.name)
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Ok(Map::from([(Profile::Default, self.dict.clone())]))
    }
}

impl Sections {
    /// The sections and keys are those of the defaults.
    fn of(defaults: &Value, flat_names: FlatNames) -> Self {
        let fields = |value: &Value| value.clone().into_dict().unwrap_or_default();
        let mut all = Vec::new();
        for (section, values) in fields(defaults) {
            for key in fields(&values).into_keys() {
                let named = flat_names.iter().find(|named| (named.0, named.1) == (&section, &key));
                let flat = named.map_or(key.clone(), |named| named.2.to_owned());
                all.push((section.clone(), key, flat));
            }
        }
        Self(all)
    }

    /// Section and key of a flat name.
    fn place(&self, flat: &str) -> Option<(&str, &str)> {
        self.0
            .iter()
            .find(|(_, _, name)| name == flat)
            .map(|(section, key, _)| (&**section, &**key))
    }

    fn flat(&self, section: &str, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(of, known, _)| of == section && known == key);
        found.map(|(_, _, flat)| &**flat)
    }

    /// The flat name, and section and key.
    fn keys<'a>(&'a self, flat: &'a str) -> (&'a str, &'a str, &'a str) {
        let (section, key) = self.place(flat).unwrap_or(("", flat));
        (flat, section, key)
    }

    /// Puts settings with flat names into their sections, and skips other names.
    fn nest(&self, flat: Dict) -> Dict {
        let mut nested = Dict::new();
        for (name, value) in flat {
            if let Some(place) = self.place(&name) {
                insert(&mut nested, place, value);
            }
        }
        nested
    }

    /// A file's settings by section. Refuses unknown keys: a mistyped one would leave its setting
    /// at the default.
    fn read(&self, path: &Path) -> Result<(File, Dict), String> {
        let file = File::read(path)?;
        let found = Figment::from(Toml::string(&file.text)).extract::<Dict>();
        let found = found.map_err(|error| file.syntax(&reason(&error.kind)))?;
        let mut nested = Dict::new();
        let mut flat = Vec::new();
        for (name, value) in found {
            match untagged(value)? {
                Value::Dict(_, values) if self.0.iter().any(|(section, ..)| *section == name) => {
                    for (key, value) in values {
                        if self.flat(&name, &key).is_none() {
                            let of_section = self.0.iter().filter(|(section, ..)| *section == name);
                            let known = of_section.map(|(_, key, _)| key.as_str());
                            return Err(file.unknown(("", &name, &key), nearest(&key, known)));
                        }
                        insert(&mut nested, (&name, &key), value);
                    }
                }
                value => flat.push((name, value)),
            }
        }
        for (name, value) in flat {
            let Some((section, key)) = self.place(&name) else {
                let sections = self.0.iter().map(|(section, ..)| section.as_str());
                let known = self.0.iter().map(|(_, _, flat)| flat.as_str()).chain(sections);
                return Err(file.unknown((&name, "", ""), nearest(&name, known)));
            };
            if nested.get(section).is_some_and(|values| values.find_ref(key).is_some()) {
                return Err(format!(
                    "{}: `{section}.{key}` and `{name}` are one setting: leave one of them out",
                    file.place((&name, "", ""))
                ));
            }
            insert(&mut nested, (section, key), value);
        }
        Ok((file, nested))
    }
}

/// The value without the tags of the figment that read it: with them, errors name no layer.
fn untagged(value: Value) -> Result<Value, String> {
    Value::serialize(value).map_err(|error| error.to_string())
}

fn insert(nested: &mut Dict, (section, key): (&str, &str), value: Value) {
    let section = nested.entry(section.to_owned()).or_insert_with(|| Dict::new().into());
    if let Value::Dict(_, values) = section {
        values.insert(key.to_owned(), value);
    }
}

/// The settings among the environment's variables. The type of a setting's default decides how its
/// text is parsed. Refuses unknown names that begin as settings do.
fn read_variables(
    sections: &Sections,
    defaults: &Value,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<Dict, String> {
    let mut settings = Dict::new();
    for (name, text) in variables {
        let Some(name) = name.to_str().filter(|name| name.starts_with(VARIABLES_PREFIX)) else {
            continue;
        };
        let flat = name[VARIABLES_PREFIX.len()..].to_lowercase();
        let Some((section, key)) = sections.place(&flat) else {
            check_is_no_setting(sections, name, &flat, &text.to_string_lossy())?;
            continue;
        };
        let text = text.into_string().map_err(|_| format!("{name} is not UTF-8"))?;
        let default = defaults.find_ref(&format!("{section}.{key}"));
        let value = match default {
            Some(Value::Bool(..)) => match text.as_str() {
                "1" | "true" => Value::from(true),
                "0" | "false" => Value::from(false),
                _ => return Err(format!("{name} is neither true nor false: {text}")),
            },
            Some(Value::Num(..)) => {
                let number: Result<u64, _> = text.parse();
                number.map_err(|_| format!("{name} is not a whole number: {text}"))?.into()
            }
            Some(Value::Array(..)) => {
                text.split(',').map(str::trim).map(str::to_owned).collect::<Vec<_>>().into()
            }
            _ => Value::from(text),
        };
        settings.insert(flat, value);
    }
    Ok(settings)
}

fn check_is_no_setting(
    sections: &Sections,
    name: &str,
    flat: &str,
    text: &str,
) -> Result<(), String> {
    if flat == CONFIG || OTHER_PROGRAMS.contains(&flat) || is_service_link(flat, text) {
        return Ok(());
    }
    let known = sections.0.iter().map(|(_, _, flat)| flat.as_str());
    let hint = match nearest(flat, known.chain([CONFIG])) {
        Some(near) => format!("did you mean {}?", variable(near)),
        None => "`buttonwood serve --help` lists all".to_owned(),
    };
    Err(format!("unknown variable {name}: {hint}"))
}

/// Whether Kubernetes sets a variable of this name in each container, for a service whose name
/// begins with `buttonwood`.
fn is_service_link(flat: &str, text: &str) -> bool {
    const TRANSPORTS: [&str; 3] = ["tcp", "udp", "sctp"];
    let link = format!("_{flat}");
    if link.ends_with("_service_host") || link.ends_with("_service_port") {
        return true;
    }
    let is_url = TRANSPORTS.iter().any(|transport| text.starts_with(&format!("{transport}://")));
    let of_port = link.split_once("_port_").is_some_and(|(_, rest)| {
        let mut words = rest.split('_');
        words.next().is_some_and(|number| number.parse::<u16>().is_ok())
            && words.next().is_some_and(|transport| TRANSPORTS.contains(&transport))
            && words.next().is_none_or(|word| ["proto", "port", "addr"].contains(&word))
            && words.next().is_none()
    });
    of_port || link.ends_with("_port") && is_url || link.contains("_service_port_")
}

#[cfg(test)]
mod tests;
