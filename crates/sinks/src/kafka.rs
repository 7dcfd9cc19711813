//! Kafka: a topic of all events, keyed by instrument.
//!
//! The producer is idempotent: within a connection no message is doubled or overtakes another. It
//! does not know what an earlier producer sent, so a new connection reads the last record of each
//! partition first, and leaves out what is not above it.
//!
//! # Invariants
//! - The partition of an instrument does not change, and has its events in order.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use projection::Standstill;
use prost::Message as _;
use rdkafka::client::ClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Header, Headers, Message as _, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext};
use rdkafka::{Offset, TopicPartitionList};
use std::sync::{Arc, Mutex, PoisonError};

use crate::publish::address::Address;
use crate::publish::failure::Failed;
use crate::publish::message::{Event, EventId};
use crate::publish::publisher::{Broker, Connection, Resume};

const CONNECT_MAX: Duration = Duration::from_secs(5);
/// For a broker to store a page. After that the connection is given up.
const DELIVERY_MAX: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);
/// Headers of a record.
const ID: &str = "event-id";
const TIME: &str = "time-ns";

/// A cluster of Kafka, and the topic there.
#[derive(Clone)]
pub struct Kafka {
    address: Address,
    brokers: String,
    topic: String,
    settings: Vec<(String, String)>,
}

impl Kafka {
    pub const SCHEMES: [&'static str; 2] = ["kafka", "kafkas"];

    pub fn parse(mut address: Address) -> Result<Self, String> {
        let more = address.take("brokers").unwrap_or_default();
        let first = format!("{}:{}", address.host()?, address.port().unwrap_or(9092));
        let more = more.split([' ', ',']).filter(|broker| !broker.is_empty());
        let brokers: Vec<_> = std::iter::once(first.as_str()).chain(more).collect();
        let mut settings = Vec::new();
        let mut set = |name: &str, value: String| settings.push((name.to_owned(), value));
        if address.scheme() == "kafkas" {
            // The C library is built without TLS: its OpenSSL is not the venue's.
            return Err(
                "this build has no TLS for Kafka: use kafka:// on a network of your own".into()
            );
        }
        if address.user()?.is_some() || address.password().is_some() {
            return Err("this build has no log-in for Kafka: use kafka:// without a user".into());
        }
        if let Some(compression) = address.take("compression") {
            if !["none", "gzip"].contains(&compression.as_str()) {
                return Err(format!("compression is none or gzip, and not `{compression}`"));
            }
            set("compression.type", compression);
        }
        let prefix = address.take("prefix").unwrap_or_default();
        let kafka = Self {
            brokers: brokers.join(","),
            topic: format!("{prefix}events"),
            settings,
            address,
        };
        kafka.address.finish()?;
        Ok(kafka)
    }

    fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &self.brokers)
            .set("client.id", "buttonwood")
            .set("reconnect.backoff.max.ms", "1000");
        config
    }

    /// The last event of each partition, and the time of its command.
    fn lasts(&self) -> Result<Vec<Option<(EventId, u64)>>, Failed> {
        let mut config = self.config();
        config.set("group.id", "buttonwood-publisher").set("enable.auto.commit", "false");
        let consumer: BaseConsumer = config.create().map_err(|error| failed(&error))?;
        let metadata = consumer
            .fetch_metadata(Some(&self.topic), CONNECT_MAX)
            .map_err(|error| failed(&error))?;
        let topic = metadata.topics().first().ok_or_else(|| Failed::unreachable("has no topic"))?;
        if let Some(error) = topic.error() {
            return Err(failed(&KafkaError::MetadataFetch(error.into())));
        }
        let mut lasts = Vec::new();
        for partition in 0..i32::try_from(topic.partitions().len()).unwrap_or(i32::MAX) {
            lasts.push(self.last_of(&consumer, partition)?);
        }
        Ok(lasts)
    }

    fn last_of(
        &self,
        consumer: &BaseConsumer,
        partition: i32,
    ) -> Result<Option<(EventId, u64)>, Failed> {
        let (low, high) = consumer
            .fetch_watermarks(&self.topic, partition, CONNECT_MAX)
            .map_err(|error| failed(&error))?;
        if low == high {
            return Ok(None);
        }
        let mut place = TopicPartitionList::new();
        let added = place.add_partition_offset(&self.topic, partition, Offset::Offset(high - 1));
        added.and_then(|()| consumer.assign(&place)).map_err(|error| failed(&error))?;
        let begun = Instant::now();
        while begun.elapsed() < CONNECT_MAX {
            let Some(record) = consumer.poll(POLL) else { continue };
            let record = record.map_err(|error| failed(&error))?;
            if record.partition() != partition {
                continue;
            }
            let header = |name| {
                let headers = record.headers()?;
                let found = headers.iter().find(|header| header.key == name)?;
                std::str::from_utf8(found.value?).ok().map(str::to_owned)
            };
            let id = header(ID).and_then(|id| EventId::parse(&id));
            let time_ns = header(TIME).and_then(|time| time.parse().ok());
            return id.zip(time_ns).map(Some).ok_or_else(|| {
                let sentence =
                    "holds records that no venue wrote: name another place with a `prefix`";
                Failed::new(Standstill::OtherVenue, sentence)
            });
        }
        Err(Failed::unreachable("does not show its last record"))
    }
}

impl Broker for Kafka {
    type Connection = KafkaConnection;

    fn connect(&self) -> Result<KafkaConnection, Failed> {
        let lasts = self.lasts()?;
        let deliveries = Arc::<Mutex<Deliveries>>::default();
        let mut config = self.config();
        config
            .set("enable.idempotence", "true")
            // A batch that is given up lets none of those after it through.
            .set("enable.gapless.guarantee", "true")
            .set("message.timeout.ms", (6 * DELIVERY_MAX).as_millis().to_string())
            .set("linger.ms", "2")
            .set("queue.buffering.max.messages", "200000");
        for (name, value) in &self.settings {
            config.set(name, value);
        }
        let context = Reports(Arc::clone(&deliveries));
        let producer =
            config.create_with_context(context).map_err(|error: KafkaError| failed(&error))?;
        Ok(KafkaConnection {
            topic: self.topic.clone(),
            producer,
            lasts,
            deliveries,
            partitions: HashMap::new(),
        })
    }
}

impl fmt::Display for Kafka {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} topic {}", self.address, self.topic)
    }
}

impl fmt::Debug for Kafka {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kafka({self})")
    }
}

/// What has become of the messages of a page.
#[derive(Debug, Default)]
struct Deliveries {
    stored: usize,
    failed: Option<KafkaError>,
}

struct Reports(Arc<Mutex<Deliveries>>);

impl ClientContext for Reports {}

impl ProducerContext for Reports {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        let mut deliveries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match result {
            Ok(_) => deliveries.stored += 1,
            Err((error, _)) => deliveries.failed = Some(error.clone()),
        }
    }
}

pub struct KafkaConnection {
    topic: String,
    producer: BaseProducer<Reports>,
    /// By partition, what it had when this was opened.
    lasts: Vec<Option<(EventId, u64)>>,
    deliveries: Arc<Mutex<Deliveries>>,
    /// By symbol.
    partitions: HashMap<String, i32>,
}

impl Connection for KafkaConnection {
    /// A quiet partition ends long before the others: the venue's own file says what is stored in
    /// all of them.
    fn resume(&mut self) -> Result<Resume, Failed> {
        let highest = self.lasts.iter().flatten().max().copied();
        Ok(Resume { last: None, highest, is_empty: highest.is_none() })
    }

    fn publish(&mut self, messages: Vec<Event>) -> Result<usize, Failed> {
        *self.deliveries() = Deliveries::default();
        let mut sent = 0;
        for message in &messages {
            let partition = self.partition(&message.symbol);
            if self.has(partition, message)? {
                continue;
            }
            self.send(partition, message)?;
            sent += 1;
        }
        let begun = Instant::now();
        loop {
            self.producer.poll(POLL);
            let mut deliveries = self.deliveries();
            if let Some(error) = deliveries.failed.take() {
                return Err(failed(&error));
            }
            if deliveries.stored == sent {
                return Ok(sent);
            }
            if begun.elapsed() > DELIVERY_MAX {
                return Err(Failed::unreachable("has not stored a page in time"));
            }
        }
    }
}

impl KafkaConnection {
    fn deliveries(&self) -> std::sync::MutexGuard<'_, Deliveries> {
        self.deliveries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As Kafka's own clients choose it for a key: other programs that write by key agree.
    fn partition(&mut self, symbol: &str) -> i32 {
        if let Some(partition) = self.partitions.get(symbol) {
            return *partition;
        }
        let count = self.lasts.len().max(1);
        let hash = usize::try_from(murmur2(symbol.as_bytes()) & 0x7fff_ffff).unwrap_or_default();
        let partition = i32::try_from(hash % count).unwrap_or_default();
        self.partitions.insert(symbol.to_owned(), partition);
        partition
    }

    /// Whether a partition has this message from an earlier connection.
    fn has(&self, partition: i32, message: &Event) -> Result<bool, Failed> {
        let at = usize::try_from(partition).unwrap_or_default();
        let Some(Some((last, time_ns))) = self.lasts.get(at) else { return Ok(false) };
        let id = message.id();
        if id.sequence == last.sequence && *time_ns != message.time_ns {
            return Err(crate::publish::publisher::of_another());
        }
        Ok(id <= *last)
    }

    fn send(&self, partition: i32, message: &Event) -> Result<(), Failed> {
        let (id, time) = (message.id().to_string(), message.time_ns.to_string());
        let headers = OwnedHeaders::new()
            .insert(Header { key: ID, value: Some(&id) })
            .insert(Header { key: TIME, value: Some(&time) });
        let bytes = message.encode_to_vec();
        let time_ms = i64::try_from(message.time_ns / 1_000_000).unwrap_or_default();
        let mut record = BaseRecord::to(&self.topic)
            .key(message.symbol.as_bytes())
            .payload(&bytes)
            .partition(partition)
            .timestamp(time_ms)
            .headers(headers);
        loop {
            match self.producer.send(record) {
                Ok(()) => return Ok(()),
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), unsent)) => {
                    self.producer.poll(POLL);
                    record = unsent;
                }
                Err((error, _)) => return Err(failed(&error)),
            }
        }
    }
}

impl fmt::Debug for KafkaConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KafkaConnection").field("topic", &self.topic).finish_non_exhaustive()
    }
}

impl Drop for KafkaConnection {
    fn drop(&mut self) {
        // What is still in the queue is sent again by the next connection, which reads first.
        self.producer.purge(rdkafka::producer::PurgeConfig::default().queue().inflight());
    }
}

/// The hash by which Kafka's Java client places a key (MurmurHash2 of 32 bits with its seed).
fn murmur2(key: &[u8]) -> u32 {
    const SEED: u32 = 0x9747_b28c;
    const M: u32 = 0x5bd1_e995;
    let mut hash = SEED ^ u32::try_from(key.len()).unwrap_or(u32::MAX);
    let mut chunks = key.chunks_exact(4);
    for chunk in &mut chunks {
        let mut k = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        k = k.wrapping_mul(M);
        k ^= k >> 24;
        k = k.wrapping_mul(M);
        hash = hash.wrapping_mul(M) ^ k;
    }
    let rest = chunks.remainder();
    for (at, byte) in rest.iter().enumerate() {
        hash ^= u32::from(*byte) << (8 * at);
    }
    if !rest.is_empty() {
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    hash ^ (hash >> 15)
}

fn failed(error: &KafkaError) -> Failed {
    use RDKafkaErrorCode as Code;
    match error.rdkafka_error_code() {
        Some(Code::UnknownTopicOrPartition | Code::UnknownTopic | Code::UnknownPartition) => {
            Failed::new(Standstill::Missing, "has no such topic: make it, or let the broker do it")
        }
        Some(Code::TopicAuthorizationFailed | Code::ClusterAuthorizationFailed) => {
            Failed::refused(format!("does not allow what publishing needs: {error}"))
        }
        Some(
            Code::BrokerTransportFailure
            | Code::AllBrokersDown
            | Code::OperationTimedOut
            | Code::MessageTimedOut
            | Code::RequestTimedOut
            | Code::Resolve
            | Code::LeaderNotAvailable
            | Code::NotLeaderForPartition,
        ) => Failed::unreachable(format!("cannot be reached: {error}")),
        _ => Failed::new(Standstill::Failed, format!("fails: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of Kafka's own test of its hash.
    #[test]
    fn keys_are_placed_as_other_clients_place_them() {
        for (key, hash) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(key.as_bytes()).cast_signed(), hash, "{key}");
        }
    }
}
