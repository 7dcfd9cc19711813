//! `--require`: bounds of a run's figures, by their names in the JSON.

use cli::Failure;
use serde_json::Value;

#[derive(Clone, Debug)]
pub(super) struct Requirement {
    name: String,
    sign: &'static str,
    is_reached: Relation,
    bound: f64,
}

type Relation = fn(&f64, &f64) -> bool;

/// A sign of two characters stands before its first character alone.
const RELATIONS: [(&str, Relation); 5] =
    [("<=", f64::le), (">=", f64::ge), ("==", f64::eq), ("<", f64::lt), (">", f64::gt)];

impl std::str::FromStr for Requirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no requirement: write it like p99_ms<10");
        let split = |(sign, is_reached): (&'static str, Relation)| {
            let (name, bound) = text.split_once(sign)?;
            let (name, bound) = (name.trim().to_owned(), bound.trim().parse().ok()?);
            Some(Self { name, sign, is_reached, bound })
        };
        let requirement = RELATIONS.into_iter().find_map(split);
        requirement.filter(|it| !it.name.is_empty()).ok_or_else(wrong)
    }
}

/// Fails with all requirements that are not reached, in one sentence.
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
        let Self { name, sign, is_reached, bound } = self;
        let found = name.split('.').try_fold(figures, |value, part| value.get(part));
        let Some(found) = found.and_then(Value::as_f64) else {
            return Some(format!("{name} is none of this run's figures"));
        };
        (!is_reached(&found, bound)).then(|| format!("{name}{sign}{bound}, and it is {found}"))
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
