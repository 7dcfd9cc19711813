//! `buttonwood serve`: opens the venue, puts the sockets on it, and stops it cleanly.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use gateway::{AccessRecord, Gateway, Tls};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use venue::{Keyring, MasterKey, MasterKeyError, Opened, Running};

use crate::admin::{AdminApi, AdminServer};
use crate::config::{Config, Flags};
use crate::demo::{self, Demo};
use crate::failure::Failure;
use crate::feed;
use crate::recovery::Recovery;
use crate::trace;

#[derive(Args, Debug)]
pub(crate) struct Serve {
    #[command(flatten)]
    flags: Flags,
}

/// How often the process looks whether a thread of the venue has failed.
const WATCH_EVERY: Duration = Duration::from_millis(200);

impl Serve {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let config = Config::load(&self.flags)?;
        trace::init(&config.log_level, config.log_format)?;
        raise_descriptor_limit();
        config.huge_pages.apply()?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::new(format!("cannot start: {error}")))?;
        runtime.block_on(serve(config))
    }
}

async fn serve(config: Config) -> Result<(), Failure> {
    // A port that is taken is found out before anything is written.
    let tcp = TcpListener::bind(config.http)
        .await
        .map_err(|error| Failure::new(format!("cannot listen on {}: {error}", config.http)))?;
    let address = tcp.local_addr()?;
    let tls = config.tls()?;
    if !address.ip().is_loopback() && tls.is_none() {
        tracing::warn!(%address, "listening beyond this machine, without encryption");
    }
    let keys = Keys::find(&config)?;
    let mut recovery = Recovery::begin();
    let opened = Opened::open_watched(config.venue_settings(), |replayed| recovery.tell(replayed))?;
    recovery.end();
    let (master_key, demo) = keys.complete(&config, &opened)?;
    let projection = feed::start(&config.data_dir, &opened);
    let keyring = Keyring::new(master_key.clone());
    let gateway = Gateway::new(config.gateway_settings(), &opened, keyring.clone())?
        .with_history(projection.history())
        .with_tls(tls.clone())
        .with_origins(config.origins()?)
        .with_access_record(access_record(&config)?);
    let (sequence, events_since) = (opened.engine().sequence(), opened.spool().first_sequence());
    let running = opened.start(vec![gateway.listener(), feed::listener(&projection)]);
    tracing::info!(
        durability = ?config.durability,
        data = %config.data_dir.display(),
        sequence,
        events_since,
        "venue open"
    );

    let demo = demo.map(|demo| (demo, master_key));
    let outcome = run(&config, (tcp, tls), gateway, &running, keyring, demo).await;
    let stopped = tokio::task::spawn_blocking(|| {
        let stopped = running.stop();
        // Behind the last event.
        projection.stop();
        stopped
    });
    stopped.await.map_err(|_| Failure::new("a thread panicked while stopping"))??;
    outcome
}

/// Runs until a signal or a failure, then lets everything that uses the venue end.
async fn run(
    config: &Config,
    (tcp, tls): (TcpListener, Option<Arc<Tls>>),
    gateway: Gateway,
    running: &Running,
    keyring: Keyring,
    demo: Option<(Demo, MasterKey)>,
) -> Result<(), Failure> {
    // Both listen from here to the end: a signal that comes between two looks is not lost.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = tls.is_some().then(|| signal(SignalKind::hangup())).transpose()?;
    let base_url = base_url(tcp.local_addr()?, tls.is_some());
    let handle = running.handle();
    if let Some((demo, master_key)) = &demo {
        demo.ensure(&handle, master_key).await?;
    }
    let operators = AdminApi::new(handle.clone(), keyring.clone(), config);
    let gateway = gateway.with_operators(Arc::new(operators));
    let admin = AdminServer::bind(&config.data_dir, handle.clone(), keyring)?;
    // The bots end first: they take their quotes back through the sockets.
    let (stop, stopped) = watch::channel(false);
    let (stop_bots, bots_stopped) = watch::channel(false);
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(gateway.serve(tcp, handle, until(stopped.clone())));
    tasks.spawn(admin.serve(until(stopped.clone())));
    let mut stdout = std::io::stdout();
    writeln!(stdout, "ready {base_url}")
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::new(format!("cannot say on stdout that it is ready: {error}")))?;
    let bots = demo.filter(|_| !config.no_bots).map(|(demo, _)| {
        let until = until(bots_stopped);
        tokio::spawn(demo::bots::run(base_url, demo.bots(), config.bots_seed, until))
    });
    let mut watch = tokio::time::interval(WATCH_EVERY);
    let outcome = loop {
        tokio::select! {
            _ = interrupt.recv() => break Ok(()),
            _ = terminate.recv() => break Ok(()),
            () = hung_up(&mut hang_up) => if let Some(Err(error)) = tls.as_ref().map(|tls| tls.reload()) {
                tracing::warn!(%error, "the certificate stays as it was");
            },
            // The reason comes out when the venue is stopped.
            _ = watch.tick() => if running.has_failed() { break Ok(()) },
            Some(ended) = tasks.join_next() => match ended {
                Ok(Ok(())) => {}
                Ok(Err(error)) => break Err(error.into()),
                Err(error) => break Err(Failure::new(format!("a task panicked: {error}"))),
            },
        }
    };
    tracing::info!("stopping");
    stop_bots.send_replace(true);
    if let Some(bots) = bots {
        bots.await.map_err(|error| Failure::new(format!("the bots panicked: {error}")))?;
    }
    stop.send_replace(true);
    while tasks.join_next().await.is_some() {}
    outcome
}

/// Where the master key comes from: it is named, or a demo has its own.
enum Keys {
    Named(MasterKey),
    Demo(Demo),
    /// A demo that is still to be made.
    NewDemo,
}

impl Keys {
    /// Looks before anything is written.
    fn find(config: &Config) -> Result<Self, Failure> {
        match (Demo::load(&config.data_dir)?, config.master_key()?) {
            (Some(demo), _) => Ok(Self::Demo(demo)),
            (None, _) if config.demo => Ok(Self::NewDemo),
            (None, Some(named)) => Ok(Self::Named(named)),
            (None, None) => Err(MasterKeyError::Missing.into()),
        }
    }

    fn complete(
        self,
        config: &Config,
        opened: &Opened,
    ) -> Result<(MasterKey, Option<Demo>), Failure> {
        let demo = match self {
            Self::Named(master_key) => return Ok((master_key, None)),
            Self::Demo(demo) => demo,
            Self::NewDemo if opened.is_new() => Demo::create(&config.data_dir)?,
            Self::NewDemo => {
                return Err(Failure::new(format!(
                    "{} holds a venue that is not a demo: leave --demo out, or choose an empty folder",
                    config.data_dir.display()
                )));
            }
        };
        Ok((demo.master_key()?, Some(demo)))
    }
}

fn access_record(config: &Config) -> Result<AccessRecord, Failure> {
    AccessRecord::open(&config.data_dir).map_err(|error| {
        Failure::new(format!("{}: the access record: {error}", config.data_dir.display()))
    })
}

fn base_url(address: SocketAddr, is_tls: bool) -> String {
    let scheme = if is_tls { "https" } else { "http" };
    format!("{scheme}://{address}")
}

/// A venue with certificates reads them again; any other one ends with its terminal.
async fn hung_up(hang_up: &mut Option<Signal>) {
    match hang_up {
        Some(hang_up) => drop(hang_up.recv().await),
        None => std::future::pending().await,
    }
}

/// A connection takes a descriptor, and few are allowed until more are asked for.
fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, "the limit of open connections stays low");
    }
}

async fn until(mut stopped: watch::Receiver<bool>) {
    // The sender goes away only when the process is about to end.
    let _gone = stopped.wait_for(|stopped| *stopped).await;
}
