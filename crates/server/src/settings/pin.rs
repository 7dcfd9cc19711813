//! The setting `pin`: the cores of the engine's and the log writer's thread.

use venue::Core;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Pin {
    pub(super) engine: Core,
    pub(super) log: Option<Core>,
}

impl Pin {
    /// Reads `CORE[,CORE]`: the engine's, then the log's.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let cores = text.split(',').map(|number| number.trim().parse().map(Core::new));
        match cores.collect::<Result<Vec<_>, _>>().as_deref() {
            Ok([engine]) => Ok(Self { engine: *engine, log: None }),
            Ok([engine, log]) => Ok(Self { engine: *engine, log: Some(*log) }),
            _ => Err(format!(
                "pin must be one core or two, such as `3` or `3,2`: the engine's, then the log's; \
                 it is `{text}`"
            )),
        }
    }

    pub(super) fn check(self) -> Result<(), String> {
        for core in std::iter::once(self.engine).chain(self.log) {
            core.check().map_err(|error| {
                format!(
                    "pin names core {}, which this process cannot use: the machine has no such \
                     core, or a cpuset excludes it ({error})",
                    core.number()
                )
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_the_engines_and_then_the_logs() {
        let pin = |engine, log| Ok(Pin { engine: Core::new(engine), log });
        assert_eq!(Pin::parse("3"), pin(3, None));
        assert_eq!(Pin::parse("3, 0"), pin(3, Some(Core::new(0))));
        for text in ["", "3,", "-1", "all", "1,2,3"] {
            let sentence = Pin::parse(text).unwrap_err();
            assert!(sentence.contains("pin must be") && sentence.contains(text), "{sentence}");
        }
    }
}
