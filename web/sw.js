// The page without a network: every file of one build, kept together and replaced together.
//
// precache.js, made with the site, says {build, files: {path: its hash, or ""}}. A new build is
// fetched as a whole beside the old one, and takes its place when the last tab is closed, or the only
// one reloaded: no tab ever sees files of two builds.

importScripts("./precache.js");

const { build, files } = self.PRECACHE;
const scope = self.registration.scope;
const mine = `pyodide_tok ${scope} `;
const name = mine + build;
let isLeaving = false; // a newer build was asked to take over, which it does when nothing is asked here
const UPDATING = { Refresh: "1", "Content-Type": "text/plain; charset=utf-8" }; // again in a second

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = pathOf(request.url);
  if (request.method !== "GET" || !(path in files)) return;
  const isOpening = request.mode === "navigate" && path === "index.html";
  event.respondWith(isOpening ? opened(request) : kept(path, request));
});

/** "" is the page itself; of other origins, and of what is not ours, it is a path that is not kept. */
function pathOf(address) {
  const url = address.split(/[?#]/)[0];
  return url.startsWith(scope) ? url.slice(scope.length) || "index.html" : "//";
}

async function keep() {
  const cache = await caches.open(name);
  const requests = Object.entries(files).map(
    ([path, integrity]) => new Request(scope + path, { integrity, cache: "no-cache" }),
  );
  await cache.addAll(requests);
}

async function takeOver() {
  const old = (await caches.keys()).filter((key) => key.startsWith(mine) && key !== name);
  await Promise.all(old.map((key) => caches.delete(key)));
  await self.clients.claim();
}

/** The page; or, if a newer build waits and the only tab is being reloaded, that build's. */
async function opened(request) {
  const { waiting } = self.registration;
  const tabs = await self.clients.matchAll({ type: "window" });
  const isReload = request.isReloadNavigation ?? request.cache === "no-cache"; // as Firefox tells it
  const isFree = waiting && isReload && tabs.length <= 1;
  if (!isFree && !isLeaving) return kept("index.html", scope);
  isLeaving = true;
  waiting?.postMessage("take over");
  return new Response("A new version of this page is on its way …", { headers: UPDATING });
}

async function kept(path, request) {
  const cache = await caches.open(name);
  return (await cache.match(scope + path)) ?? fetch(request);
}
