import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// One classic script and one style sheet, with fixed names: a page opened from file:// can load neither modules nor
// split chunks, and Python finds the two files by name.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  publicDir: false,
  build: {
    outDir: fileURLToPath(new URL("../src/cutaway/static", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "firefox128", "safari17.5"], // what knows light-dark(), which halves the colour rules
    minify: true,
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: fileURLToPath(new URL("src/main.ts", import.meta.url)),
      output: { format: "iife", entryFileNames: "cutaway.js", assetFileNames: "cutaway[extname]" },
    },
  },
  test: {
    environment: "happy-dom",
    include: ["test/**/*.test.ts"],
  },
});
