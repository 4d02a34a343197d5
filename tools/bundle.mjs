// Bundle the page's scripts and style sheets into the site.
//
//   node tools/bundle.mjs WEB SITE
//
// Scripts: one file for each entry below, and a lazy chunk for each dynamic import of the page.
// Style sheets: style.css and one for each view, at their own paths.

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { build } from "esbuild";

const [web, site] = process.argv.slice(2).map((path) => resolve(path));
const START = "./start.js"; // its own small script, which runs before the page's
const shared = {
  absWorkingDir: web,
  outdir: site,
  bundle: true,
  minify: true,
  sourcemap: true,
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
  write: false,
};
const alone = { ...shared, format: "esm" };

await Promise.all([
  bundle({ ...alone, entryPoints: { start: "engine/start.js" } }),
  bundle({ ...alone, entryPoints: ["client.js"] }),
  bundle({ ...alone, entryPoints: ["worker.js"] }),
  bundle({ ...alone, entryPoints: ["chat-worker.js"] }),
  bundle({ ...alone, entryPoints: ["sw.js"], format: "iife" }),
  bundle({ ...alone, entryPoints: { theme: "shell/theme.js" }, format: "iife" }),
  bundle({ ...shared, entryPoints: sheets(), outbase: web }),
  bundle(pageOptions(), nameThePage),
]);

/** style.css, which the page begins with, and the sheet of each view, which may import others. */
function sheets() {
  const views = readdirSync(join(web, "views")).map((name) => join("views", name, `${name}.css`));
  return ["style.css", ...views];
}

function pageOptions() {
  return {
    ...shared,
    entryPoints: { app: "shell/app.js" },
    format: "esm",
    splitting: true,
    metafile: true,
    chunkNames: "lazy-[name]-[hash]",
    plugins: [{ name: "page", setup: page }],
  };
}

// esbuild puts what the page and a view both import into chunks of their own, one for each set of
// views. Each view imports the page first, so that all of these are one chunk: the page itself.
function page({ onResolve, onLoad }) {
  const app = resolve(web, "shell/app.js");
  onResolve({ filter: /\/engine\/start\.js$/ }, () => ({ path: START, external: true }));
  onResolve({ filter: /./ }, async ({ kind, path, resolveDir, pluginData }) => {
    if (kind !== "dynamic-import" || pluginData || !path.startsWith(".")) return null;
    return { path: resolve(resolveDir, path), namespace: "lazy" };
  });
  onLoad({ filter: /./, namespace: "lazy" }, ({ path }) => ({
    contents: `import ${JSON.stringify(app)}; export * from ${JSON.stringify(path)};`,
    resolveDir: dirname(path),
  }));
}

/** Give the chunk that is the page the entry's name, and drop the entry, which only imports it. */
function nameThePage({ outputFiles, metafile }) {
  const outputs = Object.values(metafile.outputs);
  const { imports } = outputs.find(({ entryPoint }) => entryPoint === "shell/app.js");
  const chunk = basename(imports.find(({ kind }) => kind === "import-statement" && !kind.external).path);
  return outputFiles
    .filter(({ path }) => !basename(path).startsWith("app.js"))
    .map(({ path, text }) => ({
      path: path.replace(chunk, "app.js"),
      contents: text.replaceAll(chunk, "app.js"),
    }));
}

async function bundle(options, change = ({ outputFiles }) => outputFiles) {
  for (const { path, contents } of change(await build(options))) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
}
