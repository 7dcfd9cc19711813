import { expect, it } from "vitest";
import { bestOf } from "./match";

const ALL = [
  "BTCUSDT",
  "ETHUSDT",
  "ETHBTC",
  "Cancel all my orders",
  "Cancel my buys here",
  "Theme",
  "Order type: Limit",
];
const find = (query: string) => bestOf(query, ALL, (text) => text, 3);

it("finds words in any order, their beginnings first", () => {
  expect(find("cancel buys")[0]).toBe("Cancel my buys here");
  expect(find("all cancel")[0]).toBe("Cancel all my orders");
  expect(find("btc").slice(0, 2)).toEqual(["BTCUSDT", "ETHBTC"]);
  expect(find("lim")[0]).toBe("Order type: Limit");
});

it("finds scattered letters in their order", () => {
  expect(find("bust")).toEqual(["BTCUSDT"]);
  expect(find("thm")[0]).toBe("Theme");
  expect(find("the")).toEqual(["Theme"]);
});

it("finds nothing for what is not there, and all for nothing", () => {
  expect(find("xyz")).toEqual([]);
  expect(bestOf("", ALL, (text) => text, 99)).toEqual(ALL);
});
