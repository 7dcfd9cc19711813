// The account's state: a snapshot, then numbered events, of which none is missed or taken twice.
import { computed, signal } from "@preact/signals";
import type { AccountEvent, AccountInfo, ListInfo, MyTrade, OrderInfo } from "../api/types";
import { apiLink, NotSent, Refused, receiveAccount, request, whenClosed } from "../connection/api";
import { asAccount } from "../connection/asAccount";
import { balancesChanged, balancesRead, clearBalances } from "./balances";
import { fees } from "./fees";
import { clearFills, fillChanged, fillReported, fillsRead } from "./fills";
import { clearLists, listReported, listsRead } from "./lists";
import { chosen } from "./markets";
import { notice } from "./notices";
import { clearOrders, openOrders, queued, replaceOpen, reported } from "./orders";
import type { Freshness } from "./types";

/** Code of a number beyond what the venue keeps, or knows. */
const NO_SUCH_EVENT = -1130;
const SUBSCRIBED_ALREADY = -2035;
const BEHIND = -1008;
const FILLS_READ = 1_000;
const QUEUE_EVERY_MS = 1_000;
/** With more orders on the book their places are asked for so much less often: each answer has them all. */
const QUEUE_ORDERS = 500;
const AGAIN_AFTER_MS = 1_000;

/** Whether events reach this page, since a snapshot that has been read. */
const isFollowing = signal(false);
const isLoggedOn = signal(false);
/** The number of the last event that was taken over. */
let lastSeq: number | null = null;
/** Events that came before the snapshot. */
let early: AccountEvent[] | null = null;
/** Rises with each reading of the account, and when it is left: what an earlier one read is not wanted. */
let reading = 0;
let terminated: () => void = () => {};

/** Of orders, fills and balances. */
export const accountFreshness = computed<Freshness>(() => {
  if (apiLink.state.value !== "live") return "stale";
  return isFollowing.value || !isLoggedOn.value ? "live" : "catching-up";
});

/** Begins to listen; `whenTerminated` is called when the venue ends the stream, as for a revoked key. */
export function followAccount(whenTerminated: () => void): void {
  terminated = whenTerminated;
  receiveAccount(received, whenTerminated);
  whenClosed(() => {
    isFollowing.value = false;
    early = null;
  });
  setTimeout(askQueues, QUEUE_EVERY_MS);
}

/** The key is logged on, on a new connection or anew: reads what was missed. */
export async function catchUpAccount(): Promise<void> {
  isLoggedOn.value = true;
  isFollowing.value = false;
  reading += 1;
  const own = reading;
  const since = lastSeq;
  early ??= [];
  await subscribe(since);
  const [account, orders, lists] = await Promise.all([
    asAccount<AccountInfo>("account.status"),
    asAccount<OrderInfo[]>("openOrders.status"),
    asAccount<ListInfo[]>("openOrderLists.status"),
  ]);
  if (own !== reading) return;
  balancesRead(account.balances);
  fees.value = account.commissionRates;
  replaceOpen(orders);
  listsRead(lists);
  const events = early ?? [];
  early = null;
  const before = lastSeq ?? 0;
  for (const event of events) take(event);
  isFollowing.value = true;
  const missed = (lastSeq ?? 0) - before;
  if (since !== null && missed > 0)
    notice("info", `${missed} ${missed === 1 ? "event" : "events"} of the account caught up.`);
  await readFills();
}

/** Nobody is signed in: nothing of the account stays on the page. */
export function leaveAccount(): void {
  reading += 1;
  isLoggedOn.value = false;
  isFollowing.value = false;
  lastSeq = null;
  early = null;
  fees.value = null;
  clearOrders();
  clearFills();
  clearLists();
  clearBalances();
}

/** One that cannot go on where the last ended begins anew. */
async function subscribe(since: number | null): Promise<void> {
  const from = since === null ? {} : { fromSeq: since + 1 };
  try {
    await request("userDataStream.subscribe", from);
  } catch (error) {
    // An earlier attempt on this connection came so far: the stream goes on.
    if (error instanceof Refused && error.code === SUBSCRIBED_ALREADY) return;
    if (!(error instanceof Refused && error.code === NO_SUCH_EVENT && since !== null)) throw error;
    lastSeq = null;
    clearFills();
    notice(
      "warning",
      `Events of the account after number ${since} are no longer kept: orders and balances are read anew.`,
    );
    await request("userDataStream.subscribe");
  }
}

/** Own trades of the past. The read model may be a moment behind: it says so, and is asked again. */
async function readFills(): Promise<void> {
  const own = reading;
  try {
    const read = await asAccount<MyTrade[]>("myTrades", { limit: FILLS_READ });
    if (own === reading) fillsRead(read, FILLS_READ);
  } catch (error) {
    // A new connection reads them again by itself.
    if (error instanceof NotSent) return;
    if (!(error instanceof Refused) || error.code === BEHIND)
      setTimeout(() => own === reading && void readFills(), AGAIN_AFTER_MS);
    else notice("warning", `Earlier fills could not be read: ${error.message}`);
  }
}

async function askQueues(): Promise<void> {
  await askQueue();
  setTimeout(askQueues, QUEUE_EVERY_MS * Math.max(1, openOrders.peek().length / QUEUE_ORDERS));
}

/** Places in the queue change with orders of others, so they are asked for, while someone looks. */
async function askQueue(): Promise<void> {
  const symbol = chosen.peek();
  const isOnBook = ({ symbol: of, state }: { symbol: string; state: string }) =>
    of === symbol && (state === "accepted" || state === "part-filled");
  if (!isFollowing.peek() || document.hidden || !openOrders.peek().some(isOnBook)) return;
  const answers = await asAccount<OrderInfo[]>("openOrders.status", { symbol, queue: true }).catch(() => []);
  queued(answers);
}

function received(event: AccountEvent): void {
  if (early) early.push(event);
  else take(event);
}

function take(event: AccountEvent): void {
  if (event.e === "eventStreamTerminated") {
    terminated();
    return;
  }
  const seq = "seq" in event ? event.seq : undefined;
  if (seq !== undefined) {
    if (lastSeq !== null && seq <= lastSeq) return;
    lastSeq = seq;
  }
  switch (event.e) {
    case "executionReport":
      reported(event);
      fillReported(event);
      break;
    case "outboundAccountPosition":
      balancesChanged(event.B);
      break;
    case "listStatus":
      listReported(event);
      break;
    case "tradeBusted":
      fillChanged(event.s, event.t, event.S, null);
      notice("warning", `Trade ${event.t} of ${event.s} was undone by an operator.`);
      break;
    case "tradeCorrected":
      fillChanged(event.s, event.t, event.S, event.L);
      notice("warning", `The price of trade ${event.t} of ${event.s} was corrected from ${event.op} to ${event.L}.`);
      break;
    case "balanceUpdate":
      notice("info", `${event.a}: ${event.d}`);
      break;
  }
}
