import { type Plugin, defineConfig } from "vite";

/** Indentation inside templates, which no minifier touches: whitespace there means the same as one space in styles, and as a line end in elements. */
const shorterTemplates: Plugin = {
  name: "shorter-templates",
  transform: (code, id) => (id.endsWith(".ts") ? { code: code.replace(/\bcss`[^`]*`/g, (style) => style.replace(/\s+/g, " ")).replace(/\n\s+/g, "\n"), map: null } : null),
};

// Names without hashes: the build output is committed, and the server identifies files by their content. Each page is one
// script: an exported page contains the script of the views.
export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [shorterTemplates],
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
