// Rows of the list of instruments.
import type { Market, Ticker } from "../../stores/types";
import { type Sort, type SortKey, sorted } from "../dock/sorting";

export interface Row {
  readonly market: Market;
  readonly ticker: Ticker | null;
  readonly isFavourite: boolean;
  /** Of 24 hours, in hundredths of a percent; `null` without a trade in them. */
  readonly change: number | null;
}

export function rowsOf(
  markets: ReadonlyMap<string, Market>,
  tickers: ReadonlyMap<string, Ticker>,
  favourites: Readonly<Record<string, boolean>>,
): Row[] {
  return [...markets.values()].map((market) => {
    const ticker = tickers.get(market.symbol) ?? null;
    return { market, ticker, isFavourite: favourites[market.symbol] === true, change: ticker && change(ticker) };
  });
}

export function change({ open, last }: Ticker): number | null {
  return open > 0n && last > 0n ? Number(((last - open) * 10_000n) / open) : null;
}

/** `+1.25 %`: the sign always, since colour alone says it to few. */
export function changeText(hundredths: number | null): string {
  if (hundredths === null) return "–";
  const sign = hundredths > 0 ? "+" : hundredths < 0 ? "−" : "";
  return `${sign}${(Math.abs(hundredths) / 100).toFixed(2)} %`;
}

/** Favourites come first, whatever the column. */
export function sortRows(rows: readonly Row[], sort: Sort | null, trend: (row: Row) => number = () => 0): Row[] {
  const key = sort?.column === "spark" ? trend : keyOf(sort?.column ?? "");
  const bySort = sort ? sorted(rows, key, sort.isDescending) : [...rows];
  return bySort.sort((a, b) => Number(b.isFavourite) - Number(a.isFavourite));
}

function keyOf(column: string): (row: Row) => SortKey {
  switch (column) {
    case "last":
      return ({ market, ticker }) => ticker && Number(ticker.last) / 10 ** market.price.decimals;
    case "change":
      return (row) => row.change;
    case "volume":
      return ({ market, ticker }) => ticker && Number(ticker.quoteVolume) / 10 ** market.quoteDecimals;
    case "phase":
      return ({ market }) => market.phase;
    default:
      return ({ market }) => market.symbol;
  }
}

/** `1.25M`: volumes are compared by size, not to the last digit. */
export function compact(value: number, digits = 3): string {
  for (const [size, letter] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const) {
    if (value >= size) return `${(value / size).toPrecision(Math.max(digits, wholeDigits(value / size)))}${letter}`;
  }
  return value === 0 ? "0" : value.toPrecision(Math.max(digits, wholeDigits(value)));
}

/** Fewer would be written as a power of ten. */
const wholeDigits = (value: number) => Math.floor(Math.log10(Math.max(value, 1))) + 1;
