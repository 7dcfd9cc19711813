// Orders by one key, in the quantity that is set for clicks and keys. They ask where a warning applies.
import { formatShort } from "../../numbers/decimal";
import { bookFreshness } from "../../stores/book";
import { market as chosenMarket } from "../../stores/markets";
import { notice } from "../../stores/notices";
import { ordersOfChosen } from "../../stores/orders";
import { clickQtys } from "../../stores/settings";
import { ticket } from "../../stores/ticketDraft";
import type { Market, Side } from "../../stores/types";
import { type Form, readForm } from "../ticket/form";
import { priceText, readTicket } from "../ticket/rules";
import { amendAsking, send } from "../ticket/send";
import { situationOf } from "../ticket/situation";
import type { Command } from "./commands";

export function keyTrades(): readonly Command[] {
  const trade = (id: string, title: string, chord: string, run: (market: Market) => void): Command => ({
    id,
    group: "Trade",
    title,
    chord,
    trades: true,
    run: () => withMarket(run),
  });
  return [
    trade("buy-market", "Buy at market", "Shift+B", (market) => enter(market, "BUY", "MARKET", null)),
    trade("sell-market", "Sell at market", "Shift+S", (market) => enter(market, "SELL", "MARKET", null)),
    trade("join-bid", "Buy at the best bid", "Shift+J", (market) => atBest(market, "BUY", "bestBid")),
    trade("join-ask", "Sell at the best ask", "Shift+K", (market) => atBest(market, "SELL", "bestAsk")),
    trade("take-ask", "Buy at the best ask", "Shift+L", (market) => atBest(market, "BUY", "bestAsk")),
    trade("take-bid", "Sell at the best bid", "Shift+H", (market) => atBest(market, "SELL", "bestBid")),
    trade("send-ticket", "Send the ticket", "Shift+Enter", sendTicket),
    trade("order-up", "My newest order here one tick up", "Shift+ArrowUp", (market) => move(market, 1n)),
    trade("order-down", "My newest order here one tick down", "Shift+ArrowDown", (market) => move(market, -1n)),
  ];
}

function withMarket(run: (market: Market) => void): void {
  const market = chosenMarket.peek();
  if (market === null) return;
  // A price that is not the present one must not be traded at.
  if (bookFreshness.peek() === "live") run(market);
  else notice("warning", `The book of ${market.symbol} is not live: no key trades on it.`);
}

function atBest(market: Market, side: Side, best: "bestBid" | "bestAsk"): void {
  const price = situationOf(market)[best];
  if (price === null) notice("warning", `${market.symbol} has no ${best === "bestBid" ? "bid" : "ask"} now.`);
  else enter(market, side, "LIMIT", price);
}

/** The rules are those of the ticket; only these fields are the key's own. */
function enter(market: Market, side: Side, type: "LIMIT" | "MARKET", price: bigint | null): void {
  const form: Form = {
    ...readForm(),
    type,
    side,
    price: price === null ? "" : priceText(price, market),
    qty: clickQtys.peek()[market.symbol] ?? ticket.qty.peek(),
    timeInForce: "GTC",
    display: "shown",
    minQty: "",
    isByQuote: false,
    isWithinBalance: false,
  };
  sendForm(form, market);
}

function sendTicket(market: Market): void {
  sendForm(readForm(), market);
}

function sendForm(form: Form, market: Market): void {
  const read = readTicket(form, market, situationOf(market));
  const problem = read.problems.find(({ isCertain }) => isCertain);
  if (problem) notice("warning", `Nothing was sent: ${problem.text.charAt(0).toLowerCase()}${problem.text.slice(1)}.`);
  else send(read, market);
}

function move(market: Market, ticks: bigint): void {
  const order = ordersOfChosen.peek().find(({ price }) => price !== null);
  if (!order || order.price === null) {
    notice("info", `No open order of ${market.symbol} with a price.`);
    return;
  }
  const price = order.price + ticks * market.price.step;
  if (price < market.price.min || price > market.price.max) {
    notice("warning", `${formatShort(price, market.price.decimals)} is outside the bounds of ${market.symbol}.`);
    return;
  }
  void amendAsking(order, { price });
}
