//! All publishers of a venue.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use marketdata::Views;
use projection::{Backend, Feed, HistoryRetention, OlderEvents, Wake};
use spool::SpoolReader;

#[cfg(feature = "kafka")]
use crate::kafka::Kafka;
#[cfg(feature = "nats")]
use crate::nats::Nats;
use crate::publish::address::Address;
use crate::publish::balances::Balances;
use crate::publish::directory::Directory;
use crate::publish::figures::{Figures, Measured};
use crate::publish::publisher::{Broker, Publisher};
#[cfg(feature = "redis")]
use crate::redis::{LiveBackend, Market, Redis, Streams};
#[cfg(feature = "webhooks")]
use crate::webhooks::{Alarms, Webhooks};

/// What a URL names.
#[derive(Clone, Debug)]
pub enum Target {
    #[cfg(feature = "kafka")]
    Kafka(Kafka),
    #[cfg(feature = "nats")]
    Nats(Box<Nats>),
    #[cfg(feature = "redis")]
    Redis(Box<Redis>),
    #[cfg(feature = "webhooks")]
    Webhooks(Box<Webhooks>),
}

impl Target {
    /// The error does not repeat the URL.
    pub fn parse(url: &str) -> Result<Self, String> {
        let address = Address::parse(url)?;
        match address.scheme() {
            #[cfg(feature = "redis")]
            scheme if Redis::SCHEMES.contains(&scheme) => {
                Ok(Self::Redis(Box::new(Redis::parse(address)?)))
            }
            #[cfg(feature = "nats")]
            scheme if Nats::SCHEMES.contains(&scheme) => {
                Ok(Self::Nats(Box::new(Nats::parse(address)?)))
            }
            #[cfg(feature = "kafka")]
            scheme if Kafka::SCHEMES.contains(&scheme) => Ok(Self::Kafka(Kafka::parse(address)?)),
            #[cfg(feature = "webhooks")]
            scheme if Webhooks::SCHEMES.contains(&scheme) => {
                Ok(Self::Webhooks(Box::new(Webhooks::parse(address)?)))
            }
            scheme => Err(format!(
                "this build publishes to {}, and not to `{scheme}`",
                Self::schemes().join(", ")
            )),
        }
    }

    /// The names of its publishers, each of which has a position and metrics of its own.
    pub fn names(&self) -> Vec<String> {
        match self {
            #[cfg(feature = "kafka")]
            Self::Kafka(kafka) => vec![kafka.to_string()],
            #[cfg(feature = "nats")]
            Self::Nats(nats) => vec![nats.to_string()],
            #[cfg(feature = "redis")]
            Self::Redis(redis) => redis.names(),
            #[cfg(feature = "webhooks")]
            Self::Webhooks(webhooks) => vec![webhooks.to_string()],
        }
    }

    fn schemes() -> Vec<&'static str> {
        let of_brokers: &[&[&str]] = &[
            #[cfg(feature = "redis")]
            &Redis::SCHEMES,
            #[cfg(feature = "kafka")]
            &Kafka::SCHEMES,
            #[cfg(feature = "nats")]
            &Nats::SCHEMES,
            #[cfg(feature = "webhooks")]
            &Webhooks::SCHEMES,
        ];
        of_brokers.concat()
    }
}

/// A venue as its publishers see it at its start.
pub struct Source<'a, O> {
    pub data_dir: PathBuf,
    pub spool: SpoolReader,
    pub older: O,
    /// The last command, and its time.
    pub head: (u64, u64),
    /// As of that command.
    pub directory: Directory,
    pub views: &'a Views,
    pub balances: Arc<dyn Balances>,
}

/// A publisher that runs. It ends with [`Running::stop`], or when it is dropped.
#[derive(Debug)]
pub struct Running {
    name: String,
    feed: Feed,
    figures: Arc<Figures>,
    #[cfg(feature = "webhooks")]
    alarms: Option<Alarms>,
}

impl<O: OlderEvents + Clone> Source<'_, O> {
    pub fn start(&self, target: Target) -> Vec<Running> {
        match target {
            #[cfg(feature = "redis")]
            Target::Redis(redis) => self.start_redis(*redis),
            #[cfg(feature = "kafka")]
            Target::Kafka(kafka) => vec![self.publish(kafka)],
            #[cfg(feature = "nats")]
            Target::Nats(nats) => vec![self.publish(*nats)],
            #[cfg(feature = "webhooks")]
            Target::Webhooks(webhooks) => {
                let alarms = webhooks.alarms();
                vec![Running { alarms, ..self.publish(*webhooks) }]
            }
        }
    }

    #[cfg(feature = "redis")]
    fn start_redis(&self, redis: Redis) -> Vec<Running> {
        let mut running = Vec::new();
        if redis.has_streams {
            running.push(self.publish(Streams(redis.clone())));
        }
        if redis.has_channels || redis.has_cache {
            let market = Market::new(self.head, self.directory.clone(), self.views.market());
            let figures = Arc::<Figures>::default();
            let balances = Arc::clone(&self.balances);
            let data_dir = self.data_dir.clone();
            let own = Arc::clone(&figures);
            let backend = LiveBackend::new(redis, data_dir, market, balances, own);
            running.push(self.run(backend, figures));
        }
        running
    }

    /// Begins to publish all events to a broker.
    pub fn publish<B: Broker>(&self, broker: B) -> Running {
        let figures = Arc::<Figures>::default();
        let directory = self.directory.clone();
        let data_dir = self.data_dir.clone();
        let publisher =
            Publisher::new(broker, data_dir, directory, self.head, Arc::clone(&figures));
        self.run(publisher, figures)
    }

    /// Begins to feed a backend.
    pub fn run(&self, backend: impl Backend, figures: Arc<Figures>) -> Running {
        let name = backend.to_string();
        let measured = Measured(Arc::clone(&figures));
        let (spool, older) = (self.spool.clone(), self.older.clone());
        let (feed, _) = Feed::start(backend, spool, older, measured, HistoryRetention::ALL);
        Running {
            name,
            feed,
            figures,
            #[cfg(feature = "webhooks")]
            alarms: None,
        }
    }
}

impl<O> fmt::Debug for Source<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("head", &self.head).finish_non_exhaustive()
    }
}

impl Running {
    /// The place, without its password.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn figures(&self) -> Arc<Figures> {
        Arc::clone(&self.figures)
    }

    /// Where the venue puts its alarms, if the place wants them.
    #[cfg(feature = "webhooks")]
    pub fn alarms(&self) -> Option<&Alarms> {
        self.alarms.as_ref()
    }

    /// For the publisher of events, to say that there is something to read.
    pub fn wake(&self) -> Wake {
        self.feed.wake()
    }

    /// Publishes what is in the spool by now, if that is no more than a few seconds' work, and
    /// ends.
    pub fn stop(self) {
        self.feed.stop();
    }
}
