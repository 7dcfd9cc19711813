// One object and one line for each run, with the names that `buttonwood bench` uses.
const NAMES = {
  min_ms: "min", mean_ms: "avg", p50_ms: "med", p75_ms: "p(75)", p90_ms: "p(90)", p95_ms: "p(95)",
  p99_ms: "p(99)", p99_9_ms: "p(99.9)", max_ms: "max",
};

function figures(data, scenario, metric) {
  const { values } = data.metrics[metric];
  const requests = data.metrics.http_reqs.values;
  const found = {
    scenario,
    loop: "closed",
    clients: data.metrics.vus_max.values.max,
    requests_per_s: requests.rate,
    success_rate: data.metrics.checks.values.rate,
    holds: Object.values(data.metrics).every((m) => Object.values(m.thresholds || {}).every((t) => t.ok)),
  };
  for (const [name, stat] of Object.entries(NAMES)) found[name] = values[stat];
  return found;
}

export function summary(data, scenario, metric) {
  const found = figures(data, scenario, metric);
  const csv = `${Object.keys(found).join(",")}\n${Object.values(found).join(",")}\n`;
  const stem = `${__ENV.OUT || "."}/${scenario}`;
  return { [`${stem}.json`]: JSON.stringify(found, null, 2), [`${stem}.csv`]: csv };
}

export function text(data, metric) {
  const { values } = data.metrics[metric];
  const rate = data.metrics.http_reqs.values.rate.toFixed(0);
  const ms = (stat) => `${values[stat].toFixed(2)} ms`;
  return `${rate} requests/s; p50 ${ms("med")}, p99 ${ms("p(99)")}, max ${ms("max")}\n`;
}
