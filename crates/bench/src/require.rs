//! `--require`: what a run must reach, by the names of the figures in its JSON.

use cli::Failure;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Requirement {
    name: String,
    relation: Relation,
    bound: f64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Relation {
    AtMost,
    AtLeast,
    Below,
    Above,
    Equal,
}

/// Those of two characters first: the others are how they begin.
const RELATIONS: [(&str, Relation); 5] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("==", Relation::Equal),
    ("<", Relation::Below),
    (">", Relation::Above),
];

impl std::str::FromStr for Requirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no requirement: write it like p99_ms<10");
        let split = |(sign, relation): &(&str, Relation)| {
            let (name, bound) = text.split_once(sign)?;
            Some((name.trim().to_owned(), *relation, bound.trim().parse().ok()?))
        };
        let (name, relation, bound) = RELATIONS.iter().find_map(split).ok_or_else(wrong)?;
        if name.is_empty() {
            return Err(wrong());
        }
        Ok(Self { name, relation, bound })
    }
}

/// All that is not reached, in one sentence.
pub(super) fn check(requirements: &[Requirement], figures: &Value) -> Result<(), Failure> {
    let missed = |requirement: &Requirement| requirement.missed(figures);
    let missed: Vec<String> = requirements.iter().filter_map(missed).collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("required and not reached: {}", missed.join("; "))))
}

impl Requirement {
    fn missed(&self, figures: &Value) -> Option<String> {
        let Self { name, relation, bound } = self;
        let found = name.split('.').try_fold(figures, |value, part| value.get(part));
        let Some(found) = found.and_then(Value::as_f64) else {
            return Some(format!("{name} is none of this run's figures"));
        };
        let is_reached = match relation {
            Relation::AtMost => found <= *bound,
            Relation::AtLeast => found >= *bound,
            Relation::Below => found < *bound,
            Relation::Above => found > *bound,
            Relation::Equal => found == *bound,
        };
        let (sign, _) = RELATIONS.iter().find(|(_, of_sign)| of_sign == relation)?;
        (!is_reached).then(|| format!("{name}{sign}{bound}, and it is {found}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requirements_hold_or_say_what_they_found() {
        let figures = json!({ "p99_ms": 9.5, "disk": { "p50": 2 }, "loop": "closed" });
        let check = |text: &str| {
            let requirements: Vec<Requirement> =
                text.split(',').map(|text| text.parse().expect("it is one")).collect();
            check(&requirements, &figures).map_err(|failure| failure.to_string())
        };
        for reached in ["p99_ms<10", "p99_ms<=9.5,disk.p50 >= 2", "disk.p50==2", "p99_ms>9"] {
            assert_eq!(check(reached), Ok(()), "{reached}");
        }
        let missed = |text| check(text).expect_err("it is not reached");
        assert_eq!(missed("p99_ms<9"), "required and not reached: p99_ms<9, and it is 9.5");
        assert!(missed("p98_ms<9").contains("p98_ms is none of"));
        assert!(missed("loop==1").contains("loop is none of"));
        let two = missed("p99_ms>10,disk.p50<2");
        assert!(two.contains("p99_ms>10") && two.contains("disk.p50<2"), "{two}");
    }

    #[test]
    fn what_is_no_requirement_is_refused() {
        for text in ["", "p99_ms", "<10", "p99_ms<", "p99_ms<ten", "p99_ms=10"] {
            assert!(text.parse::<Requirement>().is_err(), "{text}");
        }
    }
}
