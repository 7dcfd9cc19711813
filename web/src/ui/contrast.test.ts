// The colours of theme.css, computed: contrast by WCAG 2.2, colour deficiencies by Machado, Oliveira and Fernandes (2009).
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Rgb = readonly [number, number, number];
type Tokens = ReadonlyMap<string, Rgb>;

const css = readFileSync(new URL("./theme.css", import.meta.url), "utf8");
const dark = tokensOf(":root");
const light = new Map([...dark, ...tokensOf(':root[data-theme="light"]')]);
const THEMES: readonly (readonly [string, Tokens])[] = [
  ["dark", dark],
  ["light", light],
  ["dark green-red", new Map([...dark, ...tokensOf(':root[data-palette="green-red"]')])],
  ["dark red-green", new Map([...dark, ...tokensOf(':root[data-palette="red-green"]')])],
  ["light green-red", new Map([...light, ...tokensOf(':root[data-theme="light"][data-palette="green-red"]')])],
  ["light red-green", new Map([...light, ...tokensOf(':root[data-theme="light"][data-palette="red-green"]')])],
];

// Of full severity, in linear light.
const DEFICIENCIES: Readonly<Record<string, readonly Rgb[]>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

test("text has a contrast of 4.5 to 1 on every ground, edges and the focus 3 to 1", () => {
  for (const [name, tokens] of THEMES) {
    for (const ground of ["bg", "panel", "raised", "field"]) {
      for (const text of ["text", "dim", "accent", "up", "down", "good", "warn", "bad"]) {
        expect(contrast(tokens, text, ground), `${name}: ${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
      for (const graphic of ["edge", "focus"]) {
        expect(contrast(tokens, graphic, ground), `${name}: ${graphic} on ${ground}`).toBeGreaterThanOrEqual(3);
      }
    }
    for (const [text, ground] of [
      ["on-side", "up"],
      ["on-side", "down"],
      ["on-accent", "accent"],
    ] as const) {
      expect(contrast(tokens, text, ground), `${name}: ${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});

test("up and down of the default palette differ for those who see colours otherwise", () => {
  for (const [name, tokens] of THEMES.slice(0, 2)) {
    const [up, down] = [colour(tokens, "up"), colour(tokens, "down")];
    expect(distance(up, down), name).toBeGreaterThan(40);
    for (const [deficiency, matrix] of Object.entries(DEFICIENCIES)) {
      expect(distance(seen(up, matrix), seen(down, matrix)), `${name}, ${deficiency}`).toBeGreaterThan(30);
    }
  }
});

function tokensOf(selector: string): Map<string, Rgb> {
  const block = css.split(`${selector} {`)[1]?.split("}")[0] ?? "";
  const found = [...block.matchAll(/--([a-z-]+): #([0-9a-f]{6});/g)];
  expect(found.length, selector).toBeGreaterThan(1);
  const channel = (hex: string, at: number) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return new Map(found.map(([, name = "", hex = ""]) => [name, [channel(hex, 0), channel(hex, 2), channel(hex, 4)]]));
}

/** In linear light. */
function colour(tokens: Tokens, name: string): Rgb {
  const found = tokens.get(name);
  if (!found) throw new Error(`no --${name}`);
  return found;
}

function contrast(tokens: Tokens, text: string, ground: string): number {
  const [first, second] = [luminance(colour(tokens, text)), luminance(colour(tokens, ground))];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function seen([r, g, b]: Rgb, matrix: readonly Rgb[]): Rgb {
  const row = ([x, y, z]: Rgb) => Math.min(1, Math.max(0, x * r + y * g + z * b));
  const [first, second, third] = matrix.map(row);
  return [first ?? 0, second ?? 0, third ?? 0];
}

/** In CIELAB: 2.3 is just noticed. */
function distance(left: Rgb, right: Rgb): number {
  const [first, second] = [lab(left), lab(right)];
  return Math.hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}

function lab([r, g, b]: Rgb): Rgb {
  const f = (t: number) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(luminance([r, g, b]));
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
