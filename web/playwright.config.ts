import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { defineConfig } from "@playwright/test";

// Times are measured: one test at a time, on a browser that nothing else uses.
export default defineConfig({
  outputDir: "test-results",
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    actionTimeout: 20_000,
    viewport: { width: 1366, height: 768 },
    timezoneId: "UTC",
    locale: "en-GB",
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: chromium(),
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
    },
  },
  projects: [
    { name: "short", testDir: "tests/short" },
    { name: "long", testDir: "tests/long", timeout: 300_000 },
    { name: "load", testDir: "tests/load", timeout: 3_600_000 },
  ],
});

/** The browser of the system: CHROMIUM names another one. */
function chromium(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const named = process.env.CHROMIUM ?? folders.map((folder) => join(folder, "chromium")).find(existsSync);
  if (named === undefined)
    throw new Error("there is no chromium in PATH: install the package chromium (Debian's name)");
  return named;
}
