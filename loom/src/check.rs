//! One scenario in every order of its threads, up to a number of preemptions.

pub(crate) fn check(
    name: &str,
    preemptions_max: usize,
    scenario: impl Fn() + Send + Sync + 'static,
) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions_max);
    model.check(scenario);
    println!("{name}: ok");
}
