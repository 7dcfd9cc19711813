//! Settings of `serve`: a flag, else a key of the configuration file, else a variable
//! `BUTTONWOOD_*`, else the default.

mod pin;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use figment::Figment;
use figment::providers::{Format, Serialized, Toml};
use gateway::{Origin, OriginError, Tls, TlsError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spool::Retention;
use venue::{LogRetention, MasterKey, MasterKeyError};

use self::pin::Pin;
use crate::huge_pages::HugePages;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Config {
    pub(crate) data_dir: PathBuf,
    pub(crate) http: SocketAddr,
    pub(crate) tls_cert: Option<PathBuf>,
    pub(crate) tls_key: Option<PathBuf>,
    pub(crate) tls_self_signed: bool,
    pub(crate) allow_plaintext: bool,
    pub(crate) cors_origin: Vec<String>,
    pub(crate) durability: Durability,
    pub(crate) demo: bool,
    pub(crate) no_bots: bool,
    pub(crate) bots_seed: u64,
    /// A file, or from the environment the key itself.
    pub(crate) master_key: Option<String>,
    pub(crate) snapshot_every: u64,
    pub(crate) log_segment_kib: u64,
    /// `keep`, `delete` or `archive:DIR`.
    pub(crate) log_retention: String,
    pub(crate) replica: bool,
    /// `CORE[,CORE]`: the engine's, then the log's.
    pub(crate) pin: Option<String>,
    pub(crate) huge_pages: HugePages,
    pub(crate) spool_max_mib: u64,
    /// 0 is no limit.
    pub(crate) spool_max_hours: u64,
    /// 0 is no limit.
    pub(crate) overload_ms: u64,
    pub(crate) log_level: String,
    pub(crate) log_format: LogFormat,
}

/// Every flag is also a key of the file (`data_dir = "…"`, with `_` for `-`) and a variable.
#[derive(Args, Debug, Serialize)]
pub(crate) struct Flags {
    /// Configuration file (TOML) [env: BUTTONWOOD_CONFIG]
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(crate) config: Option<PathBuf>,

    /// Folder that holds the venue; made if it is not there
    /// [default: buttonwood-data] [key: data_dir] [env: BUTTONWOOD_DATA_DIR]
    #[arg(long = "data", value_name = "DIR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    data_dir: Option<PathBuf>,

    /// Address and port for REST and WebSocket; port 0 means any free one
    /// [default: 127.0.0.1:8080] [env: BUTTONWOOD_HTTP]
    #[arg(long, value_name = "ADDR:PORT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    http: Option<SocketAddr>,

    /// Speak TLS with this certificate (PEM, with those that lead to its root). It may be renewed
    /// while the venue runs [env: BUTTONWOOD_TLS_CERT]
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_cert: Option<PathBuf>,

    /// The certificate's private key (PEM) [env: BUTTONWOOD_TLS_KEY]
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_key: Option<PathBuf>,

    /// Speak TLS with a certificate that is made at the start and that no client knows, for a trial
    /// [env: BUTTONWOOD_TLS_SELF_SIGNED]
    #[arg(long)]
    #[serde(skip_serializing_if = "is_false")]
    tls_self_signed: bool,

    /// Listen beyond this machine without encryption: only behind something that encrypts
    /// [env: BUTTONWOOD_ALLOW_PLAINTEXT]
    #[arg(long)]
    #[serde(skip_serializing_if = "is_false")]
    allow_plaintext: bool,

    /// Web pages of this origin may read the answers, such as https://desk.example.com; more than
    /// one may be named, in the variable with commas between
    /// [default: none] [env: BUTTONWOOD_CORS_ORIGIN]
    #[arg(long, value_name = "URL")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cors_origin: Vec<String>,

    /// What an acknowledged order survives: loss of power (fsync), the end of this process (os), or
    /// nothing (memory) [default: fsync] [env: BUTTONWOOD_DURABILITY]
    #[arg(long, value_name = "LEVEL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    durability: Option<Durability>,

    /// In an empty folder, make a trial venue: BTCUSDT, ETHUSDT, ETHBTC, the accounts alice and bob,
    /// and their keys in DIR/demo.json [env: BUTTONWOOD_DEMO]
    #[arg(long)]
    #[serde(skip_serializing_if = "is_false")]
    demo: bool,

    /// Leave the demo's bots out [env: BUTTONWOOD_NO_BOTS]
    #[arg(long)]
    #[serde(skip_serializing_if = "is_false")]
    no_bots: bool,

    /// What the demo's bots decide by [default: 1] [env: BUTTONWOOD_BOTS_SEED]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    bots_seed: Option<u64>,

    /// File with the master key that seals secrets, outside the data folder; the variable may also
    /// hold the key itself [env: BUTTONWOOD_MASTER_KEY]
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    master_key: Option<String>,

    /// Commands between two snapshots [default: 1000000] [env: BUTTONWOOD_SNAPSHOT_EVERY]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot_every: Option<u64>,

    /// Kibibytes of a file of the log; a new one is begun when it is full
    /// [default: 65536] [env: BUTTONWOOD_LOG_SEGMENT_KIB]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    log_segment_kib: Option<u64>,

    /// What becomes of the log before the older of the two snapshots that are kept: `keep`, `delete`,
    /// or `archive:DIR`, a folder on the same file system
    /// [default: keep] [env: BUTTONWOOD_LOG_RETENTION]
    #[arg(long, value_name = "RULE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    log_retention: Option<String>,

    /// Run a second engine that applies the same log, and raise an alarm when the two differ. It
    /// takes as much memory as the first, and a core [env: BUTTONWOOD_REPLICA]
    #[arg(long)]
    #[serde(skip_serializing_if = "is_false")]
    replica: bool,

    /// Core that the engine's thread is kept to, and with a comma the core of the thread that writes
    /// the log: for a core that nothing else runs on (isolcpus, taskset)
    /// [default: none] [env: BUTTONWOOD_PIN]
    #[arg(long, value_name = "CORE[,CORE]")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pin: Option<String>,

    /// Whether the system may put large arrays on huge pages [default: on] [env: BUTTONWOOD_HUGE_PAGES]
    #[arg(long, value_name = "SWITCH")]
    #[serde(skip_serializing_if = "Option::is_none")]
    huge_pages: Option<HugePages>,

    /// Mebibytes that the event spool may take; what is older is deleted
    /// [default: 256] [env: BUTTONWOOD_SPOOL_MAX_MIB]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    spool_max_mib: Option<u64>,

    /// Hours by which events in the spool may be older than the newest; 0 is no limit
    /// [default: 0] [env: BUTTONWOOD_SPOOL_MAX_HOURS]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    spool_max_hours: Option<u64>,

    /// Milliseconds that a request with new orders may wait to be read; where they wait for longer for a
    /// second on end, or the disk does not keep up for as long, they are refused with -1008 until the venue
    /// has caught up, and cancels and queries go on. 1 to 10000; 0 refuses none
    /// [default: 250] [env: BUTTONWOOD_OVERLOAD_MS]
    #[arg(long, value_name = "MS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    overload_ms: Option<u64>,

    /// error, warn, info, debug, trace, or by module as `info,gateway=debug`
    /// [default: info] [env: BUTTONWOOD_LOG_LEVEL]
    #[arg(long, value_name = "LEVEL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    log_level: Option<String>,

    /// How log lines look on stderr [default: text] [env: BUTTONWOOD_LOG_FORMAT]
    #[arg(long, value_name = "FORMAT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    log_format: Option<LogFormat>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Durability {
    Fsync,
    Os,
    Memory,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data_dir: "buttonwood-data".into(),
            http: SocketAddr::from(([127, 0, 0, 1], 8080)),
            tls_cert: None,
            tls_key: None,
            tls_self_signed: false,
            allow_plaintext: false,
            cors_origin: Vec::new(),
            durability: Durability::Fsync,
            demo: false,
            no_bots: false,
            bots_seed: 1,
            master_key: None,
            snapshot_every: venue::Settings::SNAPSHOT_EVERY_DEFAULT,
            log_segment_kib: venue::Settings::LOG_SEGMENT_SIZE_DEFAULT / KIB,
            log_retention: "keep".into(),
            replica: false,
            pin: None,
            huge_pages: HugePages::On,
            spool_max_mib: Retention::MAX_BYTES_DEFAULT / MIB,
            spool_max_hours: 0,
            overload_ms: gateway::DoorSettings::LATE_AFTER_DEFAULT.as_millis() as u64,
            log_level: "info".into(),
            log_format: LogFormat::Text,
        }
    }
}

impl Config {
    /// Layers the settings. The error names the setting and where it came from.
    pub(crate) fn load(flags: &Flags) -> Result<Self, String> {
        let variable = || std::env::var_os("BUTTONWOOD_CONFIG").map(PathBuf::from);
        let file = flags.config.clone().or_else(variable);
        let mut figment = Figment::from(Serialized::defaults(Self::default()))
            .merge(Serialized::defaults(variables(std::env::vars())?));
        if let Some(file) = file {
            let text = std::fs::read_to_string(&file)
                .map_err(|error| format!("the configuration {}: {error}", file.display()))?;
            reject_unknown_keys(&file, &text)?;
            figment = figment.merge(Toml::string(&text));
        }
        let config: Self = figment
            .merge(Serialized::defaults(flags))
            .extract()
            .map_err(|error| error.to_string())?;
        if !SEGMENT_KIB.contains(&config.log_segment_kib) {
            let (min, max) = (SEGMENT_KIB.start(), SEGMENT_KIB.end());
            return Err(format!("log_segment_kib must be {min} to {max}"));
        }
        if config.overload_ms > OVERLOAD_MS_MAX {
            return Err(format!(
                "overload_ms must be 1 to {OVERLOAD_MS_MAX}, or 0 to refuse nothing, and is {}",
                config.overload_ms
            ));
        }
        if config.snapshot_every == 0 {
            return Err("snapshot_every must be at least 1".into());
        }
        config.check_exposure()?;
        config.origins()?;
        log_retention(&config.log_retention)?;
        retention(config.spool_max_mib, config.spool_max_hours)?;
        config.check_pin()?;
        Ok(config)
    }

    pub(crate) fn speaks_tls(&self) -> bool {
        self.tls_self_signed || self.tls_cert.is_some()
    }

    /// What goes over a network is encrypted, unless somebody says by name that it need not be.
    fn check_exposure(&self) -> Result<(), String> {
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            return Err("tls_cert and tls_key go together: name both files".into());
        }
        if self.tls_self_signed && self.tls_cert.is_some() {
            return Err("tls_self_signed and tls_cert exclude each other: name one".into());
        }
        if !self.speaks_tls() && !self.http.ip().is_loopback() && !self.allow_plaintext {
            return Err(format!(
                "{} can be reached from other machines, and nothing would be encrypted: name a \
                 certificate with --tls-cert and --tls-key, try --tls-self-signed, or say \
                 --allow-plaintext if a proxy in front encrypts",
                self.http
            ));
        }
        if self.speaks_tls() && self.demo && !self.no_bots {
            return Err("the demo's bots do not speak TLS: add --no-bots, or leave TLS out".into());
        }
        Ok(())
    }

    pub(crate) fn origins(&self) -> Result<Vec<Origin>, String> {
        let parse = |text: &String| text.parse().map_err(|error: OriginError| error.to_string());
        self.cors_origin.iter().map(parse).collect()
    }

    pub(crate) fn tls(&self) -> Result<Option<Arc<Tls>>, TlsError> {
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Tls::from_files(certificate, key)?,
            _ if self.tls_self_signed => Tls::self_signed(&self.http.ip().to_string())?,
            _ => return Ok(None),
        };
        Ok(Some(Arc::new(tls)))
    }

    /// `None` when none is named.
    pub(crate) fn master_key(&self) -> Result<Option<MasterKey>, MasterKeyError> {
        self.master_key.as_deref().map(read_master_key).transpose()
    }

    fn check_pin(&self) -> Result<(), String> {
        let Some(pin) = self.pin()? else { return Ok(()) };
        if pin.log.is_some() && matches!(self.durability, Durability::Memory) {
            return Err(
                "pin names a core for the thread that writes the log, and with durability \
                        memory there is none: name one core"
                    .into(),
            );
        }
        pin.check()
    }

    fn pin(&self) -> Result<Option<Pin>, String> {
        self.pin.as_deref().map(Pin::parse).transpose()
    }

    pub(crate) fn gateway_settings(&self) -> gateway::Settings {
        let late_after = (self.overload_ms > 0).then(|| Duration::from_millis(self.overload_ms));
        gateway::DoorSettings { late_after, ..gateway::DoorSettings::default() }.into()
    }

    pub(crate) fn venue_settings(&self) -> venue::Settings {
        let durability = match self.durability {
            Durability::Fsync => venue::Durability::Fsync,
            Durability::Os => venue::Durability::Os,
            Durability::Memory => venue::Durability::Memory,
        };
        let pin = self.pin().expect("checked when the settings were loaded");
        venue::Settings {
            durability,
            snapshot_every: self.snapshot_every,
            log_segment_size: self.log_segment_kib * KIB,
            log_retention: log_retention(&self.log_retention)
                .expect("checked when the settings were loaded"),
            replica: self.replica,
            engine_core: pin.map(|pin| pin.engine),
            log_core: pin.and_then(|pin| pin.log),
            retention: retention(self.spool_max_mib, self.spool_max_hours)
                .expect("checked when the settings were loaded"),
            ..venue::Settings::new(&self.data_dir)
        }
    }
}

/// Who waits for longer has no answer in time.
const OVERLOAD_MS_MAX: u64 = 10_000;
const KIB: u64 = 1 << 10;
/// From what a segment needs at least, up to what may be in one file without a thought.
const SEGMENT_KIB: std::ops::RangeInclusive<u64> = 4..=16 << 20;
const MIB: u64 = 1 << 20;
const HOUR_NS: u64 = 3_600 * 1_000_000_000;

fn log_retention(text: &str) -> Result<LogRetention, String> {
    match text {
        "keep" => Ok(LogRetention::Keep),
        "delete" => Ok(LogRetention::Delete),
        _ => match text.strip_prefix("archive:").filter(|dir| !dir.is_empty()) {
            Some(dir) => Ok(LogRetention::Archive(dir.into())),
            None => Err(format!(
                "log_retention must be `keep`, `delete` or `archive:DIR`, and is `{text}`"
            )),
        },
    }
}

/// What the event spool keeps, by settings of these names.
pub(crate) fn retention(max_mib: u64, max_hours: u64) -> Result<Retention, String> {
    let max_bytes = max_mib.checked_mul(MIB).filter(|bytes| *bytes >= Retention::MAX_BYTES_MIN);
    let max_bytes = max_bytes.ok_or_else(|| {
        let (min, max) = (Retention::MAX_BYTES_MIN / MIB, u64::MAX / MIB);
        format!("spool_max_mib must be between {min} and {max}, and is {max_mib}")
    })?;
    let max_age_ns = max_hours.checked_mul(HOUR_NS).ok_or_else(|| {
        let max = u64::MAX / HOUR_NS;
        format!("spool_max_hours must be at most {max}, or 0 for no limit, and is {max_hours}")
    })?;
    Ok(Retention { max_bytes, max_age_ns: (max_hours > 0).then_some(max_age_ns) })
}

/// A file's name, or the key itself as 64 hex digits.
pub(crate) fn read_master_key(text: &str) -> Result<MasterKey, MasterKeyError> {
    if let Some(master_key) = MasterKey::parse(text) {
        return Ok(master_key);
    }
    // A key with a digit too many or too few must not be shown as the name of a missing file.
    let mut digits = text.split(|letter: char| !letter.is_ascii_hexdigit());
    if digits.any(|run| run.len() >= HIDDEN_LEN) && !std::path::Path::new(text).exists() {
        let origin = "--master-key, master_key or BUTTONWOOD_MASTER_KEY".into();
        return Err(MasterKeyError::NotHex { origin });
    }
    MasterKey::load(text.as_ref())
}

/// So many hex digits on end may be most of a key.
const HIDDEN_LEN: usize = 32;

/// The settings among the environment's variables. What a setting is by default tells how its text
/// is meant.
fn variables(vars: impl Iterator<Item = (String, String)>) -> Result<Value, String> {
    let defaults = serde_json::to_value(Config::default()).map_err(|error| error.to_string())?;
    let mut settings = serde_json::Map::new();
    for (name, text) in vars {
        let Some(key) = name.strip_prefix("BUTTONWOOD_").map(str::to_lowercase) else { continue };
        let value = match defaults.get(&key) {
            None => continue,
            Some(Value::Bool(_)) => match text.as_str() {
                "1" | "true" => Value::Bool(true),
                "0" | "false" => Value::Bool(false),
                _ => return Err(format!("{name} is neither true nor false: {text}")),
            },
            Some(Value::Number(_)) => {
                let number: Result<u64, _> = text.parse();
                number.map_err(|_| format!("{name} is not a whole number: {text}"))?.into()
            }
            Some(Value::Array(_)) => text.split(',').map(str::trim).collect(),
            Some(_) => Value::String(text),
        };
        settings.insert(key, value);
    }
    Ok(Value::Object(settings))
}

/// A mistyped key that is passed over in silence would run the venue with a setting that nobody
/// chose.
fn reject_unknown_keys(file: &std::path::Path, text: &str) -> Result<(), String> {
    let known = serde_json::to_value(Config::default()).map_err(|error| error.to_string())?;
    let found: figment::value::Dict = Figment::from(Toml::string(text))
        .extract()
        .map_err(|error| format!("the configuration {}: {error}", file.display()))?;
    match found.keys().find(|key| known.get(key.as_str()).is_none()) {
        Some(key) => Err(format!("the configuration {}: unknown key `{key}`", file.display())),
        None => Ok(()),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        flags: Flags,
    }

    fn load(args: &[&str]) -> Result<Config, String> {
        let args = std::iter::once("buttonwood").chain(args.iter().copied());
        Config::load(&Cli::try_parse_from(args).unwrap().flags)
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("b.toml");
        std::fs::write(&file, "http = \"127.0.0.1:1\"\nsnapshot_every = 7\n").unwrap();
        let file = file.to_str().unwrap();
        let config = load(&["--config", file, "--http", "127.0.0.1:2"]).unwrap();
        assert_eq!(config.http.port(), 2);
        assert_eq!(config.snapshot_every, 7);
        assert_eq!(config.log_level, "info");
    }

    #[test]
    fn a_variable_is_read_as_its_setting_is_meant() {
        let of = |name: &str, text: &str| variables([(name.into(), text.into())].into_iter());
        assert_eq!(of("BUTTONWOOD_DEMO", "1").unwrap()["demo"], true);
        assert_eq!(of("BUTTONWOOD_NO_BOTS", "false").unwrap()["no_bots"], false);
        assert_eq!(of("BUTTONWOOD_DATA_DIR", "123").unwrap()["data_dir"], "123");
        assert_eq!(of("BUTTONWOOD_BOTS_SEED", "7").unwrap()["bots_seed"], 7);
        assert_eq!(of("BUTTONWOOD_DATA", "elsewhere").unwrap(), Value::Object(Default::default()));
        assert!(of("BUTTONWOOD_DEMO", "maybe").unwrap_err().contains("BUTTONWOOD_DEMO"));
        assert!(of("BUTTONWOOD_BOTS_SEED", "x").unwrap_err().contains("BUTTONWOOD_BOTS_SEED"));
    }

    #[test]
    fn a_mistyped_key_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("b.toml");
        std::fs::write(&file, "htpt = \"127.0.0.1:1\"\n").unwrap();
        let error = load(&["--config", file.to_str().unwrap()]).unwrap_err();
        assert!(error.contains("htpt"), "{error}");
        assert!(load(&["--config", "/nowhere/b.toml"]).unwrap_err().contains("/nowhere/b.toml"));
    }

    #[test]
    fn a_key_may_be_given_itself_or_by_file() {
        let hex = MasterKey::generate().to_hex();
        assert_eq!(read_master_key(&hex).unwrap().to_hex(), hex);
        assert!(matches!(read_master_key("/nowhere/key"), Err(MasterKeyError::Unreadable { .. })));
    }

    #[test]
    fn a_mistyped_key_is_not_shown() {
        let hex = MasterKey::generate().to_hex();
        let quoted = format!("\"{hex}\"");
        for mistyped in [&hex[1..], &format!("{hex}0"), &format!("0x{hex}"), &quoted] {
            let error = read_master_key(mistyped).unwrap_err().to_string();
            assert!(!error.contains(&hex[1..]) && error.contains("64 hex digits"), "{error}");
        }
    }

    #[test]
    fn snapshots_without_commands_between_them_are_refused() {
        for kib in ["3", "16777217"] {
            let error = load(&["--log-segment-kib", kib]).unwrap_err();
            assert!(error.contains("log_segment_kib must be 4 to 16777216"), "{error}");
        }
        let error = load(&["--snapshot-every", "0"]).unwrap_err();
        assert!(error.contains("snapshot_every"), "{error}");
    }

    #[test]
    fn nothing_goes_over_a_network_in_the_open_unless_it_is_said_so() {
        let refused = |args: &[&str]| load(args).unwrap_err();
        for http in ["0.0.0.0:0", "192.0.2.1:8080", "[::]:8080"] {
            let sentence = refused(&["--http", http]);
            assert!(
                sentence.contains(http) && sentence.contains("--allow-plaintext"),
                "{sentence}"
            );
            for allowed in [
                &["--allow-plaintext"][..],
                &["--tls-self-signed"],
                &["--tls-cert", "c", "--tls-key", "k"],
            ] {
                assert!(load(&[&["--http", http], allowed].concat()).is_ok(), "{allowed:?}");
            }
        }
        assert!(load(&["--http", "[::1]:8080"]).is_ok());
        assert!(refused(&["--tls-cert", "c"]).contains("tls_key"));
        let both = ["--tls-self-signed", "--tls-cert", "c", "--tls-key", "k"];
        assert!(refused(&both).contains("tls_self_signed"));
        assert!(refused(&["--tls-self-signed", "--demo"]).contains("--no-bots"));
        assert!(load(&["--tls-self-signed", "--demo", "--no-bots"]).is_ok());
    }

    #[test]
    fn web_pages_are_let_in_by_name_only() {
        assert_eq!(load(&[]).unwrap().origins(), Ok(vec![]));
        let two = ["--cors-origin", "https://a.example", "--cors-origin", "http://localhost:3000"];
        assert_eq!(load(&two).unwrap().origins().unwrap().len(), 2);
        assert!(load(&["--cors-origin", "*"]).unwrap_err().contains("`*`"));
        let variable = [("BUTTONWOOD_CORS_ORIGIN".into(), "https://a, https://b".into())];
        let read = variables(variable.into_iter()).unwrap();
        assert_eq!(read["cors_origin"], serde_json::json!(["https://a", "https://b"]));
    }

    #[test]
    fn how_long_orders_may_wait_is_set_in_milliseconds_or_not_at_all() {
        let late_after = |args: &[&str]| load(args).map(|c| c.gateway_settings().door.late_after);
        assert_eq!(late_after(&[]).unwrap(), Some(Duration::from_millis(250)));
        assert_eq!(late_after(&["--overload-ms", "0"]).unwrap(), None);
        assert_eq!(late_after(&["--overload-ms", "10000"]).unwrap(), Some(Duration::from_secs(10)));
        let error = late_after(&["--overload-ms", "10001"]).unwrap_err();
        assert!(error.contains("overload_ms must be 1 to 10000"), "{error}");
    }

    #[test]
    fn what_becomes_of_the_old_log_is_named() {
        let rule =
            |text| load(&["--log-retention", text]).map(|c| c.venue_settings().log_retention);
        assert_eq!(load(&[]).unwrap().venue_settings().log_retention, LogRetention::Keep);
        assert_eq!(rule("delete").unwrap(), LogRetention::Delete);
        assert_eq!(rule("archive:/old").unwrap(), LogRetention::Archive("/old".into()));
        for text in ["archive:", "archive", "/old", ""] {
            let error = rule(text).unwrap_err();
            assert!(error.contains("log_retention") && error.contains("archive:DIR"), "{error}");
        }
    }

    #[test]
    fn what_the_spool_keeps_is_set_by_size_and_by_age() {
        let kept = |args: &[&str]| load(args).map(|config| config.venue_settings().retention);
        assert_eq!(kept(&[]).unwrap(), Retention::default());
        let both = kept(&["--spool-max-mib", "32", "--spool-max-hours", "24"]).unwrap();
        assert_eq!(both, Retention { max_bytes: 32 * MIB, max_age_ns: Some(24 * HOUR_NS) });
        for (flag, text) in [("mib", "31"), ("mib", "18446744073709551615"), ("hours", "5124096")] {
            let error = load(&[&format!("--spool-max-{flag}"), text]).unwrap_err();
            assert!(error.contains(&format!("spool_max_{flag} must be")), "{error}");
            assert!(error.contains(text), "{error}");
        }
    }
}
