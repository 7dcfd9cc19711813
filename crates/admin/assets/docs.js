// Signs each request as the venue wants it: time and signature in the query string.
const text = (id) => document.getElementById(id).value.trim();

async function hmac(secret, payload) {
  const bytes = (string) => new TextEncoder().encode(string);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(secret), algorithm, false, ["sign"]);
  const digest = await crypto.subtle.sign("HMAC", key, bytes(payload));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function signed(request) {
  const url = new URL(request.url, location.href);
  if (url.pathname.endsWith("/openapi.json")) return request;
  // Browsers keep WebCrypto from pages that came unencrypted from another machine.
  if (!crypto.subtle) throw new Error("signing needs https, or a venue on this machine");
  url.search = `timestamp=${Date.now()}`;
  const signature = await hmac(text("secret-key"), url.search.slice(1) + (request.body ?? ""));
  request.url = `${url}&signature=${signature}`;
  request.headers["X-MBX-APIKEY"] = text("api-key");
  return request;
}

document.getElementById("key").addEventListener("submit", (event) => event.preventDefault());
SwaggerUIBundle({
  url: "/admin/v1/openapi.json",
  dom_id: "#docs",
  presets: [SwaggerUIBundle.presets.apis],
  requestInterceptor: signed,
});
