import { signal } from "@preact/signals";
import { format, formatShort } from "../../numbers/decimal";
import { auction } from "../../stores/auction";
import { bookFreshness } from "../../stores/book";
import { market } from "../../stores/markets";
import type { Auction, Market } from "../../stores/types";
import { Button } from "../../ui/Button";
import { Panel } from "../../ui/Panel";
import { Countdown } from "./Countdown";
import { Curve } from "./Curve";
import { isAuction, PHASES } from "./phases";
import "./auction.css";

/** The time of the result that the person has put away. */
const putAway = signal(0);

/** What the auction of the chosen market would do now; afterwards what it did. Nothing otherwise. */
export function AuctionPanel() {
  const [of, state] = [market.value, auction.value];
  if (of === null) return null;
  if (isAuction(of.phase)) return <Running of={of} state={state?.isResult ? null : state} />;
  if (state?.isResult && state.timeMs !== putAway.value) return <Result of={of} result={state} />;
  return null;
}

function Running({ of, state }: { of: Market; state: Auction | null }) {
  const nothing = state === null || state.price === null;
  return (
    <Panel
      title={PHASES[of.phase].title}
      testId="auction"
      class="auction"
      freshness={bookFreshness.value}
      tools={
        of.phaseEndsMs !== null && (
          <span class="auction-end">
            <span class="dim">ends in</span> <Countdown endsMs={of.phaseEndsMs} />
          </span>
        )
      }
    >
      <Figures of={of} state={state} priceName="Indicative" qtyName="Would trade" />
      {nothing && <p class="auction-nothing dim">Nothing would trade yet: no bid reaches an ask.</p>}
      <Curve of={of} indicative={state?.price ?? null} />
    </Panel>
  );
}

function Result({ of, result }: { of: Market; result: Auction }) {
  return (
    <Panel
      title="Result of the auction"
      testId="auction"
      class="auction"
      tools={
        <Button
          look="plain"
          label="Put the result away"
          onClick={() => {
            putAway.value = result.timeMs;
          }}
        >
          ✕
        </Button>
      }
    >
      <Figures of={of} state={result} priceName="Price" qtyName="Traded" />
      <p class="auction-nothing dim">
        {result.price === null ? "Nothing traded. " : ""}
        {new Date(result.timeMs).toISOString().slice(0, 19).replace("T", " ")} UTC
      </p>
    </Panel>
  );
}

interface FiguresProps {
  of: Market;
  state: Auction | null;
  priceName: string;
  qtyName: string;
}

function Figures({ of, state, priceName, qtyName }: FiguresProps) {
  const qty = (value: bigint) => `${formatShort(value, of.qty.decimals)} ${of.base}`;
  const hasPrice = state !== null && state.price !== null;
  return (
    <dl class="auction-figures">
      <div>
        <dt>{priceName}</dt>
        <dd class="number auction-price">{hasPrice ? format(state.price ?? 0n, of.price.decimals) : "–"}</dd>
      </div>
      <div>
        <dt>{qtyName}</dt>
        <dd class="number">{hasPrice ? qty(state.qty) : "–"}</dd>
      </div>
      <div>
        <dt>Surplus</dt>
        <dd class="number">
          {state === null || state.surplusSide === null || state.surplus === 0n ? (
            "none"
          ) : (
            <div class={state.surplusSide === "BUY" ? "up" : "down"}>
              <span>{qty(state.surplus)}</span> <span>{state.surplusSide === "BUY" ? "to buy" : "to sell"}</span>
            </div>
          )}
        </dd>
      </div>
    </dl>
  );
}
