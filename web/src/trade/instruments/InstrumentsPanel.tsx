import { computed, effect, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { toNumber } from "../../numbers/decimal";
import { bookFreshness } from "../../stores/book";
import { chosen, markets, tickers } from "../../stores/markets";
import { favourites } from "../../stores/settings";
import { colours } from "../../ui/colours";
import { Panel } from "../../ui/Panel";
import { type Column, VirtualTable } from "../../ui/VirtualTable";
import { PHASES } from "../auction/phases";
import { Amount } from "../dock/Amount";
import { nextSort, type Sort } from "../dock/sorting";
import { rowHeight, useWidth } from "../dock/useWidth";
import { PriceHistory } from "./priceHistory";
import { changeText, compact, type Row, rowsOf, sortRows } from "./rows";
import { drawSparks, type Spark } from "./sparks";
import "./instruments.css";

const DRAW_EVERY_MS = 1_000;

const search = signal("");
const sort = signal<Sort | null>(null);
const priceHistory = new PriceHistory();

const isFavouritesOnly = signal(false);

const rows = computed(() => {
  const word = search.value.trim().toUpperCase();
  const every = rowsOf(markets.value, tickers.value, favourites.value);
  const all = isFavouritesOnly.value ? every.filter(({ isFavourite }) => isFavourite) : every;
  const fits = ({ market: { symbol, base, quote } }: Row) => symbol.includes(word) || `${base}/${quote}`.includes(word);
  return sortRows(word === "" ? all : all.filter(fits), sort.value, trend);
});

/** Below this width of the panel, in pixels, a row has two lines. */
const ONE_LINE_FROM = 420;
const TWO_LINES = 40;

/** How far a price went while the page was open. */
function trend({ market }: Row): number {
  const points = priceHistory.of(market.symbol);
  const first = points[0] ?? 1;
  return ((points.at(-1) ?? first) - first) / first;
}

interface WideColumn extends Column<Row> {
  /** Only where the panel has this width at least, in pixels. */
  readonly from: number;
}

const LAST = { id: "last", title: "Last", isNumber: true };

const columns: readonly WideColumn[] = [
  { id: "favourite", title: "★", width: "var(--instruments-star)", from: 0, cell: (row) => <Star row={row} /> },
  { id: "symbol", title: "Market", width: "minmax(72px, 1.2fr)", from: 0, cell: (row) => <Name row={row} /> },
  {
    ...LAST,
    width: "minmax(70px, 1fr)",
    from: 0,
    cell: (row) => <Last row={row} />,
  },
  {
    id: "change",
    title: "24 h",
    width: "62px",
    from: 0,
    isNumber: true,
    cell: (row) => <Change row={row} />,
  },
  {
    id: "volume",
    title: "Volume",
    width: "56px",
    from: 330,
    isNumber: true,
    cell: (row) => <Volume row={row} />,
  },
  {
    id: "phase",
    title: "Phase",
    width: "minmax(72px, 0.8fr)",
    from: 480,
    cell: ({ market }) => PHASES[market.phase].title,
  },
  {
    id: "spark",
    title: "Trend",
    width: "minmax(40px, 64px)",
    isNumber: true,
    from: 280,
    cell: ({ market }) => <span class="instruments-spark" data-spark={market.symbol} />,
  },
];

const narrowColumns: readonly Column<Row>[] = [
  { id: "favourite", title: "★", width: "var(--instruments-star)", cell: (row) => <Star row={row} /> },
  {
    id: "symbol",
    title: "Market",
    width: "minmax(62px, 1.1fr)",
    cell: (row) => (
      <>
        <Name row={row} isShort />
        <span class="instruments-second">
          <Second row={row} />
        </span>
      </>
    ),
  },
  {
    id: "spark",
    title: "Trend",
    width: "var(--instruments-trend)",
    isNumber: true,
    cell: ({ market }) => <span class="instruments-spark" data-spark={market.symbol} />,
  },
  {
    ...LAST,
    width: "minmax(60px, 1fr)",
    cell: (row) => (
      <>
        <Last row={row} />
        <span class="instruments-second">
          <Change row={row} />
        </span>
      </>
    ),
  },
];

export function InstrumentsPanel() {
  const [element, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const isNarrow = width < ONE_LINE_FROM;
  const visible = useMemo(
    () => (isNarrow ? narrowColumns : columns.filter(({ from }) => from <= width)),
    [width, isNarrow],
  );
  const height = isNarrow ? Math.max(TWO_LINES, rowHeight()) : rowHeight();
  useEffect(() => keepHistory(), []);
  useEffect(() => {
    const draw = () => {
      if (element.current && canvas.current && !document.hidden) drawVisible(element.current, canvas.current);
    };
    const inFrame = () => requestAnimationFrame(draw);
    const timer = setInterval(inFrame, DRAW_EVERY_MS);
    const end = effect(() => {
      void [rows.value, colours.value];
      inFrame();
    });
    // Scrolling does not bubble.
    const scrolled = element.current;
    scrolled?.addEventListener("scroll", inFrame, { capture: true, passive: true });
    return () => {
      clearInterval(timer);
      end();
      scrolled?.removeEventListener("scroll", inFrame, { capture: true });
    };
  }, [element]);
  return (
    <Panel
      title="Markets"
      class="instruments"
      testId="instruments"
      freshness={bookFreshness.value === "stale" ? "stale" : "live"}
      tools={
        <input
          class="field instruments-search"
          type="search"
          placeholder="Search"
          aria-label="Search markets"
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            const first = rows.value[0];
            if (event.key === "Enter" && first) chosen.value = first.market.symbol;
            else if (event.key === "Escape" && search.value !== "") search.value = "";
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move from the focused row to its neighbours. */}
      <div ref={element} class="instruments-table" data-narrow={isNarrow} onKeyDown={(event) => move(event, height)}>
        <VirtualTable
          label="Markets"
          columns={visible}
          rows={rows.value}
          rowKey={keyOf}
          rowHeight={height}
          empty={emptyText()}
          onRow={choose}
          rowClass={classOf}
          onSort={sortBy}
          {...(sort.value && { sort: sort.value })}
        />
        <canvas ref={canvas} class="instruments-canvas" />
      </div>
    </Panel>
  );
}

function emptyText(): string {
  if (markets.value.size === 0) return "Waiting for the venue's markets.";
  if (search.value.trim() !== "") return `No market is called ${search.value}.`;
  return "No favourites yet: the star of a market makes it one.";
}

const keyOf = ({ market }: Row) => market.symbol;
const classOf = ({ market }: Row) => (market.symbol === chosen.value ? "instruments-chosen" : "");
const choose = ({ market }: Row) => {
  chosen.value = market.symbol;
};
const sortBy = (column: string) => {
  if (column === "favourite") {
    isFavouritesOnly.value = !isFavouritesOnly.peek();
    return;
  }
  sort.value = nextSort(sort.peek(), column, columns.find(({ id }) => id === column)?.isNumber ?? false);
};

function Last({ row: { market, ticker } }: { row: Row }) {
  return <Amount value={ticker && ticker.last > 0n ? ticker.last : null} decimals={market.price.decimals} />;
}

function Change({ row: { change } }: { row: Row }) {
  const look = change === null || change === 0 ? "dim" : change > 0 ? "up" : "down";
  return <span class={look}>{changeText(change)}</span>;
}

function Volume({ row: { market, ticker }, digits = 3 }: { row: Row; digits?: number }) {
  return (
    <span class="dim" title={`Volume in ${market.quote}, last 24 hours`}>
      {ticker ? compact(toNumber(ticker.quoteVolume, market.quoteDecimals), digits) : "–"}
    </span>
  );
}

function Star({ row: { market, isFavourite } }: { row: Row }) {
  return (
    <button
      type="button"
      class="instruments-star"
      aria-label={`${market.symbol} is a favourite`}
      aria-pressed={isFavourite}
      title={isFavourite ? "No longer a favourite" : "Make it a favourite: those come first"}
      onClick={(event) => {
        event.stopPropagation();
        favourites.value = { ...favourites.peek(), [market.symbol]: !isFavourite };
      }}
    >
      {isFavourite ? "★" : "☆"}
    </button>
  );
}

/** What a narrow row says below the name: the phase, where it is not the usual one. */
function Second({ row }: { row: Row }) {
  const { quote, phase } = row.market;
  const { title, look } = PHASES[phase];
  if (look !== "plain") {
    return (
      <span class="instruments-phase" data-look={look} title={title}>
        {look === "auction" ? "auction" : title.toLowerCase()}
      </span>
    );
  }
  return (
    <>
      <span class="dim">{quote}</span> <Volume row={row} digits={2} />
    </>
  );
}

function Name({ row, isShort = false }: { row: Row; isShort?: boolean }) {
  const { market } = row;
  const { title, look } = PHASES[market.phase];
  return (
    <button
      type="button"
      class="instruments-name"
      data-symbol={market.symbol}
      aria-label={`${market.base}/${market.quote}`}
      aria-current={market.symbol === chosen.value}
      onClick={(event) => {
        event.stopPropagation();
        choose(row);
      }}
    >
      {market.base}
      {!isShort && <span class="dim">/{market.quote}</span>}
      {look !== "plain" && !isShort && (
        <span class="instruments-phase" data-look={look} title={title}>
          {look === "auction" ? "auction" : title.toLowerCase()}
        </span>
      )}
    </button>
  );
}

/** Up, down, Home and End choose the neighbour, the first and the last market. */
function move(event: KeyboardEvent & { currentTarget: HTMLElement }, height: number): void {
  const all = rows.peek();
  const at = all.findIndex(({ market }) => market.symbol === chosen.peek());
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
  const row = to === undefined ? undefined : all[to];
  if (to === undefined || !row) return;
  event.preventDefault();
  choose(row);
  const root = event.currentTarget;
  const scroller = root.querySelector<HTMLElement>(".table-scroll");
  if (!scroller) return;
  const top = to * height;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + height > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = top + height - scroller.clientHeight;
  requestAnimationFrame(() =>
    root.querySelector<HTMLElement>(`[data-symbol="${CSS.escape(row.market.symbol)}"]`)?.focus(),
  );
}

function keepHistory(): () => void {
  return effect(() => {
    const prices: [string, number][] = [];
    for (const [symbol, { last }] of tickers.value) if (last > 0n) prices.push([symbol, Number(last)]);
    priceHistory.take(Date.now(), prices);
  });
}

function drawVisible(element: HTMLElement, canvas: HTMLCanvasElement): void {
  const area = canvas.getBoundingClientRect();
  const scroll = element.querySelector(".table-scroll")?.getBoundingClientRect();
  const sparks: Spark[] = [];
  for (const cell of element.querySelectorAll<HTMLElement>("[data-spark]")) {
    const symbol = cell.dataset.spark ?? "";
    const { left, top, bottom, width, height } = cell.getBoundingClientRect();
    const points = priceHistory.of(symbol);
    if (points.length === 0 || !scroll || top < scroll.top - 2 || bottom > scroll.bottom + 2) continue;
    const isUp = (points.at(-1) ?? 0) >= (points[0] ?? 0);
    sparks.push({ x: left - area.left, y: top - area.top, width, height, points, isUp });
  }
  drawSparks(canvas, sparks, colours.peek());
}
