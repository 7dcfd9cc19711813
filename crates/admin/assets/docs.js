// Signs each request as the venue wants it: six lines, in three headers.
const text = (id) => document.getElementById(id).value.trim();

const bytes = (string) => new TextEncoder().encode(string);
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function hmac(secret, payload) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(secret), algorithm, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", key, bytes(payload)));
}

async function signed(request) {
  const url = new URL(request.url, location.href);
  if (url.pathname.endsWith("/openapi.json")) return request;
  // Browsers keep WebCrypto from pages that came unencrypted from another machine.
  if (!crypto.subtle) throw new Error("signing needs https, or a venue on this machine");
  const body = hex(await crypto.subtle.digest("SHA-256", bytes(request.body ?? "")));
  const [timestamp, nonce] = [String(Date.now()), crypto.randomUUID()];
  const lines = [request.method.toUpperCase(), url.pathname, url.search.slice(1), body, timestamp, nonce];
  Object.assign(request.headers, {
    "X-MBX-APIKEY": text("api-key"),
    "X-BW-TIMESTAMP": timestamp,
    "X-BW-NONCE": nonce,
    "X-BW-SIGNATURE": await hmac(text("secret-key"), lines.join("\n")),
  });
  request.url = String(url);
  return request;
}

document.getElementById("key").addEventListener("submit", (event) => event.preventDefault());
SwaggerUIBundle({
  url: "/admin/v1/openapi.json",
  dom_id: "#docs",
  presets: [SwaggerUIBundle.presets.apis],
  requestInterceptor: signed,
});
