//! Tests of the layers, and of the errors that name them.

use serde_json::json;

use super::*;
use crate::settings::{FLAT_NAMES, Settings};

fn all() -> (Sections, Value) {
    let defaults = Value::serialize(Settings::default()).unwrap();
    (Sections::of(&defaults, FLAT_NAMES), defaults)
}

fn variables(name: &str, text: &str) -> Result<serde_json::Value, String> {
    let (sections, defaults) = all();
    let variables = [(name.into(), text.into())].into_iter();
    let read = read_variables(&sections, &defaults, variables)?;
    Ok(serde_json::to_value(read).unwrap())
}

#[test]
fn a_variable_is_read_as_its_setting_is_meant() {
    assert_eq!(variables("BUTTONWOOD_DEMO", "1").unwrap()["demo"], true);
    assert_eq!(variables("BUTTONWOOD_NO_BOTS", "false").unwrap()["no_bots"], false);
    assert_eq!(variables("BUTTONWOOD_DATA_DIR", "123").unwrap()["data_dir"], "123");
    assert_eq!(variables("BUTTONWOOD_BOTS_SEED", "7").unwrap()["bots_seed"], 7);
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
    let page = include_str!("../../../../../docs/operations.md");
    for (section, key, flat) in all().0.0 {
        assert!(page.contains(&format!("| `[{section}]` `{key}` | `{flat}` |")), "{flat}");
    }
}

fn read(text: &str) -> Result<Settings, String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("b.toml");
    std::fs::write(&file, text).unwrap();
    extract(FLAT_NAMES, Some(&file), std::iter::empty(), &json!({})).map(|(all, _)| all)
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
        assert!(error.contains("b.toml:") && error.contains("unknown key"), "{error}");
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn an_unknown_variable_is_refused_with_the_nearest_name() {
    for (name, near) in [
        ("BUTTONWOOD_DATA", "BUTTONWOOD_DATA_DIR"),
        ("BUTTONWOOD_HTPT", "BUTTONWOOD_HTTP"),
        ("BUTTONWOOD_DURABILTY", "BUTTONWOOD_DURABILITY"),
        ("BUTTONWOOD_SEGMENT_KIB", "BUTTONWOOD_LOG_SEGMENT_KIB"),
        ("BUTTONWOOD_CONFIGURATION", "BUTTONWOOD_CONFIG"),
    ] {
        let expected = format!("unknown variable {name}: did you mean {near}?");
        assert_eq!(variables(name, "1").unwrap_err(), expected);
    }
    let error = variables("BUTTONWOOD_QQQQQQQQQQQ", "1").unwrap_err();
    assert!(error.contains("--help"), "{error}");
}

#[test]
fn variables_of_kubernetes_and_of_other_programs_are_no_settings() {
    for (name, text) in [
        ("BUTTONWOOD_SERVICE_HOST", "10.0.0.1"),
        ("BUTTONWOOD_SERVICE_PORT", "8080"),
        ("BUTTONWOOD_SERVICE_PORT_HTTP", "8080"),
        ("BUTTONWOOD_PORT", "tcp://10.0.0.1:8080"),
        ("BUTTONWOOD_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
        ("BUTTONWOOD_PORT_8080_TCP_PROTO", "tcp"),
        ("BUTTONWOOD_PORT_8080_TCP_PORT", "8080"),
        ("BUTTONWOOD_PORT_9000_UDP_ADDR", "10.0.0.1"),
        ("BUTTONWOOD_API_SERVICE_HOST", "10.0.0.1"),
        ("BUTTONWOOD_API_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
        ("BUTTONWOOD_CONFIG", "b.toml"),
        ("BUTTONWOOD_URL", "http://127.0.0.1:8080"),
        ("BUTTONWOOD_CRASH_ROUNDS", "100"),
        ("BUTTONWOODS", "1"),
    ] {
        assert_eq!(variables(name, text).unwrap(), json!({}), "{name}");
    }
    for (name, text) in [("BUTTONWOOD_PORT", "8080"), ("BUTTONWOOD_PORT_X_TCP", "1")] {
        assert!(variables(name, text).unwrap_err().contains(name), "{name}");
    }
}

#[test]
fn a_wrong_value_is_named_as_its_source_names_it() {
    for (text, place) in [
        ("\n[log]\nsegment_kib = \"x\"\n", "b.toml:3: log.segment_kib must be a whole number"),
        ("log.segment_kib = -1\n", "b.toml:1: log.segment_kib must be a whole number"),
        ("demo = 1\n", "b.toml:1: demo must be true or false"),
        ("# http\n\nhttp = \"x\"\n", "b.toml:3: http must be an address"),
        ("durability = \"x\"\n", "b.toml:1: durability must be `fsync`, `os` or `memory`"),
        ("http = \"127.0.0.1:1\n", "b.toml:1: "),
        ("a = 1\nhtpt = 1\n", "b.toml:1: unknown key `a`"),
        ("\nhtpt = 1\n", "b.toml:2: unknown key `htpt`: did you mean `http`?"),
        ("[demo]\nspread_bps = 0.001\n", "demo.spread_bps must be a number with at most two"),
        ("[demo]\nspread_bps = true\n", "b.toml:2: demo.spread_bps must be a number"),
        ("[spool]\n\nmax_mb = 1\n", "b.toml:3: unknown key `spool.max_mb`: did you mean"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(place), "{text:?}: {error}");
        assert!(!error.contains("default.") && !error.contains(".rs"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let of_variable = |name: &str, text: &str| {
        let variable = (name.into(), text.into());
        let read = extract::<Settings>(FLAT_NAMES, None, [variable].into_iter(), &json!({}));
        read.map(|_| ()).unwrap_err()
    };
    let error = of_variable("BUTTONWOOD_DURABILITY", "x");
    assert!(error.starts_with("BUTTONWOOD_DURABILITY must be `fsync`, "), "{error}");
    let error = of_variable("BUTTONWOOD_HTTP", "8080");
    assert!(error.starts_with("BUTTONWOOD_HTTP must be an address"), "{error}");
    let flags = json!({ "http": "8080" });
    let read = extract::<Settings>(FLAT_NAMES, None, std::iter::empty(), &flags);
    let error = read.map(|_| ()).unwrap_err();
    assert!(error.starts_with("--http must be an address"), "{error}");
}

#[test]
fn a_value_out_of_range_is_named_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("b.toml");
    std::fs::write(&file, "[venue]\nsnapshot_every = 0\n").unwrap();
    let load = |variables: &[(&str, &str)], flags| {
        let variables: Vec<_> =
            variables.iter().map(|(name, text)| (name.into(), text.into())).collect();
        Settings::layer(Some(file.clone()), variables.into_iter(), &flags).unwrap_err()
    };
    let error = load(&[], json!({}));
    assert!(error.ends_with("b.toml:2: venue.snapshot_every)"), "{error}");
    // The file wins over a variable, and a flag over both.
    let error = load(&[("BUTTONWOOD_SNAPSHOT_EVERY", "5")], json!({}));
    assert!(error.ends_with("b.toml:2: venue.snapshot_every)"), "{error}");
    let error = load(&[], json!({ "snapshot_every": 0 }));
    assert!(error.ends_with("(from --snapshot-every)"), "{error}");
    let variable = [("BUTTONWOOD_OVERLOAD_MS", "99999")];
    let error = load(&variable, json!({ "snapshot_every": 1 }));
    assert!(error.ends_with("(from BUTTONWOOD_OVERLOAD_MS)"), "{error}");
}
