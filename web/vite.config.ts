import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

// `VENUE=http://127.0.0.1:8080 npm run dev` serves the page with the API of a running venue behind it.
const venue = process.env.VENUE ?? "http://127.0.0.1:8080";
const proxy = { target: venue, changeOrigin: true, ws: true, rewriteWsOrigin: true };

export default defineConfig({
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false })],
  // No inlined data: the policy of the page allows files of the venue only.
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // One file for all that the first load needs: small ones that it shares with later files compress badly.
        codeSplitting: {
          groups: [
            {
              debugName: "first load",
              name: (id, chunking) => (isFirst(id, (module) => chunking.getModuleInfo(module)) ? "index" : null),
            },
          ],
        },
      },
    },
  },
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

/** Whether the entry reaches a module by imports that are not `import()`. */
function isFirst(
  id: string,
  infoOf: (id: string) => { isEntry: boolean; importers: readonly string[] } | null,
  seen = new Set<string>(),
): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  const info = infoOf(id);
  return info !== null && (info.isEntry || info.importers.some((importer) => isFirst(importer, infoOf, seen)));
}
