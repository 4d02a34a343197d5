// Run the unit tests in Pyodide, under Node. The package is the wheel of the site: micropip installs
// it, and pytest, from an index that is served here.
//
//   node tools/pyodide_tests.mjs FOLDER-OF-WHEELS... [-- PYTEST-OPTION...]

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LOCK = join(ROOT, "node_modules/pyodide/pyodide-lock.json");
const MICROPIP = ["packaging", "micropip"];
const INSTALLED = ["pyodide-tok[chat,cli]", "hypothesis", "pytest"];
const FILES = { "Content-Type": "application/zip" };
const INDEX = { "Content-Type": "application/vnd.pypi.simple.v1+json" };

// The repository comes last on the path: what is tested is the package that was installed.
const TESTS = `
import os, sys
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = "/tmp/hypothesis"
sys.dont_write_bytecode = True
sys.path.remove("")
sys.path.append("/repo")
os.chdir("/repo")
import pytest
int(pytest.main([
    "--rootdir=/repo", "--config-file=/repo/pyproject.toml", "-o", "pythonpath=", "-p", "no:cacheprovider",
    "--quiet", "-rs", "/repo/tests", "--pyargs", "pyodide_tok", *options
]))
`;

async function main(folders, options) {
  const wheels = folders.flatMap(wheelsIn);
  const server = await serve(wheels);
  const address = `http://127.0.0.1:${server.address().port}`;
  try {
    const python = await loadPyodide({ lockFileContents: withoutPackages() });
    await install(python, address, wheels);
    process.exitCode = test(python, options);
  } finally {
    server.close();
  }
}

// The wheels of a folder: {name, project, bytes}.
function wheelsIn(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".whl"))
    .map((name) => ({
      name,
      project: normalized(name.split("-")[0]),
      bytes: readFileSync(join(folder, name)),
    }));
}

function normalized(project) {
  return project.toLowerCase().replace(/[-_.]+/g, "-");
}

// An index as PyPI's JSON one: /simple/PROJECT/ tells of files, which are at /files/NAME.
async function serve(wheels) {
  const server = createServer((request, response) => {
    const [, kind, name] = request.url.split("/");
    const own = wheels.filter((wheel) => name === (kind === "files" ? wheel.name : wheel.project));
    if (!own.length) response.writeHead(404).end();
    else if (kind === "files") response.writeHead(200, FILES).end(own[0].bytes);
    else response.writeHead(200, INDEX).end(page(name, own, `http://${request.headers.host}`));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function page(name, wheels, address) {
  const files = wheels.map((wheel) => ({
    filename: wheel.name,
    url: `${address}/files/${wheel.name}`,
    hashes: { sha256: createHash("sha256").update(wheel.bytes).digest("hex") },
    size: wheel.bytes.length,
  }));
  const versions = wheels.map((wheel) => wheel.name.split("-")[1]);
  return JSON.stringify({ meta: { "api-version": "1.1" }, name, versions, files });
}

// Pyodide's own packages are on a CDN; with none in the lock file all comes from our index.
function withoutPackages() {
  const { info } = JSON.parse(readFileSync(LOCK, "utf8"));
  return JSON.stringify({ info, packages: {} });
}

async function install(python, address, wheels) {
  const own = wheels.filter((wheel) => MICROPIP.includes(wheel.project));
  const urls = own.map((wheel) => `${address}/files/${wheel.name}`);
  await python.loadPackage(urls, { messageCallback: () => {} });
  const micropip = python.pyimport("micropip");
  await micropip.install.callKwargs(INSTALLED, { index_urls: `${address}/simple` });
  console.log(micropip.list().toString());
  micropip.destroy();
}

function test(python, options) {
  python.FS.mkdir("/repo");
  python.FS.mount(python.FS.filesystems.NODEFS, { root: ROOT }, "/repo");
  return python.runPython(TESTS, { globals: python.toPy({ options }) });
}

const given = process.argv.slice(2);
const end = given.includes("--") ? given.indexOf("--") : given.length;
// Caught here, for Node would print Pyodide's one line of a megabyte before the message.
main(given.slice(0, end), given.slice(end + 1)).catch((error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
