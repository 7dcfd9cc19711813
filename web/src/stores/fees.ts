import { signal } from "@preact/signals";

/** The account's rates as decimals, such as `0.00100000`; `null` while nobody is signed in. */
export const fees = signal<{ readonly maker: string; readonly taker: string } | null>(null);
