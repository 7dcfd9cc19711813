// What the order would do and cost, as the book stands.
import type { ComponentChildren } from "preact";
import { formatGrouped } from "../../numbers/decimal";
import type { Market } from "../../stores/types";
import { shortGrouped } from "./numbers";
import type { Fee, Preview } from "./preview";
import type { ReadOrder } from "./rules";
import { effectWords } from "./words";

interface Props {
  order: ReadOrder;
  seen: Preview | null;
  market: Market;
}

export function PreviewTable({ order, seen, market }: Props) {
  const amount = (units: bigint) => `${shortGrouped(units, market.quoteDecimals)} ${market.quote}`;
  const price = (units: bigint) => formatGrouped(units, market.price.decimals);
  const isNone = seen === null || seen.fate === "refused" || seen.fate === "unfillable";
  return (
    <div class="ticket-preview" data-testid="ticket-preview">
      <p class="ticket-effect">{seen ? effectWords(seen, order, market) : "\u00a0"}</p>
      <dl class="ticket-facts">
        <Fact name={order.side === "BUY" ? "Cost" : "Proceeds"}>{isNone ? "–" : amount(seen.amount)}</Fact>
        <Fact name={feeName(seen?.fee ?? null)}>{isNone || !seen.fee ? "–" : feeWords(seen.fee)}</Fact>
        {!isNone && seen.walk.levels > 0 && (
          <>
            <Fact name="Average price">{seen.averagePrice === null ? "–" : price(seen.averagePrice)}</Fact>
            <Fact name={order.side === "BUY" ? "Ask after" : "Bid after"}>
              {seen.walk.priceAfter === null ? "none known" : price(seen.walk.priceAfter)}
            </Fact>
          </>
        )}
        <Fact name={`${market.base} free after`}>{free(isNone ? null : seen.baseAfter, market.baseDecimals)}</Fact>
        <Fact name={`${market.quote} free after`}>{free(isNone ? null : seen.quoteAfter, market.quoteDecimals)}</Fact>
      </dl>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="ticket-fact">
      <dt>{name}</dt>
      <dd class="number">{children}</dd>
    </div>
  );
}

function free(units: bigint | null, decimals: number): ComponentChildren {
  if (units === null) return "–";
  return <span class={units < 0n ? "warning" : ""}>{shortGrouped(units, decimals)}</span>;
}

function feeName(fee: Fee | null): string {
  if (fee === null) return "Fee";
  const isTaker = fee.taker !== 0n;
  const isMaker = fee.maker !== 0n;
  return isTaker === isMaker ? "Fee" : `Fee (${isTaker ? "taker" : "maker"})`;
}

function feeWords({ taker, maker, decimals, asset }: Fee): string {
  return `${shortGrouped(taker + maker, decimals)} ${asset}`;
}
