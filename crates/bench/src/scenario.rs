//! The scenarios that are one load.

use super::spec::Load;

#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) load: Load,
    /// What the bare handler is asked.
    pub(super) bare: Load,
    pub(super) pipelines: bool,
    /// Without a rate. The others have one of half of what a closed loop comes to.
    pub(super) is_closed: bool,
}

impl Scenario {
    /// Closed, as the systems were measured that it is compared with.
    pub(super) const REST_MIX: Self = Self { is_closed: true, ..Self::over_rest("rest-mix") };
    pub(super) const HEALTH: Self =
        Self { load: Load::Health, bare: Load::Health, ..Self::over_rest("health") };
    pub(super) const BATCH: Self =
        Self { load: Load::Batch, bare: Load::Batch, ..Self::over_rest("batch") };
    pub(super) const RAMP_200: Self = Self { load: Load::KeptBook, ..Self::over_rest("ramp-200") };
    pub(super) const PIPELINED: Self =
        Self { load: Load::WebSocket, pipelines: true, ..Self::over_rest("pipelined") };
    pub(super) const STREAM: Self = Self::over_rest("stream");
    pub(super) const SOAK: Self = Self::over_rest("soak");

    /// Orders in the mix of `rest-mix`.
    const fn over_rest(name: &'static str) -> Self {
        let load = Load::RestMix;
        Self { name, load, bare: load, pipelines: false, is_closed: false }
    }

    pub(super) fn orders_per_request(&self) -> u64 {
        self.load.orders_per_request()
    }
}
