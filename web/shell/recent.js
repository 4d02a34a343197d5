// The models that were used last, remembered on this machine: addresses, and files by their handles
// where the browser has such. Every function rejects where storage is shut off.

import { TokenizerError } from "../engine/link.js";

const STORE = "models";
const MOST = 8;
const READ = { mode: "read" };
let database = null; // a promise

/**
 * Remember a source, {key, name} with a {handle} or a {url}, as the newest. An address that may
 * have a password or an access token in it is not.
 */
export async function keep({ key, name, handle, url }) {
  if (url && /[?@]/.test(url)) return;
  const all = (await recent()).filter((known) => known.key !== key);
  const store = await opened("readwrite");
  store.put({ key, name, handle, url, used: Date.now() });
  for (const { key } of all.slice(MOST - 1)) store.delete(key);
}

/** [{key, name, handle, url}], the newest first. */
export async function recent() {
  const all = await done((await opened("readonly")).getAll());
  return all.sort((a, b) => b.used - a.used);
}

/** The file of a handle. `ask`: the user may be asked, which wants a click just before. */
export async function fileOf(handle, ask = true) {
  const state = await handle.queryPermission(READ);
  if (state !== "granted" && !(ask && (await handle.requestPermission(READ)) === "granted")) {
    throw failure("The browser does not let this page read it again. Open the file once more.");
  }
  return handle.getFile().catch(() => {
    throw failure("The file cannot be read: it was moved or removed. Open it again.");
  });
}

async function opened(mode) {
  database ??= connected();
  return (await database).transaction(STORE, mode).objectStore(STORE);
}

async function connected() {
  const request = indexedDB.open("pyodide_tok", 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "key" });
  const connection = await done(request);
  connection.onclose = () => (database = null); // the user has cleared what sites keep
  return connection;
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function failure(message) {
  return new TokenizerError({ code: "file", message });
}
