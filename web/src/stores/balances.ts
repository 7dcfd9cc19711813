import { signal } from "@preact/signals";
import { units } from "../numbers/decimal";
import { markets } from "./markets";
import type { Balance } from "./types";

const DECIMALS = 8;

/** By asset. */
export const balances = signal<ReadonlyMap<string, Balance>>(new Map());

/** All balances of the account. */
export function balancesRead(rows: readonly { asset: string; free: string; locked: string }[]): void {
  balances.value = new Map(rows.map((row) => [row.asset, balanceOf(row.asset, row.free, row.locked)]));
}

/** Those that changed. */
export function balancesChanged(rows: readonly { a: string; f: string; l: string }[]): void {
  const next = new Map(balances.peek());
  for (const { a, f, l } of rows) next.set(a, balanceOf(a, f, l));
  balances.value = next;
}

export function clearBalances(): void {
  balances.value = new Map();
}

function balanceOf(asset: string, free: string, locked: string): Balance {
  const decimals = decimalsOf(asset);
  return { asset, decimals, free: units(free, decimals), locked: units(locked, decimals) };
}

function decimalsOf(asset: string): number {
  for (const market of markets.peek().values()) {
    if (market.base === asset) return market.baseDecimals;
    if (market.quote === asset) return market.quoteDecimals;
  }
  return DECIMALS;
}
