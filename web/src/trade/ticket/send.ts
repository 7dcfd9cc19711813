// The last step before an order leaves: asks where a warning applies, and sends.
import { signal } from "@preact/signals";
import { amend, type Outcome, place, placeList } from "../../stores/act";
import { book } from "../../stores/book";
import { markets } from "../../stores/markets";
import { lastSent, orderWords } from "../../stores/orders";
import { warnings } from "../../stores/settings";
import type { ListDraft, Market, Order, Side } from "../../stores/types";
import { draftOf, entering, withOrderIds } from "./draft";
import { preview } from "./preview";
import type { ReadOrder, ReadTicket } from "./rules";
import { meansOf, situationOf } from "./situation";
import { warningsOf } from "./warnings";
import { buttonWords, orderLines } from "./words";

/** What a person is asked before something leaves. */
export interface Question {
  readonly market: Market;
  readonly side: Side;
  readonly title: string;
  /** The orders, a line each. */
  readonly lines: readonly string[];
  /** On the button that sends. */
  readonly action: string;
  /** Why it is asked; the market moves on while the person reads. */
  readonly warnings: () => readonly string[];
  /** The same when it was asked. */
  readonly asked: readonly string[];
  readonly answered: (isConfirmed: boolean) => void;
}

/** The list that was sent last. */
export interface SentList {
  readonly list: ListDraft;
  /** Client order ids of its orders. */
  readonly ids: readonly string[];
  /** `null` until the venue has answered. */
  readonly outcome: Outcome | null;
  /** The order that had been sent last before it: a later one takes its place. */
  readonly lastSent: string | null;
}

export const sentList = signal<SentList | null>(null);

/** What the person is being asked; `null`: nothing. */
export const question = signal<Question | null>(null);

/** Asks; an earlier question that was not answered is answered with no. */
export function ask(asked: Question): void {
  question.peek()?.answered(false);
  question.value = asked;
}

export function answerQuestion(isConfirmed: boolean): void {
  const asked = question.peek();
  question.value = null;
  asked?.answered(isConfirmed);
}

/** Sends at once, or asks first. The ticket must be without a certain problem. */
export function send(read: ReadTicket, market: Market): void {
  const warnings = () => warningsFor(read, market);
  const asked = warnings();
  if (asked.length === 0) {
    sendNow(read, market);
    return;
  }
  ask({
    market,
    side: read.own.side,
    title: `Send this order to ${market.symbol}?`,
    lines: orderLines(read, market),
    action: buttonWords(read, market),
    warnings,
    asked,
    answered: (isConfirmed) => isConfirmed && sendNow(read, market),
  });
}

/** Changes an order at once, or asks first where the ticket would. */
export function amendAsking(order: Order, to: { price?: bigint; qty?: bigint }): Promise<Outcome> {
  const market = markets.peek().get(order.symbol);
  const price = to.price ?? order.price;
  const qty = (to.qty ?? order.qty ?? 0n) - order.filled;
  if (!market || qty <= 0n) return amend(order, to);
  const changed = plainOrder(order.side, price, qty);
  const warnings = () => warningsOfOrder(changed, market);
  const asked = warnings();
  if (asked.length === 0) return amend(order, to);
  return new Promise((resolve) => {
    ask({
      market,
      side: order.side,
      title: `Change this order of ${market.symbol}?`,
      lines: [
        `${orderWords(order, market)} becomes ${orderWords({ ...order, price, qty: to.qty ?? order.qty }, market)}`,
      ],
      action: "Change it",
      warnings,
      asked,
      answered: (isConfirmed) => resolve(isConfirmed ? amend(order, to) : KEPT),
    });
  });
}

const KEPT: Outcome = { ok: false, sentence: "The order stays as it is." };

function sendNow(read: ReadTicket, market: Market): void {
  const draft = draftOf(read, market);
  if ("order" in draft) void place(draft.order);
  else void sendList(draft.list);
}

async function sendList(draft: ListDraft): Promise<void> {
  const { list, ids } = withOrderIds(draft, () => `web-${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`);
  const sending: SentList = { list, ids, outcome: null, lastSent: lastSent.peek() };
  sentList.value = sending;
  const told = (outcome: Outcome) => {
    if (sentList.peek()?.list === list) sentList.value = { ...sending, outcome };
  };
  const outcome = await placeList(list);
  told(outcome);
  if (!outcome.ok && outcome.fate) told(await outcome.fate);
}

function warningsFor(read: ReadTicket, market: Market): readonly string[] {
  return [...new Set(entering(read).flatMap((order) => warningsOfOrder(order, market)))];
}

/** What a person is asked about before this order leaves. */
export function warningsOfOrder(order: ReadOrder, market: Market): readonly string[] {
  const { last } = situationOf(market);
  // The book is that of the chosen market.
  const books = book.market?.symbol === market.symbol ? book : NO_BOOK;
  return warningsOf(order, preview(order, books, market, meansOf(market)), last, market, warnings.value);
}

const NO_BOOK = { bids: [], asks: [] };

/** A limit order, or a market order without a price, with no further terms. */
export function plainOrder(side: Side, price: bigint | null, qty: bigint): ReadOrder {
  return {
    side,
    type: price === null ? "MARKET" : "LIMIT",
    timeInForce: price === null ? null : "GTC",
    price,
    stopPrice: null,
    trailing: null,
    goodTillMs: null,
    qty,
    quoteQty: null,
    icebergQty: null,
    isHidden: false,
    minQty: null,
    isWithinBalance: false,
    peg: null,
  };
}
