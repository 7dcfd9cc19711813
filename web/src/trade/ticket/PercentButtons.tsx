import { format } from "../../numbers/decimal";
import { book } from "../../stores/book";
import { ticket } from "../../stores/ticketDraft";
import type { Market } from "../../stores/types";
import { type Means, qtyOfPercent } from "./preview";
import type { ReadTicket } from "./rules";

const PERCENTS = [10, 25, 50, 75, 100] as const;

/** Sizes by part of the free balance. */
export function PercentButtons({ read, market, means }: { read: ReadTicket; market: Market; means: Means }) {
  const { own, kind } = read;
  const isByQuote = kind === "MARKET" && ticket.isByQuote.value;
  const asset = own.side === "BUY" ? market.quote : market.base;
  const choose = (percent: number) => {
    if (isByQuote && own.side === "BUY" && means.freeQuote !== null) {
      ticket.quoteQty.value = format((means.freeQuote * BigInt(percent)) / 100n, market.quoteDecimals);
      return;
    }
    if (isByQuote) ticket.isByQuote.value = false;
    const qty = qtyOfPercent(percent, own, book, market, means);
    if (qty !== null) ticket.qty.value = format(qty, market.qty.decimals);
  };
  const isKnown = own.side === "BUY" ? means.freeQuote !== null : means.freeBase !== null;
  return (
    <div class="ticket-percents" role="group" aria-label={`Part of the free ${asset}`}>
      {PERCENTS.map((percent) => (
        <button
          key={percent}
          type="button"
          class="ticket-choice"
          disabled={!isKnown}
          title={isKnown ? `${percent} % of the free ${asset}` : `No ${asset} known: sign in`}
          onClick={() => choose(percent)}
        >
          {percent}%
        </button>
      ))}
    </div>
  );
}
