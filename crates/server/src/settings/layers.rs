//! The layers that settings come from: defaults, variables `BUTTONWOOD_*`, the file, flags. The
//! later layer wins.
//!
//! A setting has a place in a section (`[log] segment_kib`) and a flat name (`log_segment_kib`).
//! Flags and variables have flat names; a file may use either form. Errors name a setting as its
//! source does.

use std::collections::BTreeSet;
use std::path::Path;

use figment::providers::{Format, Serialized, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Section, key and flat name of the settings whose flat name is not their key.
pub(super) type FlatNames = &'static [(&'static str, &'static str, &'static str)];

/// Section, key and flat name of all settings.
struct Sections(Vec<(String, String, String)>);

const VARIABLES_PREFIX: &str = "BUTTONWOOD_";

/// Layers the settings. The error names the setting and where it came from.
pub(super) fn extract<T: Default + DeserializeOwned + Serialize>(
    flat_names: FlatNames,
    file: Option<&Path>,
    variables: impl Iterator<Item = (String, String)>,
    flags: &impl Serialize,
) -> Result<T, String> {
    let defaults = Value::serialize(T::default()).map_err(|error| error.to_string())?;
    let sections = Sections::of(&defaults, flat_names);
    let variables = read_variables(&sections, &defaults, variables)?;
    let named =
        |_: &Profile, keys: &[&str]| format!("{VARIABLES_PREFIX}{}", keys.join(".").to_uppercase());
    let from = Metadata::named("the environment").interpolater(named);
    let mut figment = Figment::from(Serialized::defaults(T::default()))
        .merge(Layer { from, dict: sections.nest(variables) });
    let mut in_sections = BTreeSet::new();
    if let Some(file) = file {
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("the configuration {}: {error}", file.display()))?;
        let read = sections.read(&text);
        let (dict, found) =
            read.map_err(|error| format!("the configuration {}: {error}", file.display()))?;
        in_sections = found;
        figment = figment.merge(Layer { from: Toml::string(&text).metadata(), dict });
    }
    let flags = Value::serialize(flags).map_err(|error| error.to_string())?;
    let mut flags = flags.into_dict().ok_or("flags are no settings")?;
    flags.retain(|_, value| is_given(value));
    figment
        .merge(Layer { from: Metadata::named("the flags"), dict: sections.nest(flags) })
        .extract()
        .map_err(|error| sections.named(error, &in_sections).to_string())
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
    from: Metadata,
    dict: Dict,
}

impl Provider for Layer {
    fn metadata(&self) -> Metadata {
        self.from.clone()
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

    /// A file's settings by section, and the places of those that are written in a section. Refuses
    /// unknown keys: a mistyped one would leave its setting at the default.
    fn read(&self, text: &str) -> Result<(Dict, BTreeSet<(String, String)>), String> {
        let found: Dict =
            Figment::from(Toml::string(text)).extract().map_err(|error| error.to_string())?;
        // Serialized again to drop the tags of that figment: with them, errors name no layer.
        let found = Value::serialize(found).map_err(|error| error.to_string())?;
        let found = found.into_dict().unwrap_or_default();
        let mut nested = Dict::new();
        let mut in_sections = BTreeSet::new();
        let mut flat = Vec::new();
        for (name, value) in found {
            match value {
                Value::Dict(_, values) if self.0.iter().any(|(section, ..)| *section == name) => {
                    for (key, value) in values {
                        if !self.0.iter().any(|of| (&of.0, &of.1) == (&name, &key)) {
                            return Err(format!("unknown key `{name}.{key}`"));
                        }
                        insert(&mut nested, (&name, &key), value);
                        in_sections.insert((name.clone(), key));
                    }
                }
                value => flat.push((name, value)),
            }
        }
        for (name, value) in flat {
            let Some((section, key)) = self.place(&name) else {
                return Err(format!("unknown key `{name}`"));
            };
            if in_sections.contains(&(section.to_owned(), key.to_owned())) {
                return Err(format!(
                    "`{section}.{key}` and `{name}` are one setting: leave one of them out"
                ));
            }
            insert(&mut nested, (section, key), value);
        }
        Ok((nested, in_sections))
    }

    /// The error with the setting named as its source names it.
    fn named(
        &self,
        mut error: figment::Error,
        in_sections: &BTreeSet<(String, String)>,
    ) -> figment::Error {
        let [section, key, rest @ ..] = &error.path[..] else { return error };
        let is_file = error.metadata.as_ref().map(|from| from.name.as_ref())
            == Some(Toml::string("").metadata().name.as_ref());
        if is_file && in_sections.contains(&(section.clone(), key.clone())) {
            return error;
        }
        let flat = self.0.iter().find(|(of, known, _)| of == section && known == key);
        if let Some((_, _, flat)) = flat {
            error.path = [std::slice::from_ref(flat), rest].concat();
        }
        error
    }
}

fn insert(nested: &mut Dict, (section, key): (&str, &str), value: Value) {
    let section = nested.entry(section.to_owned()).or_insert_with(|| Dict::new().into());
    if let Value::Dict(_, values) = section {
        values.insert(key.to_owned(), value);
    }
}

/// The settings among the environment's variables. The type of a setting's default decides how its
/// text is parsed.
fn read_variables(
    sections: &Sections,
    defaults: &Value,
    variables: impl Iterator<Item = (String, String)>,
) -> Result<Dict, String> {
    let mut settings = Dict::new();
    for (name, text) in variables {
        let Some(flat) = name.strip_prefix(VARIABLES_PREFIX).map(str::to_lowercase) else {
            continue;
        };
        let Some((section, key)) = sections.place(&flat) else { continue };
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::{FLAT_NAMES, Settings};

    fn all() -> (Sections, Value) {
        let defaults = Value::serialize(Settings::default()).unwrap();
        (Sections::of(&defaults, FLAT_NAMES), defaults)
    }

    fn variables(name: &str, text: &str) -> Result<serde_json::Value, String> {
        let (sections, defaults) = all();
        let variables = [(name.to_owned(), text.to_owned())].into_iter();
        let read = read_variables(&sections, &defaults, variables)?;
        Ok(serde_json::to_value(read).unwrap())
    }

    #[test]
    fn a_variable_is_read_as_its_setting_is_meant() {
        assert_eq!(variables("BUTTONWOOD_DEMO", "1").unwrap()["demo"], true);
        assert_eq!(variables("BUTTONWOOD_NO_BOTS", "false").unwrap()["no_bots"], false);
        assert_eq!(variables("BUTTONWOOD_DATA_DIR", "123").unwrap()["data_dir"], "123");
        assert_eq!(variables("BUTTONWOOD_BOTS_SEED", "7").unwrap()["bots_seed"], 7);
        assert_eq!(variables("BUTTONWOOD_DATA", "elsewhere").unwrap(), json!({}));
        assert!(variables("BUTTONWOOD_DEMO", "maybe").unwrap_err().contains("BUTTONWOOD_DEMO"));
        let error = variables("BUTTONWOOD_BOTS_SEED", "x").unwrap_err();
        assert!(error.contains("BUTTONWOOD_BOTS_SEED"));
        let two = variables("BUTTONWOOD_CORS_ORIGIN", "https://a, https://b").unwrap();
        assert_eq!(two["cors_origin"], json!(["https://a", "https://b"]));
    }

    #[test]
    fn each_setting_has_one_place_and_one_flat_name() {
        let defaults = serde_json::to_value(Settings::default()).unwrap();
        let sections = defaults.as_object().unwrap();
        let fields = sections.iter().flat_map(|(section, fields)| {
            let fields = fields.as_object().unwrap().keys();
            fields.map(|field| (section.clone(), field.clone()))
        });
        let fields: BTreeSet<_> = fields.collect();
        let places = all().0.0;
        for (section, key, _) in FLAT_NAMES {
            assert!(fields.contains(&(String::from(*section), String::from(*key))), "{key}");
        }
        let named = places.iter().map(|(section, key, _)| (section.clone(), key.clone()));
        assert_eq!(fields, named.collect());
        let flat: BTreeSet<_> = places.iter().map(|(_, _, flat)| flat).collect();
        assert_eq!((flat.len(), fields.len()), (places.len(), places.len()));
    }

    #[test]
    fn each_setting_is_on_the_page_for_operators_with_its_section() {
        let page = include_str!("../../../../docs/operations.md");
        for (section, key, flat) in all().0.0 {
            assert!(page.contains(&format!("| `[{section}]` `{key}` | `{flat}` |")), "{flat}");
        }
    }

    fn read(text: &str) -> Result<Settings, String> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("b.toml");
        std::fs::write(&file, text).unwrap();
        extract(FLAT_NAMES, Some(&file), std::iter::empty(), &json!({}))
    }

    #[test]
    fn a_file_has_sections_or_flat_keys_or_both() {
        let flat = "http = \"127.0.0.1:1\"\nlog_segment_kib = 8\nspool_max_mib = 33\n";
        let sections = "[http]\naddress = \"127.0.0.1:1\"\n[log]\nsegment_kib = 8\n\
                        [spool]\nmax_mib = 33\n";
        let both = "http = \"127.0.0.1:1\"\nlog.segment_kib = 8\n[spool]\nmax_mib = 33\n";
        for text in [flat, sections, both] {
            let read = read(text).unwrap();
            assert_eq!(read.http.address.port(), 1, "{text}");
            assert_eq!((read.log.segment_kib, read.spool.max_mib), (8, 33), "{text}");
            assert_eq!(read.venue.snapshot_every, Settings::default().venue.snapshot_every);
        }
    }

    #[test]
    fn a_setting_given_in_both_forms_is_refused_by_both_names() {
        let error = read("log_segment_kib = 8\n[log]\nsegment_kib = 8\n").unwrap_err();
        assert!(error.contains("`log.segment_kib` and `log_segment_kib`"), "{error}");
        let error = read("snapshot_every = 8\n[venue]\nsnapshot_every = 9\n").unwrap_err();
        assert!(error.contains("`venue.snapshot_every` and `snapshot_every`"), "{error}");
        // TOML itself has no key that is both a value and a section.
        let error = read("http = \"127.0.0.1:1\"\n[http]\naddress = \"127.0.0.1:1\"\n");
        assert!(error.unwrap_err().contains("http"));
    }

    #[test]
    fn unknown_keys_of_a_section_are_named_with_it() {
        for (text, key) in [
            ("[http]\nadress = \"127.0.0.1:1\"\n", "`http.adress`"),
            ("[log]\nlog_segment_kib = 8\n", "`log.log_segment_kib`"),
            ("[lgo]\nsegment_kib = 8\n", "`lgo`"),
            ("logging = 8\n", "`logging`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains("b.toml: unknown key") && error.contains(key), "{error}");
        }
    }

    #[test]
    fn a_wrong_value_is_named_as_its_source_names_it() {
        for (text, key) in [
            ("[log]\nsegment_kib = \"x\"\n", "\"default.log.segment_kib\" in TOML"),
            ("log_segment_kib = \"x\"\n", "\"default.log_segment_kib\" in TOML"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(key), "{error}");
        }
        let variable = ("BUTTONWOOD_DURABILITY".to_owned(), "x".to_owned());
        let read = extract::<Settings>(FLAT_NAMES, None, [variable].into_iter(), &json!({}));
        let error = read.unwrap_err();
        assert!(error.contains("\"BUTTONWOOD_DURABILITY\" in the environment"), "{error}");
    }
}
