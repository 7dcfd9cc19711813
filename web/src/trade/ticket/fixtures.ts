// A market and a form for the tests of the rules.
import type { Market } from "../../stores/types";
import type { Form } from "./form";
import type { Situation } from "./rules";

export const BTC: Market = {
  symbol: "BTCUSDT",
  base: "BTC",
  quote: "USDT",
  status: "TRADING",
  phase: "Continuous",
  phaseEndsMs: null,
  price: { decimals: 2, step: 5n, min: 5n, max: 100_000_000n },
  qty: { decimals: 5, step: 10n, min: 10n, max: 900_000_000n },
  baseDecimals: 8,
  quoteDecimals: 8,
  minNotional: 500_000_000n,
  maxNotional: 9_000_000_00000000n,
  orderTypes: [
    "LIMIT",
    "LIMIT_MAKER",
    "MARKET",
    "STOP_LOSS",
    "STOP_LOSS_LIMIT",
    "TAKE_PROFIT",
    "TAKE_PROFIT_LIMIT",
    "MARKET_TO_LIMIT",
  ],
  timesInForce: ["GTC", "IOC", "FOK", "DAY", "GTD", "AT_OPEN", "AT_CLOSE"],
  filters: [
    { filterType: "MARKET_LOT_SIZE", minQty: "0.00100000", maxQty: "100.00000000", stepSize: "0.00010000" },
    { filterType: "ICEBERG_PARTS", limit: 10 },
    {
      filterType: "TRAILING_DELTA",
      minTrailingAboveDelta: 10,
      maxTrailingAboveDelta: 2000,
      minTrailingBelowDelta: 20,
      maxTrailingBelowDelta: 1000,
    },
  ],
};

/** Last 60 000, 59 999.95 bid, 60 000.05 asked; 2 BTC and 50 000 USDT free. */
export const NOW: Situation = {
  last: 6_000_000n,
  bestBid: 5_999_995n,
  bestAsk: 6_000_005n,
  freeBase: 200_000_000n,
  freeQuote: 5_000_000_000_000n,
  nowMs: Date.UTC(2026, 0, 31, 12),
};

const ORDER = {
  type: "LIMIT",
  price: "",
  stopPrice: "",
  trailing: "",
  timeInForce: "GTC",
  goodTill: "",
  display: "shown",
  icebergQty: "",
  minQty: "",
} as const;

export function formOf(fields: Partial<Form>): Form {
  return {
    ...ORDER,
    side: "BUY",
    qty: "",
    isByQuote: false,
    quoteQty: "",
    isWithinBalance: false,
    ownType: "LIMIT",
    peg: "PRIMARY_PEG",
    pegOffset: "",
    selfTrade: "NONE",
    pendingSide: "opposite",
    pendingQty: "",
    pending: ORDER,
    profit: { ...ORDER, type: "LIMIT_MAKER" },
    stop: { ...ORDER, type: "STOP_LOSS" },
    ...fields,
  };
}

export const legOf = (fields: Partial<Form["pending"]>): Form["pending"] => ({ ...ORDER, ...fields });
