import { describe, expect, it } from "vitest";
import type { Filter } from "../../api/types";
import type { Market, Phase } from "../../stores/types";
import { BTC, formOf, legOf, NOW } from "./fixtures";
import type { Form } from "./form";
import { readTicket, type Situation } from "./rules";

interface At {
  readonly market?: Market;
  readonly now?: Partial<Situation>;
}

/** `field: text [fix]`, with `?` in front of what may still be accepted. */
function problemsOf(fields: Partial<Form>, { market = BTC, now = {} }: At = {}): readonly string[] {
  return readTicket(formOf(fields), market, { ...NOW, ...now }).problems.map(
    ({ field, text, fix, isCertain }) => `${isCertain ? "" : "?"}${field}: ${text}${fix ? ` [${fix.value}]` : ""}`,
  );
}

const inPhase = (phase: Phase): At => ({ market: { ...BTC, phase } });
const LIMIT = { type: "LIMIT", price: "59000", qty: "0.1" };

describe("numbers", () => {
  it("reads an order without a fault", () => {
    const { own, problems } = readTicket(formOf({ ...LIMIT, qty: "0.5" }), BTC, NOW);
    expect(problems).toEqual([]);
    expect(own).toMatchObject({ side: "BUY", type: "LIMIT", timeInForce: "GTC", price: 5_900_000n, qty: 50_000n });
  });

  it.each<[string, Partial<Form>, string[]]>([
    ["nothing entered", { price: "", qty: "" }, ["qty: Enter the quantity", "price: Enter the price"]],
    ["no number", { price: "x", qty: "0.1" }, ["price: The price is not a number"]],
    ["too many decimals", { price: "59000.123", qty: "0.1" }, ["price: The price has at most 2 decimals [59000.10]"]],
    ["between two ticks", { price: "59000.03", qty: "0.1" }, ["price: The price goes in steps of 0.05 [59000.05]"]],
    ["below the smallest", { price: "-1", qty: "0.1" }, ["price: The smallest price is 0.05 [0.05]"]],
    ["above the largest", { price: "2m", qty: "0.0001" }, ["price: The largest price is 1000000 [1000000.00]"]],
    ["between two lots", { price: "59000", qty: "0.10003" }, ["qty: The quantity goes in steps of 0.0001 [0.10000]"]],
    ["no quantity", { price: "59000", qty: "0" }, ["qty: The smallest quantity is 0.0001 [0.00010]"]],
    [
      "more decimals than a lot",
      { price: "59000", qty: "0.1000001" },
      ["qty: The quantity has at most 4 decimals [0.10000]"],
    ],
  ])("%s", (_, fields, expected) => expect(problemsOf({ type: "LIMIT", ...fields })).toEqual(expected));

  it("takes suffixes for thousands and millions", () => {
    expect(readTicket(formOf({ type: "LIMIT", price: "59k", qty: "0.1" }), BTC, NOW).own.price).toBe(5_900_000n);
  });

  it("gives market orders their own bounds", () => {
    expect(problemsOf({ type: "MARKET", qty: "0.0005" })).toEqual(["qty: The smallest quantity is 0.001 [0.00100]"]);
    expect(problemsOf({ type: "MARKET", qty: "0.001" })).toEqual([]);
  });
});

describe("worth", () => {
  it("offers the smallest quantity that is worth enough", () => {
    expect(problemsOf({ type: "LIMIT", price: "100", qty: "0.01" })).toEqual([
      "qty: An order is worth at least 5 USDT [0.05000]",
    ]);
    expect(problemsOf({ type: "LIMIT", price: "30", qty: "0.1" })).toEqual([
      "qty: An order is worth at least 5 USDT [0.16670]",
    ]);
  });

  it("measures market orders at the best price, which may change", () => {
    const market = { ...BTC, minNotional: 100_00000000n };
    expect(problemsOf({ type: "MARKET", qty: "0.001" }, { market })).toEqual([
      "?qty: An order is worth at least 100 USDT [0.00170]",
    ]);
  });
});

describe("balance", () => {
  it("offers what is free", () => {
    expect(problemsOf({ ...LIMIT, price: "60000", qty: "1" }, { now: { bestAsk: null } })).toEqual([
      "?qty: 50000 USDT free [0.83330]",
    ]);
    expect(problemsOf({ ...LIMIT, side: "SELL", price: "61000", qty: "2.5" })).toEqual(["?qty: 2 BTC free [2.00000]"]);
    expect(problemsOf({ type: "MARKET", isByQuote: true, quoteQty: "60000" })).toEqual([
      "?quoteQty: 50000 USDT free [50000.00000000]",
    ]);
  });

  it("asks nothing of market-type stops, which hold nothing, nor within the balance", () => {
    expect(problemsOf({ type: "STOP_LOSS", side: "SELL", qty: "5", stopPrice: "59000" })).toEqual([]);
    expect(problemsOf({ type: "MARKET", side: "SELL", qty: "5", isWithinBalance: true })).toEqual([]);
  });

  it("says nothing while it is not known", () => {
    const now = { freeBase: null, freeQuote: null };
    expect(problemsOf({ ...LIMIT, qty: "100" }, { now })).toEqual([]);
  });
});

describe("types", () => {
  it("keeps a post-only order a tick away from the other side", () => {
    expect(problemsOf({ type: "LIMIT_MAKER", price: "60000.05", qty: "0.1" })).toEqual([
      "?price: It would trade at once, which this type must not [60000.00]",
    ]);
    expect(problemsOf({ type: "LIMIT_MAKER", side: "SELL", price: "59999.95", qty: "0.1" })).toEqual([
      "?price: It would trade at once, which this type must not [60000.00]",
    ]);
    expect(problemsOf({ type: "LIMIT_MAKER", price: "60000", qty: "0.1" })).toEqual([]);
  });

  it.each<[string, "BUY" | "SELL", string, string[]]>([
    ["STOP_LOSS", "SELL", "60000", ["59999.95"]],
    ["STOP_LOSS", "BUY", "60000", ["60000.05"]],
    ["TAKE_PROFIT", "SELL", "59000", ["60000.05"]],
    ["TAKE_PROFIT", "BUY", "61000", ["59999.95"]],
    ["STOP_LOSS", "SELL", "59999.95", []],
    ["STOP_LOSS", "BUY", "60000.05", []],
    ["TAKE_PROFIT", "SELL", "60000.05", []],
    ["TAKE_PROFIT", "BUY", "59999.95", []],
  ])("%s %s at %s triggers on its own side of the last price only", (type, side, stopPrice, fixes) => {
    const { problems } = readTicket(formOf({ type, side, stopPrice, qty: "0.1" }), BTC, NOW);
    expect(problems.map(({ fix }) => fix?.value)).toEqual(fixes);
  });

  it("wants a stop price, a trailing distance, or both", () => {
    expect(problemsOf({ type: "STOP_LOSS", qty: "0.1" })).toEqual([
      "stopPrice: Enter the stop price, a trailing distance, or both",
    ]);
    const both = readTicket(formOf({ type: "STOP_LOSS", qty: "0.1", stopPrice: "61000", trailing: "1.5" }), BTC, NOW);
    expect(both.own).toMatchObject({ stopPrice: 6_100_000n, trailing: 150n });
  });

  it("bounds the trailing distance by the direction that it waits for", () => {
    expect(problemsOf({ type: "STOP_LOSS", side: "BUY", qty: "0.1", trailing: "0.05" })).toEqual([
      "trailing: The smallest trailing distance is 0.1 [0.10]",
    ]);
    expect(problemsOf({ type: "STOP_LOSS", side: "SELL", qty: "0.1", trailing: "15" })).toEqual([
      "trailing: The largest trailing distance is 10 [10.00]",
    ]);
  });

  it("reads a pegged order with and without a bound of its price", () => {
    const peg = (fields: Partial<Form>) => readTicket(formOf({ type: "PEGGED", qty: "0.1", ...fields }), BTC, NOW);
    expect(peg({}).problems).toEqual([]);
    expect(peg({}).own).toMatchObject({ price: null, peg: { reference: "PRIMARY_PEG", offset: 0n } });
    expect(peg({ price: "59000", pegOffset: "-3", peg: "MID_PEG" }).own).toMatchObject({
      price: 5_900_000n,
      peg: { reference: "MID_PEG", offset: -3n },
    });
    expect(peg({ price: "59000", pegOffset: "5", peg: "MARKET_PEG" }).own).toMatchObject({
      type: "LIMIT",
      price: null,
      peg: { reference: "MARKET_PEG", offset: 0n },
    });
  });
});

describe("terms", () => {
  it("bounds what an iceberg displays", () => {
    const iceberg = (icebergQty: string) => problemsOf({ ...LIMIT, display: "iceberg", icebergQty });
    expect(iceberg("0.1")).toEqual(["icebergQty: Less than the whole quantity is displayed [0.09990]"]);
    expect(iceberg("0.0099")).toEqual(["icebergQty: An iceberg has at most 10 parts [0.01000]"]);
    expect(iceberg("0.01")).toEqual([]);
  });

  it("forgets the display of an order that does not rest", () => {
    const { own } = readTicket(formOf({ ...LIMIT, timeInForce: "IOC", display: "hidden" }), BTC, NOW);
    expect(own).toMatchObject({ timeInForce: "IOC", isHidden: false });
  });

  it("wants no more than the quantity at once", () => {
    expect(problemsOf({ ...LIMIT, minQty: "0.2" })).toEqual(["minQty: More than the whole quantity [0.10000]"]);
  });

  it("wants a date later than now", () => {
    const dated = (goodTill: string) => problemsOf({ ...LIMIT, timeInForce: "GTD", goodTill });
    expect(dated("")).toEqual(["goodTill: Enter the date and time (UTC) [2026-01-31T13:00]"]);
    expect(dated("2026-01-31T12:00")).toEqual(["goodTill: It must be later than now [2026-01-31T13:00]"]);
    expect(dated("2026-01-31T12:01")).toEqual([]);
  });

  it("takes the first time in force where the type has not the chosen one", () => {
    const { own } = readTicket(
      formOf({ type: "LIMIT_MAKER", price: "59000", qty: "0.1", timeInForce: "FOK" }),
      BTC,
      NOW,
    );
    expect(own.timeInForce).toBe("GTC");
  });
});

describe("phases", () => {
  it("refuses everything in a halt and after the close", () => {
    for (const phase of ["Halt", "Closed", "Delisted"] as const) {
      expect(problemsOf(LIMIT, inPhase(phase))).toEqual(["phase: BTCUSDT takes no new orders now"]);
    }
  });

  it("refuses what cannot wait for an auction", () => {
    const auction = inPhase("VolatilityAuction");
    expect(problemsOf(LIMIT, auction)).toEqual([]);
    expect(problemsOf({ type: "MARKET", qty: "0.1" }, auction)).toEqual([
      "type: A market order cannot wait for an auction [LIMIT]",
    ]);
    expect(problemsOf({ ...LIMIT, timeInForce: "FOK" }, auction)).toEqual([
      "timeInForce: FOK cannot wait for an auction [GTC]",
    ]);
    expect(problemsOf({ ...LIMIT, minQty: "0.1" }, auction)).toEqual([
      "minQty: No minimum while orders gather for an auction []",
    ]);
    // It enters when it is triggered, in continuous trading.
    const stop = { type: "STOP_LOSS_LIMIT", side: "SELL", price: "58000", stopPrice: "59000", qty: "0.1" } as const;
    expect(problemsOf({ ...stop, timeInForce: "FOK" }, auction)).toEqual([]);
  });

  it("lets a post-only order rest beyond the other side in an auction", () => {
    expect(problemsOf({ type: "LIMIT_MAKER", price: "60100", qty: "0.1" }, inPhase("OpeningAuction"))).toEqual([]);
  });

  it("takes orders for the opening before it only", () => {
    const opening = { ...LIMIT, timeInForce: "AT_OPEN" };
    expect(problemsOf(opening, inPhase("PreOpen"))).toEqual([]);
    expect(problemsOf(opening)).toEqual(["timeInForce: The opening auction is over [GTC]"]);
  });
});

describe("lists", () => {
  const OCO = { type: "OCO", side: "SELL", qty: "0.1", ownType: "LIMIT_MAKER", price: "61000" } as const;

  it("reads an OCO as two orders of one quantity", () => {
    const read = readTicket(formOf({ ...OCO, stop: legOf({ type: "STOP_LOSS", stopPrice: "59000" }) }), BTC, NOW);
    expect(read.problems).toEqual([]);
    expect(read.own).toMatchObject({ type: "LIMIT_MAKER", price: 6_100_000n, qty: 10_000n });
    expect(read.stop).toMatchObject({ type: "STOP_LOSS", side: "SELL", stopPrice: 5_900_000n, qty: 10_000n });
  });

  it("keeps the two orders of an OCO on their sides of the market", () => {
    const stop = legOf({ type: "STOP_LOSS", stopPrice: "59000" });
    expect(problemsOf({ ...OCO, price: "59500", stop })).toContain(
      "?price: It must be above the last price 60000 [60000.05]",
    );
    const above = legOf({ type: "STOP_LOSS", stopPrice: "61000" });
    expect(problemsOf({ ...OCO, stop: above })).toEqual([
      "stop.stopPrice: The stop must be below the take-profit price 61000 [60999.95]",
    ]);
    const buy = { ...OCO, side: "BUY", price: "59000", qty: "0.01" } as const;
    expect(problemsOf({ ...buy, stop: legOf({ type: "STOP_LOSS", stopPrice: "61000" }) })).toEqual([]);
  });

  it("gives a shared quantity the bounds of both orders", () => {
    const stop = legOf({ type: "STOP_LOSS", stopPrice: "59000" });
    expect(problemsOf({ ...OCO, qty: "0.0005", stop })).toEqual(["qty: The smallest quantity is 0.001 [0.00100]"]);
  });

  it("reads the second order of an OTO by its own side and quantity", () => {
    const pending = legOf({ type: "LIMIT", price: "61000" });
    const read = readTicket(formOf({ ...LIMIT, type: "OTO", pendingQty: "0.05", pending }), BTC, NOW);
    expect(read.problems).toEqual([]);
    expect(read.pending).toMatchObject({ side: "SELL", type: "LIMIT", price: 6_100_000n, qty: 5_000n });
    const same = readTicket(
      formOf({ ...LIMIT, type: "OTO", pendingQty: "0.05", pendingSide: "same", pending }),
      BTC,
      NOW,
    );
    expect(same.pending?.side).toBe("BUY");
  });

  it("checks later orders against no present price", () => {
    const stop = legOf({ type: "STOP_LOSS", stopPrice: "70000" });
    const profit = legOf({ type: "LIMIT_MAKER", price: "71000" });
    expect(problemsOf({ ...LIMIT, type: "OTOCO", pendingQty: "0.1", profit, stop })).toEqual([]);
  });

  it("lets an OPO buy first, and sell what it has bought", () => {
    const pending = legOf({ type: "LIMIT", price: "61000" });
    const read = readTicket(formOf({ ...LIMIT, type: "OPO", pending }), BTC, NOW);
    expect(read.problems).toEqual([]);
    expect(read.pending).toMatchObject({ side: "SELL", qty: null });
    expect(problemsOf({ ...LIMIT, price: "61000", type: "OPO", side: "SELL", pending })).toEqual([
      "side: An OPO buys first and sells what it has bought [BUY]",
    ]);
  });

  it("names the leg's own field", () => {
    expect(problemsOf({ ...LIMIT, type: "OPOCO" })).toEqual([
      "profit.price: Enter the price",
      "stop.stopPrice: Enter the stop price, a trailing distance, or both",
    ]);
  });
});

it("finds a price that is too far from the last", () => {
  const filter: Filter = {
    filterType: "PERCENT_PRICE_BY_SIDE",
    bidMultiplierUp: "1.05",
    bidMultiplierDown: "0.50",
    askMultiplierUp: "2",
    askMultiplierDown: "0.95",
    avgPriceMins: 0,
  };
  const market = { ...BTC, filters: [...BTC.filters, filter] };
  expect(problemsOf({ ...LIMIT, price: "63000.05" }, { market })).toEqual([
    "?price: As the last price stands, the highest is 63000 [63000.00]",
  ]);
  expect(problemsOf({ ...LIMIT, side: "SELL", price: "56999.95" }, { market })).toEqual([
    "?price: As the last price stands, the lowest is 57000 [57000.00]",
  ]);
});
