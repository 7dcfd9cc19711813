import { defineConfig } from "@playwright/test";
import { chromium, FLAGS, VIEWPORT } from "./tests/fixture/chromium";

export default defineConfig({
  outputDir: "test-results",
  // Each test has a venue of its own, and mostly waits.
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    actionTimeout: 20_000,
    viewport: VIEWPORT,
    timezoneId: "UTC",
    locale: "en-GB",
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: chromium(),
      args: FLAGS,
    },
  },
  projects: [
    { name: "short", testDir: "tests/short" },
    { name: "long", testDir: "tests/long", timeout: 300_000 },
    // Times are measured: one test at a time, on a browser that nothing else uses.
    { name: "load", testDir: "tests/load", timeout: 3_600_000, workers: 1 },
  ],
});
