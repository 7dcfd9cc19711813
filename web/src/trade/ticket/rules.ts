// The rules of orders, from the market's scales and filters: what stands in the form becomes exact orders, or problems
// beside their fields. The venue has the last word; what it would refuse in any case is found here before sending.
import { format, formatShort, parse } from "../../numbers/decimal";
import type { Market, Phase, Side } from "../../stores/types";
import type { Form, OrderForm } from "./form";
import {
  amountOf,
  ceilTo,
  type Fix,
  filterOf,
  fixOf,
  floorTo,
  least,
  marketQtyScale,
  most,
  nearest,
  type Problem,
  type ReadNumber,
  readNumber,
} from "./numbers";
import {
  chosenOf,
  isKind,
  isList,
  isMarketType,
  type Kind,
  mayRest,
  type OrderType,
  opposite,
  ownTimes,
  ownTypes,
  PEGS,
  PENDING_TYPES,
  type Peg,
  PROFIT_TYPES,
  paysLater,
  SELF_TRADE_MODES,
  STOP_TYPES,
  TAKES,
  type TimeInForce,
  timesInList,
  waitsForRise,
} from "./types";

/** What the rules compare with: `null` is not known. */
export interface Situation {
  readonly last: bigint | null;
  readonly bestBid: bigint | null;
  readonly bestAsk: bigint | null;
  /** Free balances, in units of the two assets. */
  readonly freeBase: bigint | null;
  readonly freeQuote: bigint | null;
  readonly nowMs: number;
}

/** One order as exact numbers; `null` where it has none, or none that can be read yet. */
export interface ReadOrder {
  readonly side: Side;
  readonly type: OrderType;
  /** `null` where the type has no choice. */
  readonly timeInForce: TimeInForce | null;
  readonly price: bigint | null;
  readonly stopPrice: bigint | null;
  /** Hundredths of a percent. */
  readonly trailing: bigint | null;
  readonly goodTillMs: number | null;
  readonly qty: bigint | null;
  readonly quoteQty: bigint | null;
  readonly icebergQty: bigint | null;
  readonly isHidden: boolean;
  readonly minQty: bigint | null;
  readonly isWithinBalance: boolean;
  readonly peg: { readonly reference: Peg; readonly offset: bigint } | null;
}

export interface ReadTicket {
  readonly kind: Kind;
  readonly selfTrade: string;
  /** The order itself; of an OCO its limit or take-profit order. */
  readonly own: ReadOrder;
  readonly pending: ReadOrder | null;
  readonly profit: ReadOrder | null;
  readonly stop: ReadOrder | null;
  readonly problems: readonly Problem[];
}

/** Phases in which orders rest until an auction. */
export function isGathering(phase: Phase): boolean {
  return phase === "PreOpen" || phase.endsWith("Auction");
}

export function takesOrders(phase: Phase): boolean {
  return phase === "Continuous" || isGathering(phase);
}

export function readTicket(form: Form, market: Market, situation: Situation): ReadTicket {
  const kind = isKind(form.type) ? form.type : "LIMIT";
  const reader = new Reader(market, situation);
  const { side } = form;
  if (paysLater(kind) && side === "SELL") {
    reader.report("side", `An ${kind} buys first and sells what it has bought`, { label: "Buy", value: "BUY" });
  }
  const ownType = chosenOf(ownTypes(kind, form.peg), isList(kind) || kind === "PEGGED" ? form.ownType : kind);
  const stopType = chosenOf(STOP_TYPES, form.stop.type);
  const sizeScale = reader.sizeScale(kind === "OCO" ? [ownType, stopType] : [ownType]);
  const isByQuote = kind === "MARKET" && form.isByQuote;
  const qty = isByQuote ? null : reader.number("qty", form.qty, sizeScale, "quantity");
  const quoteQty = isByQuote ? reader.number("quoteQty", form.quoteQty, quoteScale(market), "amount") : null;
  const own: ReadOrder = {
    ...reader.order(form, {
      path: "",
      side,
      type: ownType,
      times: ownTimes(kind, ownType, form.peg),
      qty,
      peg: kind === "PEGGED" ? chosenOf(PEGS, form.peg) : null,
    }),
    quoteQty,
    isWithinBalance: kind === "MARKET" && form.isWithinBalance,
    peg: kind === "PEGGED" ? reader.peg(form) : null,
  };
  const leg = (
    path: "pending" | "profit" | "stop",
    types: readonly OrderType[],
    legSide: Side,
    legQty: bigint | null,
  ) => {
    const type = chosenOf(types, form[path].type);
    const spec = { path: `${path}.`, side: legSide, type, times: timesInList(type), qty: legQty, peg: null };
    return reader.order(form[path], spec);
  };
  const laterSide = paysLater(kind) || form.pendingSide === "opposite" ? opposite(side) : side;
  const laterQty = (types: readonly OrderType[]) =>
    paysLater(kind) ? null : reader.number("pendingQty", form.pendingQty, reader.sizeScale(types), "quantity");

  let pending: ReadOrder | null = null;
  let profit: ReadOrder | null = null;
  let stop: ReadOrder | null = null;
  if (kind === "OTO" || kind === "OPO") {
    const type = chosenOf(PENDING_TYPES, form.pending.type);
    pending = leg("pending", PENDING_TYPES, laterSide, laterQty([type]));
    reader.checkNotional(pending, "pending.price", "pendingQty", pending.price, true);
  }
  if (kind === "OTOCO" || kind === "OPOCO") {
    const sizeOfBoth = laterQty([chosenOf(PROFIT_TYPES, form.profit.type), stopType]);
    profit = leg("profit", PROFIT_TYPES, laterSide, sizeOfBoth);
    stop = leg("stop", STOP_TYPES, laterSide, sizeOfBoth);
    reader.checkPair(profit, stop, "stop.stopPrice");
  }
  if (kind === "OCO") {
    stop = leg("stop", STOP_TYPES, side, qty);
    reader.checkPair(own, stop, "stop.stopPrice");
    reader.checkTrigger(stop, "stop.stopPrice");
    reader.checkBeyondLast(own);
  }
  reader.checkPhase(kind, own);
  reader.checkNow(own);
  reader.checkBalance(stop !== null && kind === "OCO" ? [own, stop] : [own]);
  const selfTrade = chosenOf(SELF_TRADE_MODES, form.selfTrade);
  return { kind, selfTrade, own, pending, profit, stop, problems: reader.problems };
}

interface OrderSpec {
  /** In front of the names of its fields. */
  readonly path: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly times: readonly TimeInForce[];
  readonly qty: bigint | null;
  readonly peg: Peg | null;
}

/** Reads the fields of one ticket, and gathers what is wrong with them. */
class Reader {
  readonly problems: Problem[] = [];
  private readonly market: Market;
  private readonly situation: Situation;

  constructor(market: Market, situation: Situation) {
    this.market = market;
    this.situation = situation;
  }

  report(field: string, text: string, fix?: Fix, isCertain = true): void {
    // The first problem of a field is the one to solve first.
    if (this.problems.some((problem) => problem.field === field && problem.isCertain >= isCertain)) return;
    this.problems.push({ field, text, isCertain, ...(fix && { fix }) });
  }

  number(field: string, text: string, scale: Market["qty"], what: string): bigint | null {
    const read: ReadNumber = readNumber(text, scale, what);
    if ("value" in read) return read.value;
    this.report(field, read.text, read.fix);
    return null;
  }

  order(form: OrderForm, { path, side, type, times, qty, peg }: OrderSpec): ReadOrder {
    const takes = TAKES[type];
    const { market } = this;
    const time = times.length === 0 ? null : chosenOf(times, form.timeInForce);
    const isPriceRead = takes.price && peg !== "MARKET_PEG" && (peg === null || form.price.trim() !== "");
    const trigger = takes.trigger ? this.trigger(form, path, side, type) : { stopPrice: null, trailing: null };
    const display = takes.display && (time === null || mayRest(time)) ? form.display : "shown";
    return {
      side,
      type,
      timeInForce: time,
      price: isPriceRead ? this.number(`${path}price`, form.price, market.price, "price") : null,
      ...trigger,
      goodTillMs: time === "GTD" ? this.date(`${path}goodTill`, form.goodTill) : null,
      qty,
      quoteQty: null,
      icebergQty: display === "iceberg" ? this.iceberg(`${path}icebergQty`, form.icebergQty, qty) : null,
      isHidden: display === "hidden",
      minQty: takes.minQty ? this.minQty(`${path}minQty`, form.minQty, qty) : null,
      isWithinBalance: false,
      peg: null,
    };
  }

  peg(form: Form): ReadOrder["peg"] {
    const reference = chosenOf(PEGS, form.peg);
    if (reference === "MARKET_PEG" || form.pegOffset.trim() === "") return { reference, offset: 0n };
    const offset = this.number("pegOffset", form.pegOffset, PEG_OFFSET, "offset");
    return { reference, offset: offset ?? 0n };
  }

  /** Bounds of a quantity that is shared by orders of these types. */
  sizeScale(types: readonly OrderType[]): Market["qty"] {
    const scales = types.map((type) => (isMarketType(type) ? marketQtyScale(this.market) : this.market.qty));
    const { decimals, step } = this.market.qty;
    const min = most(step, ...scales.map((scale) => scale.min));
    const [first = this.market.qty, ...others] = scales;
    return { decimals, step, min, max: least(first.max, ...others.map((scale) => scale.max)) };
  }

  checkPhase(kind: Kind, { type, timeInForce, minQty }: ReadOrder): void {
    const { phase, symbol } = this.market;
    if (!takesOrders(phase)) {
      this.report("phase", `${symbol} takes no new orders now`);
      return;
    }
    const isOpening = phase === "PreOpen" || phase === "OpeningAuction";
    if (timeInForce === "AT_OPEN" && !isOpening) {
      this.report("timeInForce", "The opening auction is over", { label: "Use GTC", value: "GTC" });
    }
    if (!isGathering(phase)) return;
    if (kind === "PEGGED" || type === "MARKET" || type === "MARKET_TO_LIMIT") {
      const name = kind === "PEGGED" ? "A pegged" : "A market";
      this.report("type", `${name} order cannot wait for an auction`, { label: "Use a limit order", value: "LIMIT" });
    }
    const isTriggered = TAKES[type].trigger;
    if (timeInForce !== null && !mayRest(timeInForce) && !isTriggered) {
      const text = `${timeInForce} cannot wait for an auction`;
      this.report("timeInForce", text, { label: "Use GTC", value: "GTC" });
    }
    if (minQty !== null) {
      this.report("minQty", "No minimum while orders gather for an auction", { label: "Remove it", value: "" });
    }
  }

  /** What would be refused on arrival as the book and the last price stand. */
  checkNow(order: ReadOrder): void {
    const { market, situation } = this;
    this.checkTrigger(order, "stopPrice");
    this.checkPercent(order);
    const reference = order.price ?? (order.side === "BUY" ? situation.bestAsk : situation.bestBid);
    this.checkNotional(order, "price", "qty", reference, order.price !== null);
    if (order.type !== "LIMIT_MAKER" || order.price === null || order.peg || market.phase !== "Continuous") return;
    const best = order.side === "BUY" ? situation.bestAsk : situation.bestBid;
    const crosses = best !== null && (order.side === "BUY" ? order.price >= best : order.price <= best);
    if (!crosses) return;
    const fix = fixOf(order.side === "BUY" ? best - market.price.step : best + market.price.step, market.price);
    this.report("price", "It would trade at once, which this type must not", fix, false);
  }

  checkTrigger({ side, type, stopPrice }: ReadOrder, field: string): void {
    const { last } = this.situation;
    if (stopPrice === null || last === null) return;
    const { price } = this.market;
    const isRise = waitsForRise(type, side);
    if (isRise ? last < stopPrice : last > stopPrice) return;
    const text = `The last price is ${formatShort(last, price.decimals)}: it would trigger at once`;
    this.report(field, text, fixOf(isRise ? last + price.step : last - price.step, price), false);
  }

  /** The two orders of an OCO: one above the market and one below it. */
  checkPair(profit: ReadOrder, stop: ReadOrder, field: string): void {
    const gain = profit.type === "LIMIT_MAKER" ? profit.price : profit.stopPrice;
    if (gain === null || stop.stopPrice === null) return;
    const isSell = profit.side === "SELL";
    if (isSell ? gain > stop.stopPrice : gain < stop.stopPrice) return;
    const { price } = this.market;
    const fix = fixOf(isSell ? gain - price.step : gain + price.step, price);
    const shown = formatShort(gain, price.decimals);
    this.report(field, `The stop must be ${isSell ? "below" : "above"} the take-profit price ${shown}`, fix);
  }

  /** The limit of an OCO that enters now. */
  checkBeyondLast({ side, price }: ReadOrder): void {
    const { last } = this.situation;
    if (price === null || last === null) return;
    if (side === "SELL" ? price > last : price < last) return;
    const scale = this.market.price;
    const fix = fixOf(side === "SELL" ? last + scale.step : last - scale.step, scale);
    const place = side === "SELL" ? "above" : "below";
    this.report("price", `It must be ${place} the last price ${formatShort(last, scale.decimals)}`, fix, false);
  }

  checkNotional(
    { qty }: ReadOrder,
    priceField: string,
    qtyField: string,
    price: bigint | null,
    isCertain: boolean,
  ): void {
    const { market } = this;
    const { minNotional, maxNotional, quoteDecimals, quote } = market;
    if (price === null || price <= 0n || qty === null) return;
    const amount = amountOf(price, qty, market);
    const isLow = minNotional !== null && amount < minNotional;
    const isHigh = maxNotional !== null && amount > maxNotional;
    if (!isLow && !isHigh) return;
    const bound = isLow ? minNotional : (maxNotional as bigint);
    const allowed = qtyOfAmount(bound, price, market);
    const fixed = nearest(isLow ? ceilTo(allowed.ceil, market.qty.step) : allowed.floor, market.qty);
    const text = `An order is worth at ${isLow ? "least" : "most"} ${formatShort(bound, quoteDecimals)} ${quote}`;
    // The quantity is the usual remedy; where that is not allowed, only the price is left.
    const isRemedy = isLow
      ? amountOf(price, fixed, market) >= bound
      : amountOf(price, fixed, market) <= bound && fixed > 0n;
    if (isRemedy) this.report(qtyField, text, fixOf(fixed, market.qty), isCertain);
    else this.report(priceField, text, undefined, isCertain);
  }

  /** What the orders hold together is what the dearest of them needs. */
  checkBalance(orders: readonly ReadOrder[]): void {
    const { market, situation } = this;
    const first = orders[0];
    if (!first || first.isWithinBalance) return;
    const { freeBase, freeQuote, bestAsk } = situation;
    if (first.side === "SELL") {
      const isHeld = orders.some(({ type }) => !isMarketType(type) || type === "MARKET");
      if (!isHeld || freeBase === null || first.qty === null || first.qty <= toQty(freeBase, market)) return;
      const fix = fixOf(floorTo(toQty(freeBase, market), market.qty.step), market.qty);
      this.report("qty", `${formatShort(freeBase, market.baseDecimals)} ${market.base} free`, fix, false);
      return;
    }
    if (freeQuote === null) return;
    const short = `${formatShort(freeQuote, market.quoteDecimals)} ${market.quote} free`;
    if (first.quoteQty !== null && first.quoteQty > freeQuote) {
      this.report("quoteQty", short, fixOf(freeQuote, { decimals: market.quoteDecimals }), false);
    }
    const dearest = most(0n, ...orders.map(({ price, type }) => price ?? (type === "MARKET" ? bestAsk : null) ?? 0n));
    if (first.qty === null || dearest === 0n || amountOf(dearest, first.qty, market) <= freeQuote) return;
    this.report("qty", short, fixOf(qtyOfAmount(freeQuote, dearest, market).floor, market.qty), false);
  }

  private trigger(form: OrderForm, path: string, side: Side, type: OrderType) {
    const hasStop = form.stopPrice.trim() !== "";
    const hasTrailing = form.trailing.trim() !== "";
    if (!hasStop && !hasTrailing) {
      this.report(`${path}stopPrice`, "Enter the stop price, a trailing distance, or both");
      return { stopPrice: null, trailing: null };
    }
    const scale = trailingScale(this.market, waitsForRise(type, side));
    return {
      stopPrice: hasStop ? this.number(`${path}stopPrice`, form.stopPrice, this.market.price, "stop price") : null,
      trailing: hasTrailing ? this.number(`${path}trailing`, form.trailing, scale, "trailing distance") : null,
    };
  }

  private date(field: string, text: string): number | null {
    const fix = { label: "In an hour", value: dateText(this.situation.nowMs + HOUR_MS) };
    const time = parseDate(text);
    if (time === null) this.report(field, "Enter the date and time (UTC)", fix);
    else if (time <= this.situation.nowMs) this.report(field, "It must be later than now", fix);
    else return time;
    return null;
  }

  private iceberg(field: string, text: string, qty: bigint | null): bigint | null {
    const { market } = this;
    const shown = this.number(field, text, market.qty, "displayed quantity");
    if (shown === null || qty === null) return shown;
    const limit = filterOf(market, "ICEBERG_PARTS")?.limit;
    if (shown >= qty) {
      const below = nearest(qty - market.qty.step, market.qty);
      const fix = below < qty ? fixOf(below, market.qty) : undefined;
      this.report(field, "Less than the whole quantity is displayed", fix);
      return null;
    }
    if (limit !== undefined && ceilDivide(qty, shown) > BigInt(limit)) {
      const least = ceilTo(ceilDivide(qty, BigInt(limit)), market.qty.step);
      this.report(field, `An iceberg has at most ${limit} parts`, fixOf(least, market.qty));
      return null;
    }
    return shown;
  }

  private minQty(field: string, text: string, qty: bigint | null): bigint | null {
    if (text.trim() === "") return null;
    const { market } = this;
    const min = this.number(field, text, { ...market.qty, min: market.qty.step }, "minimum quantity");
    if (min === null || qty === null || min <= qty) return min;
    this.report(field, "More than the whole quantity", fixOf(qty, market.qty));
    return null;
  }

  private checkPercent({ side, price, peg }: ReadOrder): void {
    const { market, situation } = this;
    const filter = filterOf(market, "PERCENT_PRICE_BY_SIDE");
    // With an average of minutes the reference is the venue's to know.
    if (filter?.avgPriceMins !== 0 || situation.last === null || price === null || peg) return;
    const name = side === "BUY" ? "bid" : "ask";
    const bound = (direction: "Up" | "Down") => {
      const multiplier = parse(filter[`${name}Multiplier${direction}`], MULTIPLIER_DECIMALS);
      return "units" in multiplier ? (situation.last as bigint) * multiplier.units : null;
    };
    const { decimals, step } = market.price;
    const [low, high] = [bound("Down"), bound("Up")];
    const min = low === null ? null : ceilTo(ceilDivide(low, MULTIPLIER), step);
    const max = high === null ? null : floorTo(high / MULTIPLIER, step);
    const isLow = min !== null && price < min;
    if (!isLow && (max === null || price <= max)) return;
    const nearestAllowed = isLow ? min : (max as bigint);
    const text = `As the last price stands, the ${isLow ? "lowest" : "highest"} is ${formatShort(nearestAllowed, decimals)}`;
    this.report("price", text, fixOf(nearestAllowed, market.price), false);
  }
}

const HOUR_MS = 3_600_000;
const MULTIPLIER_DECIMALS = 8;
const MULTIPLIER = 10n ** BigInt(MULTIPLIER_DECIMALS);
const PEG_OFFSET = { decimals: 0, step: 1n, min: -1_000_000n, max: 1_000_000n };

/** In percent with two decimals, which are hundredths of a percent as the API counts. */
export function trailingScale(market: Market, isRise: boolean): Market["qty"] {
  const filter = filterOf(market, "TRAILING_DELTA");
  const where = isRise ? "Above" : "Below";
  const bound = (name: "min" | "max", otherwise: bigint) => {
    const value = filter?.[`${name}Trailing${where}Delta`];
    return value === undefined ? otherwise : BigInt(value);
  };
  return { decimals: 2, step: 1n, min: bound("min", 1n), max: bound("max", 9_999n) };
}

export function quoteScale(market: Market): Market["qty"] {
  const decimals = market.quoteDecimals;
  return { decimals, step: 1n, min: market.minNotional ?? 1n, max: market.maxNotional ?? 10n ** BigInt(20 + decimals) };
}

/** Whole units of quantity that an amount pays for at a price, in lots where it is cut off. */
export function qtyOfAmount(amount: bigint, price: bigint, market: Market): { floor: bigint; ceil: bigint } {
  const shift = market.price.decimals + market.qty.decimals - market.quoteDecimals;
  const [numerator, divisor] =
    shift >= 0 ? [amount * 10n ** BigInt(shift), price] : [amount, price * 10n ** BigInt(-shift)];
  return { floor: floorTo(numerator / divisor, market.qty.step), ceil: ceilDivide(numerator, divisor) };
}

/** A balance of the base asset as a quantity; what is below a quantity's decimals is cut off. */
export function toQty(amount: bigint, { baseDecimals, qty }: Market): bigint {
  const surplus = baseDecimals - qty.decimals;
  return surplus >= 0 ? amount / 10n ** BigInt(surplus) : amount * 10n ** BigInt(-surplus);
}

function dateText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16);
}

function parseDate(text: string): number | null {
  const time = Date.parse(`${text}Z`);
  return Number.isNaN(time) ? null : time;
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

export function priceText(price: bigint, market: Market): string {
  return format(price, market.price.decimals);
}
