import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

// `VENUE=http://127.0.0.1:8080 npm run dev` serves the page with the API of a running venue behind it.
const venue = process.env.VENUE ?? "http://127.0.0.1:8080";
const proxy = { target: venue, changeOrigin: true, ws: true, rewriteWsOrigin: true };

export default defineConfig({
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false })],
  // No inlined data: the policy of the page allows files of the venue only.
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
  server: {
    proxy: {
      "/api": proxy,
      "/web/v1": process.env.WEB ? { target: process.env.WEB } : proxy,
      "/admin": proxy,
      "/ws": proxy,
      "/stream": proxy,
      "/ws-api": proxy,
      "/openapi.json": proxy,
    },
  },
});
