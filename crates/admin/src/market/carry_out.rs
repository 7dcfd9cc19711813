//! The steps of a plan, one after the other.

use cli::Failure;

use super::secrets::Secrets;
use super::{Step, operation};
use crate::target::Target;

/// Stops at the first step that fails, and lists the steps that are done and those that are not.
pub(super) fn carry_out(
    target: &mut Target,
    steps: Vec<Step>,
    secrets: &mut Secrets,
) -> Result<(), Failure> {
    for (done, step) in steps.iter().enumerate() {
        let executed = operation(step.words)
            .and_then(|operation| target.ask(operation, step.fields.clone()))
            .and_then(
                |answer| {
                    if step.makes_secret() { secrets.keep(step, &answer) } else { Ok(()) }
                },
            );
        if let Err(failure) = executed {
            let mut shown = String::new();
            for (at, step) in steps.iter().enumerate() {
                let state = match at.cmp(&done) {
                    std::cmp::Ordering::Less => "done",
                    std::cmp::Ordering::Equal => "failed",
                    std::cmp::Ordering::Greater => "not done",
                };
                shown += &format!("{state:9} {}\n", step.line);
            }
            // The failure of the step is the one to report.
            let _printed = cli::print(shown);
            return Err(Failure::new(format!(
                "{}: {failure} (change {} of {}: {done} are done, and a further `apply` continues \
                 from there)",
                step.title,
                done + 1,
                steps.len()
            )));
        }
    }
    Ok(())
}
