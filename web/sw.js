// The page without a network: every file of one build, kept together and replaced together.
//
// precache.js, made with the site, says {build, files: {path: its hash, or ""}}. A new build is
// fetched as a whole beside the old one, and takes its place when the last tab is closed, or the only
// one reloaded: no tab ever sees files of two builds.

/** @typedef {{build: string, files: Record<string, string>}} Precache */

importScripts("./precache.js");

const worker = /** @type {ServiceWorkerGlobalScope & {PRECACHE: Precache}} */ (/** @type {any} */ (self));
const { build, files } = worker.PRECACHE;
const scope = worker.registration.scope;
const mine = `pyodide_tok ${scope} `;
const kept = mine + build; // the name of this build's cache
let isLeaving = false; // a newer build was asked to take over, which it does when nothing is asked here
const UPDATING = { Refresh: "1", "Content-Type": "text/plain; charset=utf-8" }; // again in a second

worker.addEventListener("install", (event) => event.waitUntil(keep()));
worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));
worker.addEventListener("message", ({ data }) => data === "take over" && worker.skipWaiting());
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = pathOf(request.url);
  if (request.method !== "GET" || !(path in files)) return;
  const isOpening = request.mode === "navigate" && path === "index.html";
  event.respondWith(isOpening ? opened(request) : answer(path, request));
});

/**
 * "" is the page itself. An address that is not ours gives a path that is not kept.
 * @param {string} address
 */
function pathOf(address) {
  const url = address.split(/[?#]/)[0];
  return url.startsWith(scope) ? url.slice(scope.length) || "index.html" : "//";
}

async function keep() {
  const cache = await caches.open(kept);
  const requests = Object.entries(files).map(
    ([path, integrity]) => new Request(scope + path, { integrity, cache: "no-cache" }),
  );
  await cache.addAll(requests);
}

async function takeOver() {
  const old = (await caches.keys()).filter((key) => key.startsWith(mine) && key !== kept);
  await Promise.all(old.map((key) => caches.delete(key)));
  await worker.clients.claim();
}

/**
 * The page; or, if a newer build waits and the only tab is being reloaded, that build's.
 * @param {Request} request
 */
async function opened(request) {
  const { waiting } = worker.registration;
  const tabs = await worker.clients.matchAll({ type: "window" });
  const { isReloadNavigation } = /** @type {any} */ (request);
  const isReload = isReloadNavigation ?? request.cache === "no-cache"; // what Firefox has instead
  const isFree = waiting && isReload && tabs.length <= 1;
  if (!isFree && !isLeaving) return answer("index.html", scope);
  isLeaving = true;
  waiting?.postMessage("take over");
  return new Response("A new version of this page is on its way …", { headers: UPDATING });
}

/**
 * @param {string} path
 * @param {RequestInfo} request
 */
async function answer(path, request) {
  const cache = await caches.open(kept);
  return (await cache.match(scope + path)) ?? fetch(request);
}
