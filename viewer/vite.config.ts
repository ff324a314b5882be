import { defineConfig } from "vite";

// Names without hashes: the build output is committed, and the server identifies files by their content. Each page is one
// script: an exported page contains the script of the views.
export default defineConfig(({ mode }) => ({
  base: "./",
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    emptyOutDir: mode !== "launch",
    rollupOptions: {
      input: mode === "launch" ? "launch.html" : "index.html",
      output: { codeSplitting: false, entryFileNames: mode === "launch" ? "launch.js" : "app.js", assetFileNames: "[name][extname]" },
    },
  },
  worker: {
    format: "es",
    rollupOptions: { output: { entryFileNames: "[name].js" } },
  },
}));
