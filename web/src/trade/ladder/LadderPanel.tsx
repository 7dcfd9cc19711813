// The ladder: prices from top to bottom, what stands there, and own orders; trading by click, drag and key.
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { cancelMany } from "../../stores/act";
import { bookFreshness } from "../../stores/book";
import { market } from "../../stores/markets";
import { ordersOfChosen } from "../../stores/orders";
import { armed } from "../../stores/settings";
import type { Market, Side } from "../../stores/types";
import { Button } from "../../ui/Button";
import { Panel } from "../../ui/Panel";
import { placeMarket, type Say } from "./intents";
import { LadderCanvas } from "./LadderCanvas";
import { LadderMirror } from "./LadderMirror";
import { LadderTools } from "./LadderTools";
import { LastPrice } from "./LastPrice";
import { QtyOfClick } from "./QtyOfClick";
import { LadderView } from "./view";
import "./ladder.css";

const HEADS = ["Own buys", "Bid", "Price", "Ask", "Own sells"];

export function LadderPanel() {
  const view = useMemo(() => new LadderView(), []);
  /** What a click would do, or what the last one did. */
  const words = useSignal("");
  useSignalEffect(() => {
    void ordersOfChosen.value;
    view.ordersChanged();
  });
  const say = (sentence: string) => {
    words.value = sentence;
  };
  const of = market.value;
  return (
    <Panel
      title="Ladder"
      testId="ladder"
      class="ladder"
      freshness={bookFreshness.value}
      tools={<LadderTools view={view} />}
    >
      <div class="ladder-body">
        <div class="ladder-top">
          <LastPrice />
          {of && <QtyOfClick key={of.symbol} market={of} />}
        </div>
        <div class="ladder-heads" aria-hidden="true">
          {HEADS.map((head) => (
            <span key={head}>{head}</span>
          ))}
        </div>
        <LadderCanvas view={view} words={words} />
        <p class="ladder-words" role="status">
          {words.value || <Hint />}
        </p>
        {of && <Foot market={of} say={say} />}
        <LadderMirror />
      </div>
    </Panel>
  );
}

function Hint() {
  if (bookFreshness.value !== "live") return "The book is not live: nothing is sent from here.";
  return armed.value ? "Armed: a click on a bid or ask places an order." : "Not armed: a click fills the ticket.";
}

function Foot({ market: of, say }: { market: Market; say: Say }) {
  const isLive = bookFreshness.value === "live";
  const count = (side?: Side) => ordersOfChosen.value.filter((order) => (side ?? order.side) === order.side).length;
  const counts = useComputed(() => ({ buys: count("BUY"), sells: count("SELL"), all: count() }));
  const { buys, sells, all } = counts.value;
  const cancelAll = (side?: Side) => void cancelMany({ symbol: of.symbol, ...(side && { side }) });
  return (
    <div class="ladder-foot">
      <Button
        look="buy"
        class="ladder-market"
        disabled={!isLive}
        title="Buys the quantity of one click at the best prices, if armed"
        onClick={() => placeMarket(of, "BUY", say)}
      >
        Buy market
      </Button>
      <Button
        look="sell"
        class="ladder-market"
        disabled={!isLive}
        title="Sells the quantity of one click at the best prices, if armed"
        onClick={() => placeMarket(of, "SELL", say)}
      >
        Sell market
      </Button>
      <Button class="ladder-cxl" disabled={buys === 0} title={`Cancels ${buys} buys`} onClick={() => cancelAll("BUY")}>
        CXL buys{buys > 0 && ` ${buys}`}
      </Button>
      <Button class="ladder-cxl" disabled={all === 0} title={`Cancels all ${all} orders`} onClick={() => cancelAll()}>
        CXL all{all > 0 && ` ${all}`}
      </Button>
      <Button
        class="ladder-cxl"
        disabled={sells === 0}
        title={`Cancels ${sells} sells`}
        onClick={() => cancelAll("SELL")}
      >
        CXL sells{sells > 0 && ` ${sells}`}
      </Button>
    </div>
  );
}
