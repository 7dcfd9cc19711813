//! A venue's run: opens the venue, serves its sockets, and stops it cleanly.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use gateway::{AccessRecord, DemoSignIn, Faults, Gateway, Tls};
use projection::Projection;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::JoinSet;
use venue::{Handle, Keyring, Listener, MasterKey, MasterKeyError, Opened, Replayed, Running};

use crate::demo::{self, Demo};
use crate::doors::{AllDoors, Places};
use crate::error::ServeError;
use crate::feed;
use crate::market::{Counterparty, Source};
use crate::operators::{OperatedVenue, Operators};
use crate::publishers::Publishers;
use crate::settings::Settings;
use crate::test_folder::TestFolder;
use crate::traces::{self, Tracing};

/// The program around a venue, which shows its progress.
pub trait Host {
    fn recovery_begins(&mut self);

    /// A batch of the log was applied again.
    fn replayed(&mut self, replayed: Replayed);

    /// The state is that of the end of the log.
    fn recovery_ends(&mut self);

    /// A demo's page can be opened at this address, once: it holds a code that signs a browser in.
    /// The first one comes before [`Host::ready`], where an error ends the venue.
    fn open(&mut self, page_url: &str) -> Result<(), String>;

    /// A further port or socket takes clients. Comes before [`Host::ready`], where an error ends
    /// the venue.
    fn listening(&mut self, protocol: &str, place: &str) -> Result<(), String>;

    /// Clients can connect. An error ends the venue.
    fn ready(&mut self, base_url: &str) -> Result<(), String>;
}

/// Open files that are not connections.
const FILES_OF_VENUE: u64 = 256;
/// With fewer open files a venue does not start.
const FILES_LEAST: u64 = 512;

/// Runs a venue until a signal ends the process, or the venue fails.
pub fn run(
    settings: Settings,
    host: &mut impl Host,
    operators: &impl Operators,
) -> Result<(), ServeError> {
    let connections_max = places(settings.http.connections_max, raise_file_limit())?;
    settings.venue.huge_pages.apply()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| ServeError::new(format!("cannot start: {error}")))?;
    runtime.block_on(serve(settings, connections_max, host, operators))
}

async fn serve(
    mut settings: Settings,
    connections_max: usize,
    host: &mut impl Host,
    operators: &impl Operators,
) -> Result<(), ServeError> {
    // A port in use and a market that cannot be read are errors before anything is written.
    let tcp = bind(settings.http.address).await?;
    let (doors, places) = AllDoors::bind(&settings).await?;
    let market = Source::open(&settings.market).await?;
    let tls = settings.http.tls()?;
    let tracing = Tracing::prepare(&settings.trace)?;
    warn_of_plaintext(&tcp, tls.is_some())?;
    // It is removed when all that uses it has ended.
    let _test_folder = TestFolder::of(&mut settings)?;
    let data_dir = &settings.venue.data_dir;
    let keys = Keys::find(&settings)?;
    host.recovery_begins();
    let opened =
        Opened::open_watched(settings.venue_settings(), |replayed| host.replayed(replayed))?;
    host.recovery_ends();
    let (master_key, demo) = keys.complete(&settings, &opened)?;
    let (projection, publishers) = start_followers(&settings, &opened)?;
    let keyring = Keyring::new(master_key.clone());
    let gateway = gateway(&settings, connections_max, &opened, keyring.clone())?
        .with_history(projection.history())
        .with_tls(tls.clone());
    let faults = demo.as_ref().map(|_| Arc::<Faults>::default());
    let (traces, export) = traces::start(tracing, opened.metrics())?;
    let mut gateway = gateway.with_faults(faults.clone()).with_traces(traces);
    let (sequence, events_since) = (opened.engine().sequence(), opened.spool().first_sequence());
    let mut listeners = vec![gateway.listener(), feed::listener(&projection)];
    listeners.extend(publishers.listener());
    let running = start(opened, listeners, &mut gateway, doors)?;
    publishers.meet(running.handle());
    tracing::info!(
        durability = ?settings.log.durability,
        data = %data_dir.display(),
        sequence,
        events_since,
        "venue open"
    );

    let venue = OperatedVenue {
        handle: running.handle(),
        history: projection.history(),
        keyring,
        data_dir: data_dir.clone(),
        is_kept: !settings.test.enabled,
        durability: settings.log.durability,
        faults,
    };
    let demo = demo.map(|demo| (demo, master_key, market));
    let (around, ports) = ((host, operators), (tcp, tls, places));
    let outcome = run_until_stopped(&settings, around, ports, gateway, &running, venue, demo).await;
    let stopped = tokio::task::spawn_blocking(|| {
        let stopped = running.stop();
        // After the last event.
        projection.stop();
        publishers.stop();
        traces::stop(export);
        stopped
    });
    stopped.await.map_err(|_| ServeError::new("a thread panicked while stopping"))??;
    outcome
}

pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| ServeError::new(format!("cannot listen on {address}: {error}")))
}

fn gateway(
    settings: &Settings,
    connections_max: usize,
    opened: &Opened,
    keyring: Keyring,
) -> Result<Gateway, ServeError> {
    let gateway = Gateway::new(settings.gateway_settings(connections_max), opened, keyring)?
        .with_origins(settings.http.origins()?)
        .with_allowed_hosts(settings.http.allowed_hosts()?)
        .with_trusted_proxies(settings.http.trusted_proxies()?)
        .with_access_record(access_record(&settings.venue.data_dir)?);
    Ok(gateway)
}

fn start_followers(
    settings: &Settings,
    opened: &Opened,
) -> Result<(Projection, Publishers), ServeError> {
    let (place, retention) = (settings.history.place()?, settings.history.retention()?);
    let data_dir = &settings.venue.data_dir;
    opened.start_followers(|| {
        let projection = feed::start_at(&place, data_dir, opened, retention);
        Ok((projection, Publishers::start(&settings.publish, data_dir, opened)?))
    })
}

fn start(
    opened: Opened,
    mut listeners: Vec<Box<dyn Listener>>,
    gateway: &mut Gateway,
    doors: AllDoors,
) -> io::Result<Running> {
    if let Some(doors) = doors.itch {
        listeners.push(gateway.serve_itch(doors, &opened)?);
    }
    #[cfg(feature = "grpc")]
    if let Some(listeners) = doors.grpc.listeners() {
        gateway.serve_grpc(listeners);
    }
    #[cfg(feature = "redis")]
    if let Some(intake) = doors.intake {
        gateway.take_orders_from(intake);
    }
    let ouch = doors.ouch.listeners();
    let has_ouch = ouch.is_some() || doors.ouch_udp.is_some();
    Ok(match has_ouch.then(|| gateway.serve_ouch(ouch, doors.ouch_udp, &opened)) {
        Some(reporter) => opened.start_with(listeners, reporter),
        None => opened.start(listeners),
    })
}

fn warn_of_plaintext(tcp: &TcpListener, is_encrypted: bool) -> io::Result<()> {
    let address = tcp.local_addr()?;
    if !address.ip().is_loopback() && !is_encrypted {
        tracing::warn!(%address, "listening beyond this machine, without encryption");
    }
    Ok(())
}

/// Runs until a signal or a failure, then lets everything that uses the venue end.
async fn run_until_stopped(
    settings: &Settings,
    (host, operators): (&mut impl Host, &impl Operators),
    (tcp, tls, places): (TcpListener, Option<Arc<Tls>>, Places),
    gateway: Gateway,
    running: &Running,
    venue: OperatedVenue,
    demo: Option<(Demo, MasterKey, Option<Source>)>,
) -> Result<(), ServeError> {
    // Both listen from here to the end, so that no signal is lost between two polls.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = tls.is_some().then(|| signal(SignalKind::hangup())).transpose()?;
    let base_url = base_url(tcp.local_addr()?, tls.is_some());
    let (demo, market) = set_up(settings, demo, &venue.handle, &base_url).await?.unzip();
    let market = market.flatten();
    let (demo_sign_in, mut codes) = sign_in(settings, demo.as_ref());
    let gateway = gateway.with_operators(operators.api(&venue)).with_demo_sign_in(demo_sign_in);
    let (stop, stopped) = watch::channel(false);
    let admin = operators.socket(&venue, Box::pin(until(stopped.clone())))?;
    let mut tasks = JoinSet::new();
    tasks.spawn(gateway.serve(tcp, venue.handle, until(stopped)));
    tasks.spawn(admin);
    if let Some(code) = codes.as_mut().and_then(|codes| codes.try_recv().ok()) {
        host.open(&page_url(&base_url, &code))?;
    }
    for (protocol, place) in places {
        host.listening(protocol, &place)?;
    }
    host.ready(&base_url)?;
    let page_base = base_url.clone();
    let counterparties = Counterparties::start(settings, demo.as_ref(), market, base_url);
    let outcome = loop {
        tokio::select! {
            _ = interrupt.recv() => break Ok(()),
            _ = terminate.recv() => break Ok(()),
            () = hung_up(&mut hang_up) => if let Some(Err(error)) = tls.as_ref().map(|tls| tls.reload()) {
                tracing::warn!(%error, "the certificate stays as it was");
            },
            Some(code) = next_code(&mut codes) => if let Err(error) = host.open(&page_url(&page_base, &code)) {
                tracing::warn!(error, "the address for the next sign-in could not be printed");
            },
            // `stop` returns the reason.
            () = running.ended() => break Ok(()),
            Some(ended) = tasks.join_next() => match ended {
                Ok(Ok(())) => {}
                Ok(Err(error)) => break Err(error.into()),
                Err(error) => break Err(ServeError::new(format!("a task panicked: {error}"))),
            },
        }
    };
    tracing::info!("stopping");
    // First, because the bots cancel their quotes through the sockets.
    counterparties.stop().await?;
    stop.send_replace(true);
    while tasks.join_next().await.is_some() {}
    outcome
}

/// Completes a demo or a test, and opens its recorded or mirrored market.
async fn set_up(
    settings: &Settings,
    demo: Option<(Demo, MasterKey, Option<Source>)>,
    handle: &Handle,
    base_url: &str,
) -> Result<Option<(Demo, Option<Counterparty>)>, ServeError> {
    let Some((demo, master_key, source)) = demo else { return Ok(None) };
    demo.ensure(handle, &master_key, settings.demo.fees()).await?;
    if let (true, Some(file)) = (settings.test.enabled, &settings.test.keys) {
        demo.write_keys(file, base_url, &settings.venue.data_dir)?;
    }
    let Some(source) = source else { return Ok(Some((demo, None))) };
    let customers = u32::try_from(demo.customers().len()).expect("few customers");
    let market = Counterparty::open(source, handle.clone(), customers).await?;
    Ok(Some((demo, Some(market))))
}

/// What makes a market for the clients of a demo: bots, a recording, or another venue's feed.
struct Counterparties {
    tasks: JoinSet<()>,
    stop: watch::Sender<bool>,
}

impl Counterparties {
    fn start(
        settings: &Settings,
        demo: Option<&Demo>,
        market: Option<Counterparty>,
        base_url: String,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        if let Some(market) = market {
            tasks.spawn(market.run(until(stopped.clone())));
        }
        if let Some(demo) = demo.filter(|_| settings.has_bots()) {
            let of_demo = settings.demo.clone();
            tasks.spawn(demo::bots::run(base_url, demo.bots(), of_demo, until(stopped)));
        }
        Self { tasks, stop }
    }

    async fn stop(mut self) -> Result<(), ServeError> {
        self.stop.send_replace(true);
        while let Some(ended) = self.tasks.join_next().await {
            ended.map_err(|error| ServeError::new(format!("a counterparty panicked: {error}")))?;
        }
        Ok(())
    }
}

/// The source of the master key: a setting, or the demo's file.
enum Keys {
    Named(MasterKey),
    Demo(Demo),
    /// A demo that does not exist yet.
    NewDemo,
}

impl Keys {
    /// Finds the source before anything is written.
    fn find(settings: &Settings) -> Result<Self, ServeError> {
        match (Demo::load(&settings.venue.data_dir)?, settings.venue.master_key()?) {
            (Some(demo), _) => Ok(Self::Demo(demo)),
            (None, _) if settings.demo.enabled || settings.test.enabled => Ok(Self::NewDemo),
            (None, Some(named)) => Ok(Self::Named(named)),
            (None, None) => Err(MasterKeyError::Missing.into()),
        }
    }

    fn complete(
        self,
        settings: &Settings,
        opened: &Opened,
    ) -> Result<(MasterKey, Option<Demo>), ServeError> {
        let data_dir = &settings.venue.data_dir;
        let mut demo = match self {
            Self::Named(master_key) => return Ok((master_key, None)),
            Self::Demo(demo) => demo,
            Self::NewDemo if opened.is_new() => Demo::create(data_dir)?,
            Self::NewDemo => {
                return Err(ServeError::new(format!(
                    "{} holds a venue that is not a demo: start it without --demo, or choose an empty folder",
                    data_dir.display()
                )));
            }
        };
        // A test is ready sooner without logins, which no program needs, but for OUCH and gRPC.
        if !settings.test.enabled {
            demo.add_passwords(data_dir);
        }
        if settings.ouch.is_on() || settings.grpc.is_on() {
            demo.add_ouch_logins(data_dir);
        }
        Ok((demo.master_key()?, Some(demo)))
    }
}

fn access_record(data_dir: &Path) -> Result<AccessRecord, ServeError> {
    AccessRecord::open(data_dir).map_err(|error| {
        ServeError::new(format!("{}: the access record: {error}", data_dir.display()))
    })
}

fn base_url(address: SocketAddr, is_tls: bool) -> String {
    let scheme = if is_tls { "https" } else { "http" };
    format!("{scheme}://{address}")
}

/// The address of the page, with a code in the part that a browser keeps to itself.
fn page_url(base_url: &str, code: &str) -> String {
    format!("{base_url}/#{code}")
}

/// Sign-in by code, for a person before a demo. A test has keys, and reads the `ready` line alone.
fn sign_in(
    settings: &Settings,
    demo: Option<&Demo>,
) -> (Option<DemoSignIn>, Option<UnboundedReceiver<String>>) {
    let demo = demo.filter(|_| !settings.test.enabled);
    demo.map(|demo| DemoSignIn::new(demo.customers())).unzip()
}

async fn next_code(codes: &mut Option<UnboundedReceiver<String>>) -> Option<String> {
    match codes {
        Some(codes) => codes.recv().await,
        None => std::future::pending().await,
    }
}

/// On SIGHUP a venue with certificates reads them again; one without them ends with its terminal.
async fn hung_up(hang_up: &mut Option<Signal>) {
    match hang_up {
        Some(hang_up) => drop(hang_up.recv().await),
        None => std::future::pending().await,
    }
}

/// Raises the limit of open files to the highest that the system allows, and returns it.
fn raise_file_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, "the limit of open files stays low");
    }
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// The connections that the limit of open files leaves room for. The log, the snapshots and the
/// read model never find it used up by clients.
fn places(wanted: usize, files_max: u64) -> Result<usize, ServeError> {
    if files_max < FILES_LEAST {
        return Err(ServeError::new(format!(
            "this process may open {files_max} files, and a venue needs {FILES_LEAST}: raise the \
             limit (`ulimit -n`, or LimitNOFILE in the unit of systemd)"
        )));
    }
    let room = usize::try_from(files_max - FILES_OF_VENUE).unwrap_or(usize::MAX);
    if room < wanted {
        tracing::warn!(
            connections_max = room,
            files_max,
            "fewer connections than the setting: the limit of open files is too low"
        );
    }
    Ok(wanted.min(room))
}

async fn until(mut stopped: watch::Receiver<bool>) {
    // The sender is dropped only when the process is about to end.
    let _gone = stopped.wait_for(|stopped| *stopped).await;
}
