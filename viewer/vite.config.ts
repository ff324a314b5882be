import { defineConfig } from "vite";

// Names without hashes: the build output is committed, and the server marks files by their content.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: {
      input: { app: "index.html", launch: "launch.html" },
      output: { entryFileNames: "[name].js", chunkFileNames: "shared.js", assetFileNames: "[name][extname]" },
    },
  },
  worker: {
    format: "es",
    rollupOptions: { output: { entryFileNames: "[name].js" } },
  },
});
