// What a chart or a bot asks for again and again: depth, trades, tickers, candles.
import http from "k6/http";
import { check } from "k6";
import { Counter, Trend } from "k6/metrics";
import { summary, text } from "./summary.js";

const url = __ENV.BUTTONWOOD_URL;
const latency = new Trend("request_ms", true);
const refused = new Counter("requests_refused");

export const options = {
  vus: Number(__ENV.CLIENTS || 4),
  duration: `${__ENV.DURATION || 20}s`,
  summaryTrendStats: ["min", "avg", "med", "p(75)", "p(90)", "p(95)", "p(99)", "p(99.9)", "max"],
  thresholds: {
    requests_refused: ["count==0"],
    request_ms: [`p(99)<${__ENV.P99_MS || 50}`],
  },
};

const PATHS = [
  "depth?symbol=BTCUSDT&limit=100",
  "trades?symbol=BTCUSDT&limit=100",
  "ticker/bookTicker?symbol=BTCUSDT",
  "ticker/24hr?symbol=BTCUSDT",
  "klines?symbol=BTCUSDT&interval=1m&limit=100",
];

export default function () {
  const path = PATHS[Math.floor(Math.random() * PATHS.length)];
  const response = http.get(`${url}/api/v3/${path}`, { tags: { name: path.split("?")[0] } });
  latency.add(response.timings.duration);
  if (!check(response, { "it is answered": (r) => r.status === 200 })) refused.add(1);
}

export function handleSummary(data) {
  return { stdout: text(data, "request_ms"), ...summary(data, "k6-market-data", "request_ms") };
}
