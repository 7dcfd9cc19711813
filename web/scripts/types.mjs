// Writes src/api/*.gen.ts: the types of what the venue sends, from api/*.json and api/asyncapi.yaml. With --check it
// writes nothing, and fails where a file is not what it would write.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import openapiTS, { astToString } from "openapi-typescript";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path) => readFileSync(at(path), "utf8");
const made = {
  "src/api/trading.gen.ts": await openapiTypes("../api/openapi.json"),
  "src/api/streams.gen.ts": streamTypes("../api/asyncapi.yaml"),
};
const stale = Object.keys(made).filter((path) => !existsSync(at(path)) || read(path) !== made[path]);
if (!process.argv.includes("--check")) for (const path of stale) writeFileSync(at(path), made[path]);
else if (stale.length > 0) {
  console.error(`${stale.join(", ")}: not what the documents in api/ say; run make web-api`);
  process.exit(1);
}

async function openapiTypes(path) {
  return head(path) + astToString(await openapiTS(read(path)));
}

/** One type for each message. A field that the document requires and does not describe is `unknown`. */
function streamTypes(path) {
  const { messages } = load(read(path)).components;
  const types = Object.entries(messages).map(
    ([name, { summary, payload }]) => `/** ${summary} */\nexport type ${typeName(name)} = ${typeOf(payload)};\n`,
  );
  return `${head(path)}\n${types.join("\n")}`;
}

function typeOf({ $ref, const: only, enum: some, type, required = [], properties = {}, items, anyOf, oneOf }) {
  if ($ref !== undefined) return typeName($ref.split("/").at(-2));
  if (only !== undefined) return JSON.stringify(only);
  if (some !== undefined) return some.map((value) => JSON.stringify(value)).join(" | ");
  const forms = anyOf ?? oneOf;
  if (forms !== undefined) return forms.map(typeOf).join(" | ");
  if (Array.isArray(type)) return type.map((one) => typeOf({ type: one, required, properties, items })).join(" | ");
  if (type === "array") return `readonly (${items === undefined ? "unknown" : typeOf(items)})[]`;
  if (type !== "object")
    return (
      { integer: "number", number: "number", string: "string", boolean: "boolean", null: "null" }[type] ?? "unknown"
    );
  const names = [...new Set([...required, ...Object.keys(properties)])];
  const fields = names.map((name) => {
    const { description } = properties[name] ?? {};
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const words = description === undefined ? "" : `  /** ${description} */\n`;
    return `${words}  readonly ${key}${required.includes(name) ? "" : "?"}: ${typeOf(properties[name] ?? {})};\n`;
  });
  return fields.length === 0 ? "Readonly<Record<string, unknown>>" : `{\n${fields.join("")}}`;
}

/** `24hrTicker` as `Ticker24hr`, `executionReport` as `ExecutionReport`. */
function typeName(name) {
  const [, number = "", rest = ""] = /^(\d+\w*?(?=[A-Z]))?(.*)$/.exec(name) ?? [];
  return rest.charAt(0).toUpperCase() + rest.slice(1) + number;
}

function head(path) {
  return `// Made from ${path.replace("../", "")} by scripts/types.mjs (make web-api).\n`;
}
