//! The flags of `serve`, by which settings are named on a command line.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use server::Settings;

/// Values of `--durability`, here and in `bench`.
pub const DURABILITY: [&str; 3] = ["fsync", "os", "memory"];
/// Values of `--huge-pages`, here and in `bench`.
pub const SWITCH: [&str; 2] = ["on", "off"];

/// Each flag is also a key of the file (`data_dir = "…"`, with `_` for `-`) and a variable.
#[derive(Args, Debug, Serialize)]
pub struct Flags {
    /// Configuration file (TOML) [default: none] [env: BUTTONWOOD_CONFIG]
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    config: Option<PathBuf>,

    /// Folder of the venue, which is created if it does not exist
    /// [default: buttonwood-data] [key: data_dir] [env: BUTTONWOOD_DATA_DIR]
    #[arg(long = "data", value_name = "DIR")]
    data_dir: Option<PathBuf>,

    /// Address and port for REST and WebSocket, such as localhost:8080; without an address it is
    /// this machine's own, 127.0.0.1; port 0 is any free port
    /// [default: 127.0.0.1:8080] [env: BUTTONWOOD_HTTP]
    #[arg(long, value_name = "[ADDR]:PORT")]
    http: Option<String>,

    /// File of the TLS certificate (PEM, with its intermediate certificates); a SIGHUP reads it
    /// again [default: no TLS] [env: BUTTONWOOD_TLS_CERT]
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,

    /// File of the certificate's private key (PEM) [env: BUTTONWOOD_TLS_KEY]
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,

    /// Use TLS with a self-signed certificate, created at each start, for a trial
    /// [env: BUTTONWOOD_TLS_SELF_SIGNED]
    #[arg(long)]
    tls_self_signed: bool,

    /// Allow other machines to connect without TLS: only behind a proxy that encrypts
    /// [env: BUTTONWOOD_ALLOW_PLAINTEXT]
    #[arg(long)]
    allow_plaintext: bool,

    /// Origin whose web pages may read the answers, change something and open WebSockets, such as
    /// https://desk.example.com; may be repeated, and the variable has commas between origins
    /// [default: none] [env: BUTTONWOOD_CORS_ORIGIN]
    #[arg(long, value_name = "URL")]
    cors_origin: Vec<String>,

    /// Name by which clients call the venue, such as venue.example.com, beside localhost and IP
    /// addresses; may be repeated [default: on loopback none, else any]
    /// [env: BUTTONWOOD_ALLOWED_HOST]
    #[arg(long, value_name = "NAME")]
    allowed_host: Vec<String>,

    /// Address or network of proxies, such as 127.0.0.1 or 10.0.0.0/8, whose header of the PROXY
    /// protocol (version 2) or `X-Forwarded-For` names the client; may be repeated
    /// [default: none] [env: BUTTONWOOD_TRUSTED_PROXY]
    #[arg(long, value_name = "NET")]
    trusted_proxy: Vec<String>,

    /// Open connections, HTTP and WebSocket together, 16 to 1000000; fewer if the system's limit of
    /// open files is too low [default: 12000] [env: BUTTONWOOD_CONNECTIONS_MAX]
    #[arg(long, value_name = "N")]
    connections_max: Option<usize>,

    /// Open connections of one address (IPv6: of one /64); 0 is an eighth of all, and half for an
    /// address of this machine [default: 0] [env: BUTTONWOOD_CONNECTIONS_PER_ADDRESS]
    #[arg(long, value_name = "N")]
    connections_per_address: Option<usize>,

    /// Browsers that are signed in at the page at once, 1 to 1000000
    /// [default: 10000] [env: BUTTONWOOD_WEB_SESSIONS_MAX]
    #[arg(long, value_name = "N")]
    web_sessions_max: Option<usize>,

    /// Of them, those of one login, 1 to 1000; one more ends the one that was not used for the
    /// longest time [default: 64] [env: BUTTONWOOD_WEB_SESSIONS_PER_LOGIN]
    #[arg(long, value_name = "N")]
    web_sessions_per_login: Option<usize>,

    /// Minutes without a request after which a browser is signed out, 1 to 10080
    /// [default: 720] [env: BUTTONWOOD_WEB_SESSION_IDLE_MINS]
    #[arg(long, value_name = "N")]
    web_session_idle_mins: Option<u64>,

    /// Hours after which a browser is signed out, however much it is used, 1 to 8760
    /// [default: 168] [env: BUTTONWOOD_WEB_SESSION_HOURS]
    #[arg(long, value_name = "N")]
    web_session_hours: Option<u64>,

    /// Address and port for OUCH 5.0 over SoupBinTCP, such as localhost:9000; port 0 is any free
    /// port [default: no such port] [env: BUTTONWOOD_OUCH]
    #[arg(long, value_name = "[ADDR]:PORT")]
    ouch: Option<String>,

    /// Path of a Unix socket for OUCH clients of this machine, which need a login as others do
    /// [default: no such socket] [env: BUTTONWOOD_OUCH_UNIX]
    #[arg(long, value_name = "PATH")]
    ouch_unix: Option<PathBuf>,

    /// Address and port for OUCH 5.0 over UDP, sealed with the key of each login; port 0 is any
    /// free port [default: no such port] [env: BUTTONWOOD_OUCH_UDP]
    #[arg(long, value_name = "[ADDR]:PORT")]
    ouch_udp: Option<String>,
    /// Path of a Unix socket for OUCH clients of this machine whose bytes go through shared memory
    /// [default: no such socket] [env: BUTTONWOOD_OUCH_SHM]
    #[arg(long, value_name = "PATH")]
    ouch_shm: Option<PathBuf>,

    /// Allow OUCH clients of other machines without TLS: their passwords can be read on the way
    /// [env: BUTTONWOOD_OUCH_CLEARTEXT]
    #[arg(long)]
    ouch_cleartext: bool,

    /// Open OUCH connections, 1 to 100000 [default: 1024] [env: BUTTONWOOD_OUCH_CONNECTIONS_MAX]
    #[arg(long, value_name = "N")]
    ouch_connections_max: Option<usize>,

    /// Cancel the orders of an OUCH session when it ends, unless its client asks otherwise
    /// [env: BUTTONWOOD_OUCH_CANCEL_ON_DISCONNECT]
    #[arg(long)]
    ouch_cancel_on_disconnect: bool,

    /// Multicast groups and addresses with a port, such as 233.252.14.1:21001, each of which gets
    /// the market order by order: ITCH 5.0 over MoldUDP64 [default: none] [env: BUTTONWOOD_ITCH]
    #[arg(long, value_name = "GROUP_OR_ADDR:PORT", value_delimiter = ',')]
    itch: Vec<String>,

    /// Address of this machine that the packets of ITCH are sent from, which chooses the interface
    /// [default: as the system routes] [env: BUTTONWOOD_ITCH_INTERFACE]
    #[arg(long, value_name = "ADDR")]
    itch_interface: Option<String>,

    /// Routers that a packet to a multicast group may pass, plus one, 1 to 255
    /// [default: 1] [env: BUTTONWOOD_ITCH_TTL]
    #[arg(long, value_name = "N")]
    itch_ttl: Option<u64>,

    /// Address and UDP port where receivers of ITCH ask for messages that they missed; port 0 is
    /// any free port [default: no such port] [env: BUTTONWOOD_ITCH_RECOVERY]
    #[arg(long, value_name = "[ADDR]:PORT")]
    itch_recovery: Option<String>,

    /// Address and port for snapshots of the displayed orders, by Glimpse over SoupBinTCP; port 0
    /// is any free port [default: no such port] [env: BUTTONWOOD_GLIMPSE]
    #[arg(long, value_name = "[ADDR]:PORT")]
    glimpse: Option<String>,

    /// Open Glimpse connections, 1 to 10000 [default: 64] [env: BUTTONWOOD_GLIMPSE_CONNECTIONS_MAX]
    #[arg(long, value_name = "N")]
    glimpse_connections_max: Option<usize>,
    /// Address and port for gRPC, such as localhost:9001; port 0 is any free port
    /// [default: no such port] [env: BUTTONWOOD_GRPC]
    #[arg(long, value_name = "[ADDR]:PORT")]
    grpc: Option<String>,

    /// Path of a Unix socket for gRPC clients of this machine
    /// [default: no such socket] [env: BUTTONWOOD_GRPC_UNIX]
    #[arg(long, value_name = "PATH")]
    grpc_unix: Option<PathBuf>,

    /// Allow gRPC clients of other machines without TLS: their tokens can be read on the way
    /// [env: BUTTONWOOD_GRPC_CLEARTEXT]
    #[arg(long)]
    grpc_cleartext: bool,

    /// Open gRPC connections, 1 to 100000 [default: 1024] [env: BUTTONWOOD_GRPC_CONNECTIONS_MAX]
    #[arg(long, value_name = "N")]
    grpc_connections_max: Option<usize>,

    /// Take orders from a stream of Redis, such as redis://user@host:6379/0, or rediss:// for TLS.
    /// Other users of this machine see a flag: a password belongs in the variable or in a file
    /// [default: none] [env: BUTTONWOOD_INTAKE]
    #[arg(long, value_name = "URL")]
    intake: Option<String>,

    /// File with the password of that Redis [default: none] [env: BUTTONWOOD_INTAKE_PASSWORD_FILE]
    #[arg(long, value_name = "FILE")]
    intake_password_file: Option<PathBuf>,

    /// Accounts that orders from Redis may be for: all, or numbers and names separated by commas
    /// [default: all] [env: BUTTONWOOD_INTAKE_ACCOUNTS]
    #[arg(long, value_name = "LIST")]
    intake_accounts: Option<String>,

    /// Replies, and dead letters, that Redis keeps, 1000 to 1000000000
    /// [default: 1000000] [env: BUTTONWOOD_INTAKE_REPLIES_MAX]
    #[arg(long, value_name = "N")]
    intake_replies_max: Option<usize>,

    /// Certificates of authorities to trust (PEM) for rediss://, in place of those that this
    /// machine trusts [default: none] [env: BUTTONWOOD_INTAKE_CA]
    #[arg(long, value_name = "FILE")]
    intake_ca: Option<PathBuf>,

    /// What an acknowledged order survives: loss of power (fsync), the end of this process (os), or
    /// nothing (memory) [default: fsync] [env: BUTTONWOOD_DURABILITY]
    #[arg(long, value_name = "LEVEL", value_parser = DURABILITY)]
    durability: Option<String>,

    /// Trade against a recorded market, or that of a running venue, by the rules of
    /// docs/recorded-market.md, in place of the demo's bots: a file or an address, perhaps SYMBOL=
    /// in front; again for more. Implies --demo [default: none] [env: BUTTONWOOD_MARKET]
    #[arg(long, value_name = "FILE|URL")]
    market: Vec<String>,

    /// How many times faster than recorded, 0.001 to 1000000000
    /// [default: 1] [env: BUTTONWOOD_SPEED]
    #[arg(long, value_name = "N")]
    speed: Option<f64>,

    /// Leave wrong rows of a recorded market out, and count them [env: BUTTONWOOD_MARKET_LENIENT]
    #[arg(long)]
    market_lenient: bool,

    /// Certificates of authorities to trust (PEM) for a market at an https:// address, in place of
    /// those that this machine trusts [default: none] [env: BUTTONWOOD_MARKET_CA]
    #[arg(long, value_name = "FILE")]
    market_ca: Option<PathBuf>,

    /// Create a trial venue in an empty folder: BTCUSDT, ETHUSDT, ETHBTC, the accounts alice and
    /// bob, and their keys in DIR/demo.json [env: BUTTONWOOD_DEMO]
    #[arg(long)]
    demo: bool,

    /// Run a venue for a test: in memory, ready at once, with the demo's instruments and new
    /// accounts, gone at its end; with --demo, the demo's bots trade
    /// [env: BUTTONWOOD_TEST]
    #[arg(long)]
    test: bool,

    /// File that gets the address, the accounts and an operator of a test (JSON, mode 0600)
    /// [env: BUTTONWOOD_KEYS]
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,

    /// Run the demo without bots [env: BUTTONWOOD_NO_BOTS]
    #[arg(long)]
    no_bots: bool,

    /// Seed of the demo's bots [default: 1] [env: BUTTONWOOD_BOTS_SEED]
    #[arg(long, value_name = "N")]
    bots_seed: Option<u64>,

    /// Spread of the bots' best quotes, in basis points of the first price, 0.01 to 500; at least
    /// two ticks [default: 1] [env: BUTTONWOOD_DEMO_SPREAD_BPS]
    #[arg(long, value_name = "BPS")]
    demo_spread_bps: Option<String>,

    /// Size of the bots' best quotes, about, in USDT at the first prices, 1000 to 1000000
    /// [default: 6000] [env: BUTTONWOOD_DEMO_SIZE_USDT]
    #[arg(long, value_name = "USDT")]
    demo_size_usdt: Option<u64>,

    /// Drift of the demo's prices in each hour, in basis points of the first price, -500 to 500
    /// [default: 0] [env: BUTTONWOOD_DEMO_DRIFT_BPS]
    #[arg(long, value_name = "BPS", allow_negative_numbers = true)]
    demo_drift_bps: Option<String>,

    /// Volatility of the demo's prices: the standard deviation of an hour's moves, in basis points,
    /// 0 to 500 [default: 7] [env: BUTTONWOOD_DEMO_VOLATILITY_BPS]
    #[arg(long, value_name = "BPS")]
    demo_volatility_bps: Option<String>,

    /// Maker's fee of a new demo's instruments, in basis points, 0 to 1000; the bots pay none
    /// [default: 10] [env: BUTTONWOOD_DEMO_MAKER_FEE_BPS]
    #[arg(long, value_name = "BPS")]
    demo_maker_fee_bps: Option<String>,

    /// Taker's fee of a new demo's instruments, in basis points, 0 to 1000; the bots pay none
    /// [default: 10] [env: BUTTONWOOD_DEMO_TAKER_FEE_BPS]
    #[arg(long, value_name = "BPS")]
    demo_taker_fee_bps: Option<String>,

    /// File with the master key that seals secrets, outside the data folder; required except for a
    /// demo. The variable may have the key itself [env: BUTTONWOOD_MASTER_KEY]
    #[arg(long, value_name = "FILE")]
    master_key: Option<String>,

    /// Commands between two snapshots, at least 1
    /// [default: 1000000] [env: BUTTONWOOD_SNAPSHOT_EVERY]
    #[arg(long, value_name = "N")]
    snapshot_every: Option<u64>,

    /// Size of a log segment in KiB, 4 to 16777216
    /// [default: 65536] [env: BUTTONWOOD_LOG_SEGMENT_KIB]
    #[arg(long, value_name = "N")]
    log_segment_kib: Option<u64>,

    /// What happens to log segments before the older of the two stored snapshots: `keep`, `delete`,
    /// or `archive:DIR`, which moves them to a folder on the same file system
    /// [default: keep] [env: BUTTONWOOD_LOG_RETENTION]
    #[arg(long, value_name = "RULE")]
    log_retention: Option<String>,

    /// Run a second engine on the same log, and report an alarm when the two differ. It takes as
    /// much memory as the first, and a core [env: BUTTONWOOD_REPLICA]
    #[arg(long)]
    replica: bool,

    /// Core of the engine's thread and, after a comma, of the log writer's, such as 3,2: for cores
    /// without other load (isolcpus, taskset) [default: none] [env: BUTTONWOOD_PIN]
    #[arg(long, value_name = "CORE[,CORE]")]
    pin: Option<String>,

    /// Allows huge pages for large arrays [default: on] [env: BUTTONWOOD_HUGE_PAGES]
    #[arg(long, value_name = "SWITCH", value_parser = SWITCH)]
    huge_pages: Option<String>,

    /// Size limit of the event spool in MiB, at least 32; the oldest events are deleted. While the
    /// read model or a publisher is behind, it has up to eight times as much
    /// [default: 256] [env: BUTTONWOOD_SPOOL_MAX_MIB]
    #[arg(long, value_name = "N")]
    spool_max_mib: Option<u64>,

    /// Age limit of events in the spool in hours, counted from the newest event; 0 is no limit
    /// [default: 0] [env: BUTTONWOOD_SPOOL_MAX_HOURS]
    #[arg(long, value_name = "N")]
    spool_max_hours: Option<u64>,

    /// Where history is kept, which answers queries of the past: `sqlite`, the file in the data
    /// folder, or a database of PostgreSQL, such as postgres://user@host:5432/database, or several
    /// by account, with commas between them. Other users of this machine see a flag: a password
    /// belongs in the variable or in a file
    /// [default: sqlite] [env: BUTTONWOOD_HISTORY]
    #[arg(long, value_name = "URL")]
    history: Option<String>,

    /// File with the password of the database that --history names
    /// [env: BUTTONWOOD_HISTORY_PASSWORD_FILE]
    #[arg(long, value_name = "FILE")]
    history_password_file: Option<PathBuf>,

    /// Replica of the database that --history names, which then answers queries, or one for each of
    /// several with commas between them. A query that it is behind for goes to the database
    /// [default: none] [env: BUTTONWOOD_HISTORY_REPLICA]
    #[arg(long, value_name = "URL")]
    history_replica: Option<String>,

    /// What the read model keeps of orders, trades and transfers that have ended: `all`, or limits
    /// by age (36h, 90d), by size (500mib, 20gib), or both with a comma between. Candles are kept
    /// [default: all] [env: BUTTONWOOD_HISTORY_RETENTION]
    #[arg(long, value_name = "RULE")]
    history_retention: Option<String>,

    /// Broker that events are published to, such as redis://host:6379; may be repeated, and the
    /// variable has commas between URLs. docs/publishers.md has the settings of each in its query.
    /// Other users of this machine see a flag: a password belongs in a file
    /// [default: none] [env: BUTTONWOOD_PUBLISH]
    #[arg(long, value_name = "URL")]
    publish: Vec<String>,

    /// Overload limit in ms, 1 to 10000, or 0 for none. When requests wait for longer than this to
    /// be read during a whole second, or the disk is late by as much, the venue refuses new orders
    /// with -1008 until it has caught up. It still takes cancels and queries
    /// [default: 250] [env: BUTTONWOOD_OVERLOAD_MS]
    #[arg(long, value_name = "MS")]
    overload_ms: Option<u64>,

    /// Limit the weight of requests from this machine's own addresses, too, for example to test a
    /// bot against the limits
    /// [env: BUTTONWOOD_LIMIT_LOOPBACK]
    #[arg(long)]
    limit_loopback: bool,

    /// Log level: off, error, warn, info, debug, trace, or by module such as `info,gateway=debug`
    /// [default: info] [env: BUTTONWOOD_LOG_LEVEL]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,

    /// Format of log lines on stderr [default: text] [env: BUTTONWOOD_LOG_FORMAT]
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json"])]
    log_format: Option<String>,

    /// Collector that gets traces of orders in OTLP over HTTP, such as http://127.0.0.1:4318;
    /// without a path it is /v1/traces [default: no traces] [env: BUTTONWOOD_TRACE_OTLP]
    #[arg(long, value_name = "URL")]
    trace_otlp: Option<String>,

    /// Share of the orders that are traced, 0 to 1, beside those of clients that send `traceparent`
    /// [default: 0.01] [env: BUTTONWOOD_TRACE_SAMPLE]
    #[arg(long, value_name = "SHARE")]
    trace_sample: Option<String>,
}

impl Flags {
    /// Layers these flags over the file that they name, the environment, and the defaults.
    pub fn settings(&self) -> Result<Settings, String> {
        Settings::load(self.config.clone(), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use server::Bps;

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
            ["--allowed-host", "a.example"],
            ["--trusted-proxy", "10.0.0.0/8"],
            ["--connections-max", "32"],
            ["--connections-per-address", "4"],
            ["--durability", "os"],
            ["--bots-seed", "7"],
            ["--keys", "k.json"],
            ["--demo-spread-bps", "2.5"],
            ["--demo-size-usdt", "1000"],
            ["--demo-drift-bps", "-1"],
            ["--demo-volatility-bps", "0"],
            ["--demo-maker-fee-bps", "3"],
            ["--demo-taker-fee-bps", "4"],
            ["--master-key", "k"],
            ["--snapshot-every", "7"],
            ["--log-segment-kib", "8"],
            ["--log-retention", "delete"],
            ["--pin", "0"],
            ["--huge-pages", "off"],
            ["--spool-max-mib", "33"],
            ["--spool-max-hours", "3"],
            ["--history-retention", "7d"],
            ["--publish", "redis://cache:6379"],
            ["--overload-ms", "9"],
            ["--log-level", "warn"],
            ["--log-format", "json"],
            ["--trace-otlp", "http://a:4318"],
            ["--trace-sample", "0.5"],
            ["--web-sessions-max", "50"],
            ["--web-sessions-per-login", "5"],
            ["--web-session-idle-mins", "6"],
            ["--web-session-hours", "7"],
            ["--ouch", "127.0.0.1:3"],
            ["--ouch-udp", "127.0.0.1:5"],
            ["--ouch-connections-max", "8"],
            ["--itch", "233.252.14.1:7,127.0.0.1:8"],
            ["--itch-interface", "127.0.0.1"],
            ["--itch-ttl", "3"],
            ["--itch-recovery", ":9"],
            ["--glimpse", ":10"],
            ["--glimpse-connections-max", "11"],
            ["--grpc-connections-max", "9"],
            ["--intake-accounts", "1,alice"],
            ["--intake-replies-max", "2000"],
            ["--market", "BTCUSDT=https://venue.example"],
            ["--market-ca", "ca.pem"],
        ];
        let switches = [
            "--limit-loopback",
            "--tls-self-signed",
            "--allow-plaintext",
            "--demo",
            "--no-bots",
            "--replica",
            "--ouch-cleartext",
            "--market-lenient",
            "--ouch-cancel-on-disconnect",
            "--grpc-cleartext",
        ];
        let Settings {
            http,
            door,
            log,
            spool,
            history,
            publish,
            venue,
            demo,
            market,
            test,
            logging,
            trace,
            web,
            ouch,
            itch,
            grpc,
            intake,
        } = load(&[text.as_flattened(), &switches].concat()).unwrap();
        assert_eq!(
            (http.address.port(), http.tls_self_signed, http.allow_plaintext),
            (2, true, true)
        );
        let lists = [http.cors_origin, http.allowed_host, http.trusted_proxy];
        assert_eq!((lists.map(|list| list.len()), door.overload_ms), ([1, 1, 1], 9));
        assert!(door.limit_loopback);
        assert_eq!((http.connections_max, http.connections_per_address), (32, 4));
        assert_eq!((log.segment_kib, log.retention.as_str()), (8, "delete"));
        assert!(matches!(log.durability, server::Durability::Os));
        assert_eq!((spool.max_mib, spool.max_hours, history.retention.as_str()), (33, 3, "7d"));
        assert_eq!(publish.urls, ["redis://cache:6379"]);
        assert_eq!((venue.data_dir, venue.master_key), ("d".into(), Some("k".into())));
        assert_eq!((venue.snapshot_every, venue.replica), (7, true));
        assert_eq!((venue.pin.as_deref(), venue.huge_pages), (Some("0"), server::HugePages::Off));
        assert_eq!((demo.enabled, demo.no_bots, demo.bots_seed), (true, true, 7));
        assert_eq!((market.files.len(), market.speed, market.lenient), (1, 1.0, true));
        assert_eq!(market.ca, Some("ca.pem".into()));
        // A test has no folder.
        assert_eq!((test.enabled, test.keys), (false, Some("k.json".into())));
        assert!(load(&["--test", "--keys", "k.json"]).unwrap().test.enabled);
        let rates = [demo.spread_bps, demo.drift_bps, demo.volatility_bps];
        assert_eq!((rates.map(Bps::x100), demo.size_usdt), ([250, -100, 0], 1_000));
        assert_eq!([demo.maker_fee_bps, demo.taker_fee_bps].map(Bps::x100), [300, 400]);
        assert_eq!(trace.collector().unwrap().as_deref(), Some("http://a:4318/v1/traces"));
        assert_eq!(trace.sample.millionths(), 500_000);
        assert_eq!((web.sessions_max, web.sessions_per_login), (50, 5));
        let ports = [ouch.address, ouch.udp].map(|address| address.map(|at| at.port()));
        assert_eq!(ports, [Some(3), Some(5)]);
        assert_eq!(
            (ouch.connections_max, ouch.cleartext, ouch.cancel_on_disconnect),
            (8, true, true)
        );
        let ports = [itch.recovery, itch.glimpse].map(|at| at.map(|at| at.port()));
        assert_eq!((itch.receivers.len(), ports), (2, [Some(9), Some(10)]));
        assert_eq!(itch.interface.map(|at| at.is_loopback()), Some(true));
        assert_eq!((itch.ttl, itch.glimpse_connections_max), (3, 11));
        assert_eq!((grpc.connections_max, grpc.cleartext), (9, true));
        assert_eq!((intake.accounts.as_str(), intake.replies_max), ("1,alice", 2_000));
        assert_eq!((web.session_idle_mins, web.session_hours), (6, 7));
        assert!(matches!(logging.format, server::LogFormat::Json) && logging.level == "warn");
    }
}
