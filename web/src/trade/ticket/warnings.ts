// What a person is asked about before an order leaves. Warnings never forbid.
import { format, parse } from "../../numbers/decimal";
import type { Warnings } from "../../stores/settings";
import type { Market } from "../../stores/types";
import { shortGrouped } from "./numbers";
import type { Preview } from "./preview";
import type { ReadOrder } from "./rules";

const PERCENT_DECIMALS = 4;

export function warningsOf(
  order: ReadOrder,
  seen: Preview | null,
  last: bigint | null,
  market: Market,
  bounds: Warnings,
): readonly string[] {
  const found: string[] = [];
  const { side } = order;
  const percent = read(bounds.percentAway, PERCENT_DECIMALS);
  const verb = side === "BUY" ? "Buys" : "Sells";
  const worst = order.price ?? seen?.walk.worstPrice ?? null;
  const ticks = read(bounds.ticksAway ?? "", 0);
  if (last !== null && last > 0n && worst !== null) {
    const away = side === "BUY" ? worst - last : last - worst;
    const isFar = percent !== null && away * 100n * 10n ** BigInt(PERCENT_DECIMALS) > percent * last;
    const isManyTicks = ticks !== null && away > ticks * market.price.step;
    if (isFar || isManyTicks) {
      const shown = isFar ? `${format((away * 10_000n) / last, 2)} %` : `${away / market.price.step} ticks`;
      const where = side === "BUY" ? "above" : "below";
      const what = order.price === null ? "as far as" : "at";
      const price = shortGrouped(worst, market.price.decimals);
      found.push(
        `${verb} ${what} ${price}: ${shown} ${where} the last price ${shortGrouped(last, market.price.decimals)}.`,
      );
    }
  }
  const maxQty = read(bounds.maxQty, market.qty.decimals);
  const qty = order.qty ?? seen?.walk.qty ?? null;
  if (maxQty !== null && qty !== null && qty > maxQty) {
    const text = shortGrouped(qty, market.qty.decimals);
    found.push(`${text} ${market.base} is more than your bound of ${bounds.maxQty.trim()}.`);
  }
  const maxCost = read(bounds.maxCost, market.quoteDecimals);
  const cost = order.quoteQty ?? seen?.amount ?? null;
  if (maxCost !== null && cost !== null && cost > maxCost) {
    const text = shortGrouped(cost, market.quoteDecimals);
    found.push(`It is worth ${text} ${market.quote}, more than your bound of ${bounds.maxCost.trim()}.`);
  }
  const isMarket = order.type === "MARKET" && order.quoteQty === null;
  if (isMarket && seen !== null && seen.fate === "enters" && seen.expiresQty > 0n) {
    const text = shortGrouped(seen.walk.qty, market.qty.decimals);
    found.push(`The book has ${text} ${market.base} only: it would take all of it.`);
  }
  return found;
}

/** A bound that cannot be read bounds nothing; the settings say so where it is typed. */
function read(text: string, decimals: number): bigint | null {
  const parsed = parse(text, decimals);
  return "units" in parsed ? parsed.units : null;
}
