//! The page and the description of the intake have the fields and codes that the codec has.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use protocol::intake::{FaultCode, MESSAGE_MAX, Request};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(path).expect("it is there")
}

#[test]
fn the_page_has_each_code_with_its_name() {
    let page = read("docs/intake.md");
    let rows = page.lines().filter_map(|line| {
        let (code, rest) = line.strip_prefix("| 1")?.split_once(" | `")?;
        let (name, _) = rest.split_once('`')?;
        Some((format!("1{code}"), name.to_owned()))
    });
    let codes = FaultCode::ALL.iter().map(|code| ((*code as u16).to_string(), code.name().into()));
    assert_eq!(rows.collect::<Vec<_>>(), codes.collect::<Vec<_>>());
    assert!(page.contains(&format!("at most {}", "4,096 bytes")) && MESSAGE_MAX == 4_096);
}

#[test]
fn page_and_description_have_each_field_of_a_message() {
    // The parser lists its fields when it meets another one.
    let refused = Request::parse(br#"{"no such field":1}"#).expect_err("there is none");
    let (_, listed) = refused.sentence.split_once("expected one of ").expect("a list");
    let fields: BTreeSet<&str> =
        listed.split('`').skip(1).step_by(2).filter(|field| !field.contains(' ')).collect();
    assert!(fields.len() > 15, "{listed}");

    let document = read("api/intake.yaml");
    let (_, order) = document.split_once("\n    Order:\n").expect("its schema");
    let (order, _) = order.split_once("\n    Reply:\n").expect("the next one");
    let described = order.lines().filter_map(|line| {
        let name = line.strip_prefix("        ")?.strip_suffix(':')?;
        (!name.starts_with(' ')).then_some(name)
    });
    assert_eq!(described.collect::<BTreeSet<_>>(), fields);

    let page = read("docs/intake.md");
    let (_, table) = page.split_once("\n## Messages\n").expect("the chapter");
    let (table, _) = table.split_once("\n## ").expect("the next one");
    for field in fields {
        assert!(table.contains(&format!("`{field}`")), "{field}");
    }
}
