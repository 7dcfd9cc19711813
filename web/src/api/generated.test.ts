import { execFileSync } from "node:child_process";
import { test } from "vitest";

// It prints which files are stale, and fails.
test("the types are those of the documents in api/", () => {
  execFileSync("node", ["scripts/types.mjs", "--check"], { stdio: ["ignore", "inherit", "inherit"] });
}, 60_000);
