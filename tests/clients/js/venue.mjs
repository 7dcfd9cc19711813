// The venue that a script trades on, as pytest started it: its addresses, its accounts' keys, and the order book that
// a reader of its depth stream keeps.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export const HTTP = process.env.BUTTONWOOD_URL;
export const WS = HTTP.replace("http", "ws");
export const SYMBOL = "BTCUSDT";
const DEADLINE_MS = 30_000;

const { accounts } = JSON.parse(readFileSync(process.env.BUTTONWOOD_KEYS, "utf8"));
export const [alice, bob] = ["alice", "bob"].map((name) => {
  const account = accounts.find((account) => account.name === name);
  return { key: account.api_key, secret: account.secret_key };
});

/** Waits until `isTrue`. */
export async function until(isTrue, what) {
  for (const end = Date.now() + DEADLINE_MS; !(await isTrue()); await sleep(20)) {
    assert(Date.now() < end, `waited in vain until ${what}`);
  }
}

/** What an execution report of the user data stream tells, in short: `BUY LIMIT NEW`. */
export function told(event) {
  const report = event.event ?? event;
  return report.e === "executionReport" ? [`${report.S} ${report.o} ${report.x}`] : [];
}

/** A book kept by the steps that Binance documents: events since before a snapshot, and then one after the other. */
export class Book {
  early = [];
  sides = null;
  lastUpdateId = 0;

  /** Takes a `depthUpdate`, as it came. */
  apply(event) {
    if (this.sides === null) this.early.push(event);
    else this.#change(event);
  }

  /** Starts from `GET /api/v3/depth`. */
  start(snapshot) {
    this.sides = { bids: new Map(snapshot.bids), asks: new Map(snapshot.asks) };
    this.lastUpdateId = snapshot.lastUpdateId;
    this.early.forEach((event) => this.#change(event));
  }

  #change({ U, u, b, a }) {
    if (u <= this.lastUpdateId) return;
    assert(U <= this.lastUpdateId + 1, `updates after ${this.lastUpdateId} and before ${U} are missing`);
    for (const [side, levels] of [["bids", b], ["asks", a]]) {
      for (const [price, qty] of levels) {
        if (Number(qty) === 0) this.sides[side].delete(price);
        else this.sides[side].set(price, qty);
      }
    }
    this.lastUpdateId = u;
  }

  /** Waits until it has come as far as `snapshot`, and must then be the same. */
  async equals(snapshot) {
    await until(() => this.lastUpdateId >= snapshot.lastUpdateId, "the book is as new as the snapshot");
    for (const side of ["bids", "asks"]) {
      const sorted = (levels) => [...levels].sort(([price], [other]) => price - other);
      assert.deepEqual(sorted(this.sides[side]), sorted(snapshot[side]));
    }
  }
}
