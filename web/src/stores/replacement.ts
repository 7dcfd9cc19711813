// The terms with which an order is entered anew at another price or in another quantity.
import type { OrderInfo } from "../api/types";
import { format, units } from "../numbers/decimal";
import type { Draft, Market } from "./types";

const TRIGGERED: Readonly<Record<string, string>> = {
  STOP_LOSS_LIMIT: "LIMIT",
  TAKE_PROFIT_LIMIT: "LIMIT",
  // It has taken its price, and rests there as a limit order.
  MARKET_TO_LIMIT: "LIMIT",
};
/** Types that are refused without a time in force. */
const TIMED = ["LIMIT", "STOP_LOSS_LIMIT", "TAKE_PROFIT_LIMIT"];

/**
 * What is left of an order, as the venue has it now, with all its terms. A stop that was triggered is a limit order. A
 * trailing order trails from now on: the best price it has seen cannot be entered.
 */
export function replacementOf(order: OrderInfo, market: Market, price: bigint | null, rest: bigint): Draft {
  const { isWorking, goodTillDate, trailingDelta, trailingTime = -1 } = order;
  const { pegPriceType, pegOffsetType, pegOffsetValue } = order;
  const type = (isWorking ? TRIGGERED[order.type] : undefined) ?? order.type;
  const params: Record<string, string> = {
    quantity: format(rest, market.qty.decimals),
    selfTradePreventionMode: order.selfTradePreventionMode,
  };
  const set = (name: string, value: string | number | undefined) => {
    if (value !== undefined) params[name] = String(value);
  };
  const qty = (text: string | null | undefined) => (text == null ? 0n : units(text, market.qty.decimals));
  if (price !== null) set("price", format(price, market.price.decimals));
  if (TIMED.includes(type) || order.timeInForce !== "GTC") set("timeInForce", order.timeInForce);
  set("goodTillDate", goodTillDate);
  if (type === order.type) {
    const stop = order.stopPrice === null ? 0n : units(order.stopPrice, market.price.decimals);
    // One that trails has passed the price at which it began to.
    if (stop > 0n && trailingTime < 0) set("stopPrice", format(stop, market.price.decimals));
    set("trailingDelta", trailingDelta);
  }
  // A peg that was fixed on arrival has become the price.
  if (pegPriceType !== undefined && pegPriceType !== "MARKET_PEG") {
    set("pegPriceType", pegPriceType);
    set("pegOffsetType", pegOffsetType);
    set("pegOffsetValue", pegOffsetValue);
  }
  const shown = qty(order.icebergQty);
  // A part that is as large as what is left is all of it.
  if (shown > 0n && shown < rest) set("icebergQty", format(shown, market.qty.decimals));
  if (order.hidden) set("hidden", "true");
  // The smallest quantity applies when an order enters: one that works has passed it.
  const least = isWorking ? 0n : qty(order.minQty);
  if (least > 0n) set("minQty", format(least < rest ? least : rest, market.qty.decimals));
  set("strategyId", order.strategyId);
  set("strategyType", order.strategyType);
  return { symbol: order.symbol, side: order.side, type, params };
}
