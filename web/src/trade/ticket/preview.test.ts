import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Level, Phase, Side } from "../../stores/types";
import { BTC, formOf, NOW } from "./fixtures";
import type { Form } from "./form";
import { type Books, type Means, preview, qtyOfPercent, walk } from "./preview";
import { readTicket } from "./rules";

/** Levels as `price quantity`, best first. */
const levels = (...rows: [number, number][]): Level[] =>
  rows.map(([price, qty]) => ({ price: BigInt(Math.round(price * 100)), qty: BigInt(Math.round(qty * 100_000)) }));

const BOOK: Books = {
  bids: levels([59_999.95, 0.5], [59_990, 1], [59_900, 2]),
  asks: levels([60_000.05, 0.5], [60_010, 1], [60_100, 2]),
};
const MEANS: Means = {
  rates: { maker: "0.00050000", taker: "0.00100000" },
  isFeeInQuote: false,
  freeBase: NOW.freeBase,
  freeQuote: NOW.freeQuote,
};

function seen(fields: Partial<Form>, { books = BOOK, means = MEANS, phase = "Continuous" as Phase } = {}) {
  const market = { ...BTC, phase };
  const found = preview(readTicket(formOf(fields), market, NOW).own, books, market, means);
  if (found === null) throw new Error("no preview");
  return found;
}

describe("what it takes", () => {
  it("walks the book up to the limit, and rests with what is left", () => {
    const found = seen({ type: "LIMIT", price: "60010", qty: "2" });
    expect(found.fate).toBe("enters");
    expect(found.walk).toMatchObject({ qty: 150_000n, levels: 2, worstPrice: 6_001_000n, priceAfter: 6_010_000n });
    expect(found.walk.amount).toBe(90_010_02500000n);
    expect([found.restQty, found.restPrice, found.expiresQty]).toEqual([50_000n, 6_001_000n, 0n]);
  });

  it("leaves what remains of a level as the price after it", () => {
    expect(seen({ type: "MARKET", side: "SELL", qty: "0.2" }).walk).toMatchObject({
      levels: 1,
      priceAfter: 5_999_995n,
    });
  });

  it("expires what neither trades nor may rest", () => {
    expect(seen({ type: "LIMIT", price: "60010", qty: "2", timeInForce: "IOC" })).toMatchObject({
      restQty: 0n,
      expiresQty: 50_000n,
    });
    expect(seen({ type: "MARKET", qty: "5" })).toMatchObject({ expiresQty: 150_000n });
  });

  it("trades nothing where the book has too little", () => {
    const fok = { type: "LIMIT", price: "60010", qty: "2", timeInForce: "FOK" };
    expect(seen(fok)).toMatchObject({ fate: "unfillable", amount: 0n, baseAfter: NOW.freeBase });
    expect(seen({ ...fok, qty: "1.5" }).fate).toBe("enters");
    expect(seen({ type: "LIMIT", price: "60010", qty: "2", minQty: "1.6" }).fate).toBe("unfillable");
    expect(seen({ type: "LIMIT", price: "60010", qty: "2", minQty: "1.5" }).fate).toBe("enters");
  });

  it("refuses a post-only order that would trade", () => {
    expect(seen({ type: "LIMIT_MAKER", price: "60000.05", qty: "0.1" }).fate).toBe("refused");
    expect(seen({ type: "LIMIT_MAKER", price: "60000", qty: "0.1" })).toMatchObject({
      fate: "enters",
      restQty: 10_000n,
    });
  });

  it("turns a market-to-limit order into a limit at the best price", () => {
    expect(seen({ type: "MARKET_TO_LIMIT", qty: "0.8" })).toMatchObject({
      walk: { qty: 50_000n },
      restQty: 30_000n,
      restPrice: 6_000_005n,
    });
  });

  it("buys whole lots for an amount", () => {
    const found = seen({ type: "MARKET", isByQuote: true, quoteQty: "100" });
    // 100 / 60 000.05 is 0.001666…, in lots of 0.0001.
    expect(found.walk.qty).toBe(160n);
    expect(found.walk.amount).toBe(96_00008000n);
  });

  it("follows its reference where it is pegged", () => {
    const peg = (fields: Partial<Form>) => seen({ type: "PEGGED", qty: "0.1", ...fields }).restPrice;
    expect(peg({})).toBe(5_999_995n);
    expect(peg({ pegOffset: "-2" })).toBe(5_999_985n);
    expect(peg({ peg: "MID_PEG" })).toBe(6_000_000n);
    expect(peg({ price: "59000" })).toBe(5_900_000n);
    expect(peg({ side: "SELL" })).toBe(6_000_005n);
  });
});

describe("when it does not trade now", () => {
  it("waits for its trigger, and holds only with a limit", () => {
    const stop = { side: "SELL", stopPrice: "59000", qty: "0.1" } as const;
    expect(seen({ type: "STOP_LOSS", ...stop })).toMatchObject({ fate: "waits", restQty: 0n, baseAfter: 200_000_000n });
    expect(seen({ type: "STOP_LOSS_LIMIT", price: "58900", ...stop })).toMatchObject({
      fate: "waits",
      amount: 5_890_00000000n,
      baseAfter: 190_000_000n,
    });
  });

  it("gathers for an auction", () => {
    const found = seen({ type: "LIMIT", price: "61000", qty: "0.5" }, { phase: "VolatilityAuction" });
    expect(found).toMatchObject({ fate: "gathers", walk: { qty: 0n }, restQty: 50_000n });
  });

  it("is not known without a size or a price", () => {
    const { own } = readTicket(formOf({ type: "LIMIT", price: "60000" }), BTC, NOW);
    expect(preview(own, BOOK, BTC, MEANS)).toBeNull();
    const { own: market } = readTicket(formOf({ type: "MARKET_TO_LIMIT", qty: "0.1" }), BTC, NOW);
    expect(preview(market, { bids: [], asks: [] }, BTC, MEANS)).toBeNull();
  });
});

describe("money", () => {
  it("charges a taker of the asset that it receives", () => {
    const buy = seen({ type: "MARKET", qty: "0.5" });
    expect(buy.fee).toEqual({ asset: "BTC", decimals: 8, taker: 50_000n, maker: 0n });
    expect(buy.baseAfter).toBe(249_950_000n);
    expect(buy.quoteAfter).toBe(5_000_000_000_000n - 30_000_02500000n);
    const sell = seen({ type: "MARKET", side: "SELL", qty: "0.5" });
    expect(sell.fee).toEqual({ asset: "USDT", decimals: 8, taker: 29_99997500n, maker: 0n });
    expect(sell.quoteAfter).toBe(5_000_000_000_000n + 29_999_97500000n - 29_99997500n);
  });

  it("charges what rests at the maker's rate", () => {
    expect(seen({ type: "LIMIT", price: "60000", qty: "0.5" }).fee).toMatchObject({ taker: 0n, maker: 25_000n });
    expect(seen({ type: "LIMIT", price: "60000.05", qty: "1" }).fee).toMatchObject({ taker: 50_000n, maker: 25_000n });
  });

  it("takes a buyer's fee in the quote asset on top", () => {
    const found = seen({ type: "MARKET", qty: "0.5" }, { means: { ...MEANS, isFeeInQuote: true } });
    expect(found.fee).toMatchObject({ asset: "USDT", taker: 30_00002500n });
    expect(found.baseAfter).toBe(250_000_000n);
  });

  it("gives the average of all that trades", () => {
    expect(seen({ type: "MARKET", qty: "1" }).averagePrice).toBe(6_000_503n);
  });

  it("knows no balances while nobody is signed in", () => {
    const means = { rates: null, isFeeInQuote: false, freeBase: null, freeQuote: null };
    expect(seen({ type: "MARKET", qty: "1" }, { means })).toMatchObject({
      fee: null,
      baseAfter: null,
      quoteAfter: null,
    });
  });
});

describe("a part of the balance", () => {
  const part = (percent: number, fields: Partial<Form>) =>
    qtyOfPercent(percent, readTicket(formOf(fields), BTC, NOW).own, BOOK, BTC, MEANS);

  it("is what the price pays for, in whole lots", () => {
    expect(part(100, { type: "LIMIT", price: "60000" })).toBe(83_330n);
    expect(part(50, { type: "LIMIT", price: "60000" })).toBe(41_660n);
    expect(part(25, { type: "LIMIT", side: "SELL", price: "60000" })).toBe(50_000n);
  });

  it("walks the book for a market order", () => {
    // 30 000.025 for the first half, the rest at 60 010.
    expect(part(100, { type: "MARKET" })).toBe(83_320n);
  });
});

const book = fc
  .array(fc.record({ gap: fc.bigInt(1n, 50n), lots: fc.bigInt(1n, 20_000n) }), { maxLength: 30 })
  .map((rows) => (side: Side): Level[] => {
    let price = 6_000_000n;
    return rows.map(({ gap, lots }) => {
      price += side === "BUY" ? gap * 5n : -gap * 5n;
      return { price, qty: lots * 10n };
    });
  });
const anySide = fc.constantFrom<Side>("BUY", "SELL");
const anyLimit = fc.option(fc.bigInt(1_199_000n, 1_201_000n).map((ticks) => ticks * 5n));

/** Lot by lot, as slowly and plainly as can be. */
function plainWalk(
  side: Side,
  of: readonly Level[],
  limit: bigint | null,
  allows: (amount: bigint, qty: bigint) => boolean,
) {
  const LOT = 10n;
  let [qty, amount] = [0n, 0n];
  for (const level of of) {
    if (limit !== null && (side === "BUY" ? level.price > limit : level.price < limit)) break;
    for (let left = level.qty; left > 0n; left -= LOT) {
      // Price of two and quantity of five decimals: their product has seven, an amount eight.
      const next = amount + level.price * LOT * 10n;
      if (!allows(next, qty + LOT)) return { qty, amount };
      [qty, amount] = [qty + LOT, next];
    }
  }
  return { qty, amount };
}

it("takes what a walk of the book lot by lot takes, by quantity", () => {
  fc.assert(
    fc.property(book, anySide, anyLimit, fc.bigInt(1n, 5_000n), (rows, side, limit, lots) => {
      const of = rows(side).map(({ price, qty }) => ({ price, qty: qty % 2_000n === 0n ? 10n : qty % 2_000n }));
      const size = lots * 10n;
      const expected = plainWalk(side, of, limit, (_, qty) => qty <= size);
      expect(walk(of, side, limit, { qty: size }, BTC)).toMatchObject(expected);
    }),
    { numRuns: 200 },
  );
});

it("takes what a walk of the book lot by lot takes, by amount", () => {
  fc.assert(
    fc.property(book, anySide, fc.bigInt(1n, 10n ** 13n), (rows, side, most) => {
      const of = rows(side).map(({ price, qty }) => ({ price, qty: qty % 2_000n === 0n ? 10n : qty % 2_000n }));
      const expected = plainWalk(side, of, null, (amount) => amount <= most);
      expect(walk(of, side, null, { amount: most }, BTC)).toMatchObject(expected);
    }),
    { numRuns: 200 },
  );
});

it("neither makes nor loses quantity, and moves the book no further than it trades", () => {
  fc.assert(
    fc.property(
      book,
      anySide,
      anyLimit,
      fc.bigInt(1n, 100_000n),
      fc.constantFrom("GTC", "IOC", "FOK"),
      (rows, side, limit, lots, time) => {
        const of = rows(side);
        const books = side === "BUY" ? { bids: [], asks: of } : { bids: of, asks: [] };
        const { own } = readTicket(formOf({ type: "LIMIT", price: "1", qty: "1", side, timeInForce: time }), BTC, NOW);
        const order = { ...own, price: limit ?? 6_000_000n, qty: lots * 10n };
        const found = preview(order, books, BTC, MEANS);
        if (found === null) throw new Error("no preview");
        expect(found.walk.qty + found.restQty + found.expiresQty).toBe(order.qty);
        if (time === "FOK") expect([0n, order.qty]).toContain(found.walk.qty);
        const after = of.reduce((sum, { qty }) => sum + qty, 0n) - found.walk.qty;
        expect(after).toBeGreaterThanOrEqual(0n);
        if (found.walk.worstPrice !== null) {
          expect(side === "BUY" ? found.walk.worstPrice <= order.price : found.walk.worstPrice >= order.price).toBe(
            true,
          );
        }
      },
    ),
  );
});
