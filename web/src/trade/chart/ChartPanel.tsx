import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { format } from "../../numbers/decimal";
import { bookFreshness } from "../../stores/book";
import { candles, chooseInterval, INTERVALS, interval, loadOlder } from "../../stores/candles";
import { averagePrice, fills } from "../../stores/fills";
import { market } from "../../stores/markets";
import { ordersOfChosen } from "../../stores/orders";
import { isFlag, recordOf, stored } from "../../stores/stored";
import { prefill } from "../../stores/ticketDraft";
import type { Candle, Order } from "../../stores/types";
import { Button } from "../../ui/Button";
import { colours } from "../../ui/colours";
import { later } from "../../ui/Later";
import { Panel } from "../../ui/Panel";
import { areFramesLate } from "../canvas/loop";
import { linkedLists } from "../dock/linked";
import { amendAsking } from "../ticket/send";
import { CandleTable } from "./CandleTable";
import { LENGTH_MS } from "./intervals";
import { orderLines } from "./lines";
import { fillMarks } from "./marks";
import type { Indicator, PriceChart } from "./PriceChart";
import "./chart.css";

const OrderAmends = later("The list of orders", async () => (await import("./OrderAmends")).OrderAmends);

/** A redraw of the chart costs as much as thousands of book changes: all trades between two are drawn at once. */
const DRAW_EVERY_MS = 250;
const DRAW_LATE_EVERY_MS = 1_000;
const READ_EVERY_MS = 2_000;
const READ_CANDLES = 10;

const INDICATOR_TEXTS: Readonly<Record<Indicator, string>> = { sma: "SMA", ema: "EMA", vwap: "VWAP" };
const INDICATOR_TITLES: Readonly<Record<Indicator, string>> = {
  sma: "Simple moving average of 20 candles",
  ema: "Exponential moving average of 20 candles",
  vwap: "Volume-weighted average price since 00:00 UTC",
};
const wantedIndicators = stored<Record<string, boolean>>("indicators", {}, recordOf(isFlag));

export function ChartPanel() {
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<PriceChart | null>(null);
  const failure = useSignal<string | null>(null);
  const isListShown = useSignal(false);
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    let end = () => {};
    let isOver = false;
    import("./PriceChart").then(
      ({ PriceChart }) => {
        if (isOver) return;
        const made = new PriceChart(element, colours.peek(), {
          priceChosen: choosePrice,
          orderMoved: amendPrice,
          olderWanted: () => void loadOlder(),
        });
        chart.current = made;
        end = follow(made);
      },
      (error: Error) => {
        failure.value = `The chart could not be loaded: ${error.message}`;
      },
    );
    return () => {
      isOver = true;
      end();
      chart.current?.remove();
      chart.current = null;
    };
  }, [failure]);
  const count = ordersOfChosen.value.length;
  return (
    <Panel
      title="Chart"
      testId="chart"
      class="chart"
      freshness={bookFreshness.value}
      tools={
        <>
          <fieldset class="chart-choices">
            <legend class="hidden-text">Length of a candle</legend>
            {INTERVALS.map((name) => (
              <Button key={name} look="plain" pressed={interval.value === name} onClick={() => chooseInterval(name)}>
                {name}
              </Button>
            ))}
          </fieldset>
          <fieldset class="chart-choices">
            <legend class="hidden-text">Averages</legend>
            {(Object.keys(INDICATOR_TEXTS) as Indicator[]).map((name) => (
              <Button
                key={name}
                look="plain"
                title={INDICATOR_TITLES[name]}
                pressed={wantedIndicators.value[name] === true}
                onClick={() => {
                  const wanted = wantedIndicators.value;
                  wantedIndicators.value = { ...wanted, [name]: wanted[name] !== true };
                }}
              >
                {INDICATOR_TEXTS[name]}
              </Button>
            ))}
          </fieldset>
          <Button
            look="plain"
            title="Amend prices of own orders without dragging"
            pressed={isListShown.value}
            onClick={() => {
              isListShown.value = !isListShown.value;
            }}
          >
            Orders{count > 0 && ` ${count}`}
          </Button>
          <Button
            look="plain"
            label="Latest"
            title="Back to the newest candle"
            onClick={() => chart.current?.showLatest()}
          >
            ⇥
          </Button>
        </>
      }
    >
      {failure.value && (
        <p class="table-empty bad" role="alert">
          {failure.value}
        </p>
      )}
      {/* Its lines and candles are in the two lists beside it. */}
      <div ref={container} class="chart-canvas" aria-hidden="true" />
      <span class="chart-utc">UTC</span>
      {isListShown.value && market.value && (
        <div class="chart-list">
          <OrderAmends market={market.value} orders={ordersOfChosen.value} onAmend={amendPrice} />
        </div>
      )}
      <NewestCandles />
    </Panel>
  );
}

/** Prices of orders that are on their way to another one, by key. */
const asked = new Map<string, bigint>();
const redraws = new Set<() => void>();

function choosePrice(price: bigint): void {
  const of = market.peek();
  if (of) prefill({ price: format(price, of.price.decimals) });
}

async function amendPrice(order: Order, price: bigint): Promise<void> {
  asked.set(order.key, price);
  for (const redraw of redraws) redraw();
  try {
    // A refusal is in the messages; the line is back where the venue has the order.
    await amendAsking(order, { price });
  } finally {
    asked.delete(order.key);
    for (const redraw of redraws) redraw();
  }
}

/** Draws what the stores have, until the returned function is called. */
function follow(chart: PriceChart): () => void {
  let drawn = { version: -1, key: "", atMs: 0 };
  const shownKey = () => `${market.peek()?.symbol} ${interval.peek()}`;
  const drawCandles = () => {
    const of = market.peek();
    const key = shownKey();
    if (!of || document.hidden || (candles.version === drawn.version && key === drawn.key)) return;
    const isOther = key !== drawn.key;
    const nowMs = performance.now();
    if (!isOther && areFramesLate() && nowMs - drawn.atMs < DRAW_LATE_EVERY_MS) return;
    drawn = { version: candles.version, key, atMs: nowMs };
    chart.setCandles(candles.list, key, LENGTH_MS[interval.peek()] < LENGTH_MS["1m"]);
    if (isOther) drawMarks();
  };
  const drawLines = () => {
    const of = market.value;
    if (of) chart.setLines(orderLines(ordersOfChosen.value, linkedLists.value, of, asked));
  };
  const drawMarks = () => {
    const of = market.value;
    if (!of) return;
    const lengthMs = LENGTH_MS[interval.value];
    chart.setMarks(fillMarks(fills.value, of.symbol, lengthMs, candles.list[0]?.openMs ?? 0));
    chart.setAverage(averagePrice(of.symbol));
  };
  const ends = [
    effect(() => {
      if (market.value) chart.setMarket(market.value);
      drawCandles();
    }),
    effect(() => chart.setColours(colours.value)),
    effect(() => {
      const names = Object.keys(INDICATOR_TEXTS) as Indicator[];
      chart.setIndicators(new Set(names.filter((name) => wantedIndicators.value[name] === true)));
    }),
    effect(() => {
      void colours.value;
      drawLines();
    }),
    effect(() => {
      void colours.value;
      drawMarks();
    }),
  ];
  redraws.add(drawLines);
  const timer = setInterval(drawCandles, DRAW_EVERY_MS);
  return () => {
    clearInterval(timer);
    redraws.delete(drawLines);
    for (const end of ends) end();
  };
}

/** Changes seldom, so that a screen reader can finish a row. */
function NewestCandles() {
  const newest = useSignal<readonly Candle[]>([]);
  useEffect(() => {
    let version = -1;
    const read = () => {
      if (candles.version === version || document.hidden) return;
      version = candles.version;
      newest.value = candles.list.slice(-READ_CANDLES);
    };
    read();
    const timer = setInterval(read, READ_EVERY_MS);
    return () => clearInterval(timer);
  }, [newest]);
  return market.value && <CandleTable market={market.value} interval={interval.value} candles={newest.value} />;
}
