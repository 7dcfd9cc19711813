import { expect, test } from "vitest";
import { countdown } from "./phases";

test("what is left is never less than a part of a second", () => {
  expect([0, -5, 1, 59_000, 61_000, 3_661_000, 100_000_000].map(countdown)).toEqual([
    "0:00",
    "0:00",
    "0:01",
    "0:59",
    "1:01",
    "1:01:01",
    "1 d 3 h",
  ]);
});
