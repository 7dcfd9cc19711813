//! Settings of a venue by sections: a flag, else a key of the configuration file, else a variable
//! `BUTTONWOOD_*`, else the default.
//!
//! Each section has a file with its defaults and checks; `layers.rs` merges the sources. Checks of
//! two sections are here.

pub(crate) mod address;
pub(crate) mod bps;
pub(crate) mod demo;
pub(crate) mod door;
pub(crate) mod grpc;
pub(crate) mod history;
pub(crate) mod http;
pub(crate) mod intake;
pub(crate) mod itch;
mod layers;
pub(crate) mod log;
pub(crate) mod logging;
pub(crate) mod market;
pub(crate) mod ouch;
mod pin;
pub(crate) mod publish;
pub(crate) mod sources;
pub(crate) mod spool;
pub(crate) mod test;
pub(crate) mod trace;
pub(crate) mod venue;
pub(crate) mod web;

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use self::layers::FlatNames;

/// Each field is the section of that name.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Settings {
    pub http: http::Http,
    pub door: door::Door,
    pub web: web::Web,
    pub ouch: ouch::Ouch,
    pub itch: itch::Itch,
    pub grpc: grpc::Grpc,
    pub intake: intake::Intake,
    pub log: log::Log,
    pub spool: spool::Spool,
    pub history: history::History,
    pub publish: publish::Publish,
    pub venue: venue::Venue,
    pub demo: demo::Demo,
    pub market: market::Market,
    pub test: test::Test,
    pub logging: logging::Logging,
    pub trace: trace::Trace,
}

/// Section, key, and the flat name where it is not the key.
const FLAT_NAMES: FlatNames = &[
    ("http", "address", "http"),
    ("web", "sessions_max", "web_sessions_max"),
    ("web", "sessions_per_login", "web_sessions_per_login"),
    ("web", "session_idle_mins", "web_session_idle_mins"),
    ("web", "session_hours", "web_session_hours"),
    ("ouch", "address", "ouch"),
    ("ouch", "unix", "ouch_unix"),
    ("ouch", "udp", "ouch_udp"),
    ("ouch", "shm", "ouch_shm"),
    ("ouch", "cleartext", "ouch_cleartext"),
    ("ouch", "connections_max", "ouch_connections_max"),
    ("ouch", "cancel_on_disconnect", "ouch_cancel_on_disconnect"),
    ("itch", "receivers", "itch"),
    ("itch", "interface", "itch_interface"),
    ("itch", "ttl", "itch_ttl"),
    ("itch", "recovery", "itch_recovery"),
    ("grpc", "address", "grpc"),
    ("grpc", "unix", "grpc_unix"),
    ("grpc", "cleartext", "grpc_cleartext"),
    ("grpc", "connections_max", "grpc_connections_max"),
    ("intake", "url", "intake"),
    ("intake", "password_file", "intake_password_file"),
    ("intake", "accounts", "intake_accounts"),
    ("intake", "replies_max", "intake_replies_max"),
    ("intake", "ca", "intake_ca"),
    ("log", "segment_kib", "log_segment_kib"),
    ("log", "retention", "log_retention"),
    ("spool", "max_mib", "spool_max_mib"),
    ("spool", "max_hours", "spool_max_hours"),
    ("history", "url", "history"),
    ("history", "password_file", "history_password_file"),
    ("history", "replica", "history_replica"),
    ("history", "retention", "history_retention"),
    ("publish", "urls", "publish"),
    ("demo", "enabled", "demo"),
    ("demo", "spread_bps", "demo_spread_bps"),
    ("demo", "size_usdt", "demo_size_usdt"),
    ("demo", "drift_bps", "demo_drift_bps"),
    ("demo", "volatility_bps", "demo_volatility_bps"),
    ("demo", "maker_fee_bps", "demo_maker_fee_bps"),
    ("demo", "taker_fee_bps", "demo_taker_fee_bps"),
    ("market", "files", "market"),
    ("market", "lenient", "market_lenient"),
    ("market", "ca", "market_ca"),
    ("test", "enabled", "test"),
    ("logging", "level", "log_level"),
    ("logging", "format", "log_format"),
    ("trace", "otlp", "trace_otlp"),
    ("trace", "sample", "trace_sample"),
];

impl Settings {
    /// Layers the settings and checks them. `flags` has settings by flat names. The error names the
    /// setting and its source.
    pub fn load(file: Option<PathBuf>, flags: &impl Serialize) -> Result<Self, String> {
        let variable = || std::env::var_os("BUTTONWOOD_CONFIG").map(PathBuf::from);
        Self::layer(file.or_else(variable), std::env::vars_os(), flags)
    }

    fn layer(
        file: Option<PathBuf>,
        variables: impl Iterator<Item = (OsString, OsString)>,
        flags: &impl Serialize,
    ) -> Result<Self, String> {
        let (mut settings, origins): (Self, _) =
            layers::extract(FLAT_NAMES, file.as_deref(), variables, flags)?;
        if settings.has_recorded_market() && !settings.test.enabled {
            settings.demo.enabled = true;
        }
        settings.check().map_err(|sentence| origins.with_places(sentence))?;
        if settings.test.enabled {
            let kept = ["data_dir", "durability"].into_iter().find(|flat| origins.is_set(flat));
            if let Some(flat) = kept {
                let sentence = format!("a test keeps nothing on disk: leave {flat} out");
                return Err(origins.with_places(sentence));
            }
            settings.log.durability = log::Durability::Memory;
        }
        if let Some(text) = &settings.venue.master_key
            && !origins.is_variable("master_key")
        {
            venue::check_is_no_master_key(text)
                .map_err(|sentence| origins.with_places(sentence))?;
        }
        Ok(settings)
    }

    fn check(&self) -> Result<(), String> {
        self.log.check()?;
        self.door.check()?;
        self.venue.check()?;
        self.http.check()?;
        self.web.check()?;
        self.ouch.check(self.http.speaks_tls())?;
        self.itch.check()?;
        self.grpc.check(self.http.speaks_tls())?;
        self.intake.check()?;
        if self.http.speaks_tls() && self.demo.enabled && self.has_bots() {
            return Err("the demo's bots have no TLS: add --no-bots, or start without TLS".into());
        }
        self.demo.check()?;
        self.market.check()?;
        self.test.check()?;
        self.spool.check()?;
        self.history.check()?;
        self.publish.check()?;
        self.trace.check()?;
        self.check_pin()
    }

    fn check_pin(&self) -> Result<(), String> {
        let Some(pin) = self.venue.pin()? else { return Ok(()) };
        if pin.log.is_some() && matches!(self.log.durability, log::Durability::Memory) {
            return Err(
                "pin names a core for the thread that writes the log, and with durability \
                        memory there is none: name one core"
                    .into(),
            );
        }
        pin.check()
    }

    /// A test has bots where it asks for a demo. A recorded market is in their place.
    pub(crate) fn has_bots(&self) -> bool {
        !self.demo.no_bots
            && !self.has_recorded_market()
            && (self.demo.enabled || !self.test.enabled)
    }

    fn has_recorded_market(&self) -> bool {
        !self.market.files.is_empty()
    }

    pub(crate) fn gateway_settings(&self, connections_max: usize) -> gateway::Settings {
        gateway::Settings {
            door: self.door.door_settings(),
            socket: self.http.socket_settings(connections_max),
            web: self.web.web_settings(),
            ouch: self.ouch.ouch_settings(),
            itch: self.itch.itch_settings(),
            #[cfg(feature = "grpc")]
            grpc: self.grpc.grpc_settings(),
        }
    }

    pub(crate) fn venue_settings(&self) -> ::venue::Settings {
        const CHECKED: &str = "checked when the settings were loaded";
        let pin = self.venue.pin().expect(CHECKED);
        ::venue::Settings {
            durability: self.log.durability(),
            snapshot_every: self.venue.snapshot_every,
            log_segment_size: self.log.segment_size(),
            log_retention: self.log.retention().expect(CHECKED),
            replica: self.venue.replica,
            engine_core: pin.map(|pin| pin.engine),
            log_core: pin.and_then(|pin| pin.log),
            // Measured: it makes orders of OUCH faster, and single ones over REST slower.
            keeps_cores_for_orders: self.ouch.is_on(),
            retention: self.spool.retention().expect(CHECKED),
            ..::venue::Settings::new(&self.venue.data_dir)
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::Value;

    use super::*;

    /// Settings of flags alone.
    pub(crate) fn load(flags: Value) -> Result<Settings, String> {
        Settings::load(None, &flags)
    }

    pub(crate) fn refused(flags: Value) -> String {
        load(flags).unwrap_err()
    }
}
