// api/*.json are the documents of the binary: people and programs read them without starting a venue.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "../fixture/test";

const DOCUMENTS = { "openapi.json": "/openapi.json", "admin-openapi.json": "/admin/v1/openapi.json" };

test("the documents in api/ are those of the binary", async ({ venue }) => {
  for (const [name, path] of Object.entries(DOCUMENTS)) {
    const file = fileURLToPath(new URL(`../../../api/${name}`, import.meta.url));
    const text = `${JSON.stringify(await venue.get(path), null, 1)}\n`;
    if (process.env.UPDATE_DOCUMENTS) writeFileSync(file, text);
    expect(readFileSync(file, "utf8") === text, `${name} is not what the binary prints: run make web-api`).toBe(true);
  }
});
