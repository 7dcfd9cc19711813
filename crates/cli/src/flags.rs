//! The flags of `serve`, by which settings are named on a command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use server::Settings;

use crate::words::{Durability, HugePages};

/// Every flag is also a key of the file (`data_dir = "…"`, with `_` for `-`) and a variable.
#[derive(Args, Debug, Serialize)]
pub struct Flags {
    /// Configuration file (TOML) [env: BUTTONWOOD_CONFIG]
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    config: Option<PathBuf>,

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

    /// In an empty folder, make a trial venue: BTCUSDT, ETHUSDT, ETHBTC, the accounts alice and
    /// bob, and their keys in DIR/demo.json [env: BUTTONWOOD_DEMO]
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

    /// What becomes of the log before the older of the two snapshots that are kept: `keep`,
    /// `delete`, or `archive:DIR`, a folder on the same file system [default: keep] [env:
    /// BUTTONWOOD_LOG_RETENTION]
    #[arg(long, value_name = "RULE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    log_retention: Option<String>,

    /// Run a second engine that applies the same log, and raise an alarm when the two differ. It
    /// takes as much memory as the first, and a core [env: BUTTONWOOD_REPLICA]
    #[arg(long)]
    #[serde(skip_serializing_if = "is_false")]
    replica: bool,

    /// Core that the engine's thread is kept to, and with a comma the core of the thread that
    /// writes the log: for a core that nothing else runs on (isolcpus, taskset) [default: none]
    /// [env: BUTTONWOOD_PIN]
    #[arg(long, value_name = "CORE[,CORE]")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pin: Option<String>,

    /// Whether the system may put large arrays on huge pages [default: on] [env:
    /// BUTTONWOOD_HUGE_PAGES]
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

    /// Milliseconds that a request with new orders may wait to be read; where they wait for longer
    /// for a second on end, or the disk does not keep up for as long, they are refused with -1008
    /// until the venue has caught up, and cancels and queries go on. 1 to 10000; 0 refuses none
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

#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum LogFormat {
    Text,
    Json,
}

impl Flags {
    /// Layers these flags over the file that they name, the environment, and the defaults.
    pub fn settings(&self) -> Result<Settings, String> {
        Settings::load(self.config.clone(), self)
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

    fn load(args: &[&str]) -> Result<Settings, String> {
        let args = std::iter::once("buttonwood").chain(args.iter().copied());
        Cli::try_parse_from(args).unwrap().flags.settings()
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("b.toml");
        std::fs::write(&file, "http = \"127.0.0.1:1\"\nsnapshot_every = 7\n").unwrap();
        let file = file.to_str().unwrap();
        let settings = load(&["--config", file, "--http", "127.0.0.1:2"]).unwrap();
        assert_eq!(settings.http.address.port(), 2);
        assert_eq!(settings.venue.snapshot_every, 7);
        assert_eq!(settings.logging.level, "info");
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
    fn each_flag_is_a_setting() {
        let text = [
            ["--data", "d"],
            ["--http", "127.0.0.1:2"],
            ["--cors-origin", "https://a.example"],
            ["--durability", "os"],
            ["--bots-seed", "7"],
            ["--master-key", "k"],
            ["--snapshot-every", "7"],
            ["--log-segment-kib", "8"],
            ["--log-retention", "delete"],
            ["--pin", "0"],
            ["--huge-pages", "off"],
            ["--spool-max-mib", "33"],
            ["--spool-max-hours", "3"],
            ["--overload-ms", "9"],
            ["--log-level", "warn"],
            ["--log-format", "json"],
        ];
        let switches =
            ["--tls-self-signed", "--allow-plaintext", "--demo", "--no-bots", "--replica"];
        let Settings { http, door, log, spool, venue, demo, logging } =
            load(&[text.as_flattened(), &switches].concat()).unwrap();
        assert_eq!(
            (http.address.port(), http.tls_self_signed, http.allow_plaintext),
            (2, true, true)
        );
        assert_eq!((http.cors_origin.len(), door.overload_ms), (1, 9));
        assert_eq!((log.segment_kib, log.retention.as_str()), (8, "delete"));
        assert!(matches!(log.durability, server::Durability::Os));
        assert_eq!((spool.max_mib, spool.max_hours), (33, 3));
        assert_eq!((venue.data_dir, venue.master_key), ("d".into(), Some("k".into())));
        assert_eq!((venue.snapshot_every, venue.replica), (7, true));
        assert_eq!((venue.pin.as_deref(), venue.huge_pages), (Some("0"), server::HugePages::Off));
        assert_eq!((demo.enabled, demo.no_bots, demo.bots_seed), (true, true, 7));
        assert!(matches!(logging.format, server::LogFormat::Json) && logging.level == "warn");
    }
}
