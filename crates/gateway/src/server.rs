//! The routers of all dialects on the venue's port.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use futures_util::future::OptionFuture;
use protocol::signed::ApiError;
use tokio::net::TcpListener;
use tokio::runtime::Handle as RuntimeHandle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use venue::{Handle, MetricSource, api_key_hash};

#[cfg(feature = "grpc")]
use crate::GrpcPort;
use crate::binance;
use crate::binance::listen_keys::ListenKeys;
use crate::binance::operations::OPERATIONS;
use crate::binance::rest::Operations;
use crate::binance::shared::{BinanceContext, EngineAccess, PublisherState};
use crate::door::admission::Admission;
use crate::door::back_off::BackOff;
use crate::door::door_metrics::DoorMetrics;
use crate::door::in_use::InUse;
use crate::door::limits::Limits;
use crate::door::operator::OPERATOR_ROOT;
use crate::door::passwords::Passwords;
use crate::door::scrape::OfDoor;
use crate::door::sessions;
use crate::door::shared::Door;
use crate::door::single_use::SingleUses;
#[cfg(feature = "grpc")]
use crate::grpc::connection::GrpcDoor;
#[cfg(feature = "grpc")]
use crate::grpc::settings::GrpcSettings;
#[cfg(feature = "grpc")]
use crate::grpc::{Backends, GrpcShared, Tunnel};
#[cfg(feature = "redis")]
use crate::intake::{self, settings::IntakeSettings};
use crate::itch::{glimpse, recovery};
use crate::monitoring;
use crate::operator::{self, OperatorState};
use crate::ouch::accept::OuchDoor;
use crate::ouch::datagrams;
use crate::socket::accept::{Direct, Port, Reserved, Reserving};
use crate::socket::answered::{AllAnswered, Answered};
use crate::socket::cors::{self, Origin};
use crate::socket::http::{API_KEY_HEADER, ErrorReply, RequestHead, text_header};
use crate::socket::listeners::Acceptor;
use crate::socket::page::Pages;
use crate::socket::proxy::Proxies;
use crate::socket::readers::ReaderThreads;
use crate::socket::settings::SocketSettings;
use crate::socket::tls::Tls;
use crate::socket::traffic::Traffic;
use crate::web::{self, WebState};
use crate::{Gateway, ItchPort, ItchSettings, OuchPort, Settings};

/// How often the limits of idle addresses are removed.
const REMOVE_IDLE_EVERY: Duration = Duration::from_secs(60);

/// Of a request that is refused before a dialect has it.
const REFUSAL_WEIGHT: u32 = 1;

pub(crate) async fn serve(
    gateway: Gateway,
    tcp: TcpListener,
    handle: Handle,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let Gateway { settings, publisher, history, tls, operators, access, faults, .. } = gateway;
    let Gateway { operator_hub, traces, origins, allowed_hosts, trusted_proxies, .. } = gateway;
    let Gateway { created_us, demo_sign_in: demo, beside, .. } = gateway;
    let pages = Arc::new(Pages::new(allowed_hosts, origins.clone(), is_loopback(&tcp)?));
    sessions::close_left_over(&handle).await;
    let (stop, stopping) = watch::channel(false);
    give_engine_access(&publisher, &handle);
    let door = Arc::new(Door {
        settings: settings.door,
        limits: Limits::new(&settings.door),
        admission: Admission::new(settings.door.late_after),
        in_use: InUse::new(&settings.door),
        single_uses: SingleUses::new(created_us),
        directory: Arc::clone(&publisher.directory),
        handle: handle.clone(),
        queues: Arc::clone(&publisher.queues),
        readers: Arc::clone(&publisher.readers),
        history,
        access,
        metrics: DoorMetrics::default(),
        faults,
        traces,
        stopping,
    });
    let shared = Arc::new(trading(&door, settings.socket, publisher)?);
    let operators = OperatorState {
        door: Arc::clone(&door),
        settings: settings.socket,
        api: operators,
        hub: operator_hub,
        answered: Answered::new([OPERATOR_ROOT.to_owned()]),
    };
    let back_off = Arc::<BackOff>::default();
    let passwords = Arc::new(Passwords::start(Arc::clone(&back_off))?);
    let checks = (back_off, Arc::clone(&passwords));
    let web = WebState::new(&door, &settings, demo, checks, tls.is_some());
    let (answered, beside) = beside.serve(&door, &settings, passwords, &operators, tls.as_ref());
    let traffic = Traffic::new(settings.socket.connections_max);
    add_metrics(&shared, &operators, &web, answered, (&traffic, tls.as_ref()));
    let tasks = spawn_tasks(&shared, tls.clone());
    let port = Port {
        tcp,
        tls,
        settings: settings.socket,
        direct: direct(&shared, &origins),
        router: router(&door, shared, operators, web, origins),
        metrics: Arc::clone(handle.metrics()),
        traffic,
        stop,
        reserving: reserving(Arc::clone(&door)),
        refuse: Arc::new(move |head, error| refuse(&door, head, error)),
        proxies: Proxies::new(trusted_proxies),
        pages,
        over_limit_response: binance::rest::over_limit_response,
    };
    tokio::join!(port.serve(shutdown), beside);
    tasks.iter().for_each(|task| task.abort());
    Ok(())
}

fn trading(
    door: &Arc<Door>,
    settings: SocketSettings,
    publisher: Arc<PublisherState>,
) -> io::Result<BinanceContext> {
    Ok(BinanceContext {
        door: Arc::clone(door),
        settings,
        listen_keys: ListenKeys::default(),
        readers: ReaderThreads::start()?,
        answered: Answered::new(OPERATIONS.iter().map(|of| format!("{} {}", of.method, of.path))),
        publisher,
    })
}

fn is_loopback(tcp: &TcpListener) -> io::Result<bool> {
    Ok(tcp.local_addr()?.ip().to_canonical().is_loopback())
}

/// The dialects with ports of their own.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) ouch: Option<OuchPort>,
    pub(crate) itch: Option<ItchPort>,
    #[cfg(feature = "grpc")]
    pub(crate) grpc: GrpcPort,
    #[cfg(feature = "redis")]
    pub(crate) intake: Option<IntakeSettings>,
}

impl Beside {
    /// The answers that are counted, and what serves until the gateway stops.
    fn serve(
        self,
        door: &Arc<Door>,
        settings: &Settings,
        passwords: Arc<Passwords>,
        operators: &OperatorState,
        tls: Option<&Arc<Tls>>,
    ) -> (Option<Arc<Answered>>, impl Future<Output = ()> + use<>) {
        let itch = self.itch.map(|port| serve_itch(port, Arc::clone(door), settings.itch));
        let ouch = self.ouch.map(|OuchPort { doors, udp, hub }| {
            ((doors, udp), OuchDoor::new(door, hub, settings.ouch, Arc::clone(&passwords)))
        });
        #[cfg(feature = "grpc")]
        let grpc = {
            let tunnel = ouch.as_ref().map(|(_, ouch)| tunnel(ouch));
            let backends = Backends { passwords, operators: operators.api.clone(), tunnel };
            serve_grpc(door, self.grpc, settings.grpc, backends, tls.cloned())
        };
        #[cfg(not(feature = "grpc"))]
        let grpc = None::<(Arc<Answered>, std::future::Ready<()>)>;
        #[cfg(not(feature = "grpc"))]
        let _unused = operators;
        let (answered, grpc) = grpc.unzip();
        let ouch = ouch.map(|((doors, udp), ouch)| {
            let udp = udp.map(|udp| datagrams::serve(udp, Arc::clone(&ouch)));
            let connections_max = settings.ouch.connections_max;
            let acceptor = Acceptor::new(door, ouch, connections_max, tls.cloned());
            let tcp = doors.map(|doors| acceptor.run(doors));
            async { tokio::join!(OptionFuture::from(tcp), OptionFuture::from(udp)) }
        });
        #[cfg(feature = "redis")]
        let intake = self.intake.map(|settings| intake::run(settings, Arc::clone(door)));
        #[cfg(not(feature = "redis"))]
        let intake = None::<std::future::Ready<()>>;
        let all = async {
            let (ouch, itch) = (OptionFuture::from(ouch), OptionFuture::from(itch));
            let (grpc, intake) = (OptionFuture::from(grpc), OptionFuture::from(intake));
            tokio::join!(ouch, itch, grpc, intake);
        };
        (answered, all)
    }
}

#[cfg(feature = "grpc")]
fn serve_grpc(
    door: &Arc<Door>,
    GrpcPort { listeners, hub }: GrpcPort,
    settings: GrpcSettings,
    backends: Backends,
    tls: Option<Arc<Tls>>,
) -> Option<(Arc<Answered>, impl Future<Output = ()> + use<>)> {
    let listeners = listeners?;
    let shared = GrpcShared::new(door, hub, backends);
    let acceptor = Acceptor::new(door, GrpcDoor::new(&shared), settings.connections_max, tls);
    Some((Arc::clone(&shared.answered), acceptor.run(listeners)))
}

/// Sessions of OUCH in calls of gRPC.
#[cfg(feature = "grpc")]
fn tunnel(ouch: &Arc<OuchDoor>) -> Tunnel {
    let ouch = Arc::clone(ouch);
    Tunnel::new(move |stream, peer| drop(tokio::spawn(Arc::clone(&ouch).serve_call(stream, peer))))
}

fn serve_itch(
    ItchPort { recovery, glimpse, hub }: ItchPort,
    door: Arc<Door>,
    settings: ItchSettings,
) -> impl Future<Output = ()> {
    door.handle.metrics().add_source(Arc::clone(hub.metrics()) as _);
    let recovery = recovery.map(|udp| recovery::serve(udp, Arc::clone(&door), Arc::clone(&hub)));
    let glimpse = glimpse.map(|tcp| glimpse::serve(tcp, door, hub, settings));
    async {
        tokio::join!(OptionFuture::from(recovery), OptionFuture::from(glimpse));
    }
}

fn give_engine_access(publisher: &PublisherState, handle: &Handle) {
    let reads = EngineAccess { handle: handle.clone(), runtime: RuntimeHandle::current() };
    let engine_access = publisher.engine_access.set(reads);
    debug_assert!(engine_access.is_ok(), "a gateway serves once");
}

/// What runs beside the connections.
fn spawn_tasks(shared: &Arc<BinanceContext>, tls: Option<Arc<Tls>>) -> Vec<JoinHandle<()>> {
    let mut tasks = vec![
        tokio::spawn(binance::user_data_stream::expire(Arc::clone(shared))),
        tokio::spawn(remove_idle(Arc::clone(&shared.door))),
    ];
    if let Some(tls) = tls {
        tasks.push(tokio::spawn(async move { tls.watch().await }));
    }
    tasks
}

/// Adds the gateway's metrics to the venue's.
fn add_metrics(
    shared: &BinanceContext,
    operators: &OperatorState,
    web: &WebState,
    of_grpc: Option<Arc<Answered>>,
    (traffic, tls): (&Arc<Traffic>, Option<&Arc<Tls>>),
) {
    let of_http = [&shared.answered, &operators.answered, &web.answered].map(Arc::clone);
    let answered = of_http.into_iter().chain(of_grpc).collect();
    let sources: [Arc<dyn MetricSource>; 5] = [
        Arc::clone(traffic) as _,
        Arc::clone(&shared.publisher.readers) as _,
        Arc::new(AllAnswered(answered)),
        Arc::new(OfDoor(Arc::downgrade(&shared.door))),
        web.metrics(),
    ];
    let tls = tls.map(|tls| Arc::clone(tls) as Arc<dyn MetricSource>);
    let metrics = shared.door.handle.metrics();
    sources.into_iter().chain(tls).for_each(|source| metrics.add_source(source));
}

/// The dialects, and the refusal of what none of them serves.
fn router(
    door: &Arc<Door>,
    shared: Arc<BinanceContext>,
    operators: OperatorState,
    web: Arc<WebState>,
    origins: Vec<Origin>,
) -> Router {
    #[cfg(feature = "echo")]
    let echo = crate::echo::router(Arc::clone(door), operators.settings);
    let served = binance::router(shared)
        .merge(operator::router(Arc::new(operators)))
        .merge(web::router(web))
        .merge(monitoring::router(Arc::clone(door)));
    #[cfg(feature = "echo")]
    let served = served.merge(echo);
    let router = refuse_others(served, Arc::clone(door));
    if origins.is_empty() {
        router
    } else {
        router.layer(cors::layer(origins, binance::rest::headers()))
    }
}

/// Operations without the router, unless it has a layer for all answers: that of other origins.
fn direct(shared: &Arc<BinanceContext>, origins: &[Origin]) -> Option<Arc<dyn Direct>> {
    origins.is_empty().then(|| Arc::new(Operations(Arc::clone(shared))) as Arc<dyn Direct>)
}

/// The last places are for clients that name a key of the venue, whose signature is verified later,
/// and for single requests of the operator's monitoring.
fn reserving(door: Arc<Door>) -> Reserving {
    Arc::new(move |path, headers| {
        let hash = text_header(headers, &API_KEY_HEADER).map(api_key_hash);
        if hash.is_some_and(|hash| door.directory.read().signer(&hash).is_some()) {
            Reserved::Stays
        } else if monitoring::PATHS.contains(&path) {
            Reserved::Once
        } else {
            Reserved::No
        }
    })
}

async fn remove_idle(door: Arc<Door>) {
    loop {
        sleep(REMOVE_IDLE_EVERY).await;
        door.limits.remove_idle();
    }
}

/// Refuses paths without a route, and methods that a path does not take.
fn refuse_others(router: Router, door: Arc<Door>) -> Router {
    let answer = |error: fn(&str, &str) -> ApiError| {
        let door = Arc::clone(&door);
        move |request: Request| async move {
            let error = error(request.method().as_str(), request.uri().path());
            refuse(&door, &RequestHead::of(&request), error)
        }
    };
    router
        .fallback(answer(ApiError::not_found))
        .method_not_allowed_fallback(answer(ApiError::method_not_allowed))
}

/// Refuses a request. It costs weight: no client fills the access record with it.
fn refuse(door: &Door, head: &RequestHead, error: ApiError) -> ErrorReply {
    let error = match head.address.map(|client| door.limits.spend(client, REFUSAL_WEIGHT)) {
        Some(Err(over)) => over.into(),
        _ => error,
    };
    door.record_error(&head.attempt(), &error);
    ErrorReply(error)
}
