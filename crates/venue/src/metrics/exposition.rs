//! Writing metrics of any part of the venue, in a line each.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, EncodeLabelSet, MetricEncoder,
    NoLabelSet,
};
use prometheus_client::metrics::MetricType;

use crate::metrics::buckets::Buckets;

/// A part of the venue with metrics of its own. The venue's prefix is added to their names.
pub trait MetricSource: fmt::Debug + Send + Sync {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result;
}

/// Where a [`MetricSource`] writes to.
pub struct Exposition<'a>(DescriptorEncoder<'a>);

impl fmt::Debug for Exposition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exposition")
    }
}

impl Exposition<'_> {
    pub fn gauge(&mut self, name: &str, help: &str, value: impl EncodeGaugeValue) -> fmt::Result {
        self.metric(name, help, MetricType::Gauge)?.encode_gauge(&value)
    }

    /// One gauge for each set of labels.
    pub fn gauges<L: EncodeLabelSet, V: EncodeGaugeValue>(
        &mut self,
        name: &str,
        help: &str,
        values: impl IntoIterator<Item = (L, V)>,
    ) -> fmt::Result {
        let mut family = self.metric(name, help, MetricType::Gauge)?;
        values
            .into_iter()
            .try_for_each(|(labels, value)| family.encode_family(&labels)?.encode_gauge(&value))
    }

    /// `_total` is added to the name.
    pub fn counter(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let mut metric = self.metric(name, help, MetricType::Counter)?;
        metric.encode_counter::<NoLabelSet, u64, u64>(&value, None)
    }

    /// One counter for each set of labels. `_total` is added to the name.
    pub fn counters<L: EncodeLabelSet, V: EncodeCounterValue>(
        &mut self,
        name: &str,
        help: &str,
        values: impl IntoIterator<Item = (L, V)>,
    ) -> fmt::Result {
        let mut family = self.metric(name, help, MetricType::Counter)?;
        values.into_iter().try_for_each(|(labels, value)| {
            let mut metric = family.encode_family(&labels)?;
            metric.encode_counter::<NoLabelSet, V, u64>(&value, None)
        })
    }

    pub fn histogram<const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        buckets: &Buckets<N>,
    ) -> fmt::Result {
        let mut metric = self.metric(name, help, MetricType::Histogram)?;
        let (sum, count, counts) = buckets.read();
        metric.encode_histogram::<NoLabelSet>(sum, count, &counts, None)
    }

    /// One histogram for each set of labels.
    pub fn histograms<'b, L: EncodeLabelSet, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        values: impl IntoIterator<Item = (L, &'b Buckets<N>)>,
    ) -> fmt::Result {
        let mut family = self.metric(name, help, MetricType::Histogram)?;
        values.into_iter().try_for_each(|(labels, buckets)| {
            let (sum, count, counts) = buckets.read();
            let mut metric = family.encode_family(&labels)?;
            metric.encode_histogram::<NoLabelSet>(sum, count, &counts, None)
        })
    }

    /// Text as labels. `_info` is added to the name.
    pub fn info(&mut self, name: &str, help: &str, labels: &impl EncodeLabelSet) -> fmt::Result {
        self.metric(name, help, MetricType::Info)?.encode_info(labels)
    }

    fn metric<'s>(
        &'s mut self,
        name: &'s str,
        help: &'s str,
        kind: MetricType,
    ) -> Result<MetricEncoder<'s>, fmt::Error> {
        self.0.encode_descriptor(name, help, None, kind)
    }
}

/// The sources of a venue. Parts that start after the venue add theirs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(Arc<Mutex<Vec<Arc<dyn MetricSource>>>>);

impl Sources {
    pub(crate) fn add(&self, source: Arc<dyn MetricSource>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(source);
    }
}

impl Collector for Sources {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut out = Exposition(encoder);
        let sources = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sources.iter().try_for_each(|source| source.write(&mut out))
    }
}
