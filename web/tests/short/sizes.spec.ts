// What the page weighs as browsers get it: compressed by brotli.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "../fixture/test";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const FIRST_LOAD_MAX = 120_000;
const ALL_MAX = 260_000;

test("the first load of the trade page and all pages are small", async ({ page, market }) => {
  const loaded: string[] = [];
  page.on("response", (response) => loaded.push(new URL(response.url()).pathname));
  await page.goto(market.url);
  await expect(page.getByTestId("ladder")).toBeVisible();
  const files = loaded.map((path) => (path === "/" ? "index.html" : path.slice(1))).filter(isBuilt);
  const firstLoad = sum(files.map(brotli));
  const all = sum((readdirSync(DIST, { recursive: true }) as string[]).filter(isBuilt).map(brotli));
  console.log(`first load ${firstLoad} bytes of ${files.length} files, all ${all} bytes`);
  expect(files).toContain("index.html");
  expect(files.some((name) => name.endsWith(".js"))).toBe(true);
  expect(firstLoad).toBeLessThanOrEqual(FIRST_LOAD_MAX);
  expect(all).toBeLessThanOrEqual(ALL_MAX);
});

test("the venue sends what was built, compressed, and lets browsers keep it", async ({ venue }) => {
  const script = (readdirSync(join(DIST, "assets")) as string[]).find((name) => name.endsWith(".js")) ?? "";
  const first = await fetch(`${venue.url}/assets/${script}`, { headers: { "Accept-Encoding": "br" } });
  expect(first.headers.get("content-encoding")).toBe("br");
  expect(first.headers.get("cache-control")).toContain("immutable");
  expect(await first.text()).toBe(readFileSync(join(DIST, "assets", script), "utf8"));
  const index = await fetch(venue.url);
  expect(index.headers.get("cache-control")).toBe("no-cache");
});

function isBuilt(name: string): boolean {
  return statSync(join(DIST, `${name}.br`), { throwIfNoEntry: false })?.isFile() ?? false;
}

function brotli(name: string): number {
  return statSync(join(DIST, `${name}.br`)).size;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all + size, 0);
}
