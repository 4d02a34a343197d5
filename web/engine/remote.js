// A file at an address, read from its beginning and only as far as is needed: by HTTP Range, or,
// from a server without it, as a stream that is cut off.

import { TokenizerError } from "./link.js";

/** Like a Blob, as far as `readHead` needs one. */
export class RemoteFile {
  #url;
  /** @type {Uint8Array<ArrayBuffer>[]} */
  #parts = []; // the first bytes, as far as they are known
  #length = 0;

  /** Bytes; Infinity as long as the server has not said. */
  size = Infinity;

  /** @param {URL} url */
  constructor(url) {
    this.#url = url;
  }

  /**
   * The first `end` bytes, or all there are.
   * @param {number} _
   * @param {number} end
   */
  slice(_, end) {
    return { arrayBuffer: () => this.#read(end) };
  }

  /** @param {number} end */
  async #read(end) {
    if (this.#length < Math.min(end, this.size)) await this.#fetch(end);
    return new Blob(this.#parts).slice(0, end).arrayBuffer();
  }

  /** @param {number} end */
  async #fetch(end) {
    const stop = new AbortController();
    const headers = { Range: `bytes=${this.#length}-${end - 1}` };
    const response = await reach(this.#url, { headers, signal: stop.signal });
    if (response.status !== 206) this.#forget(response);
    else this.size = Number(response.headers.get("content-range")?.split("/")[1]) || this.size;
    await this.#take(response, end);
    stop.abort(); // a server without Range would send the rest, which may be gigabytes
  }

  /** @param {Response} response */
  #forget(response) {
    [this.#parts, this.#length] = [[], 0];
    const encoded = response.headers.get("content-encoding");
    const length = Number(response.headers.get("content-length"));
    if (length && !encoded) this.size = length;
  }

  /**
   * @param {Response} response
   * @param {number} end
   */
  async #take({ body }, end) {
    const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (body).getReader();
    while (this.#length < end) {
      const { done, value } = await reader.read().catch((error) => {
        throw failure(this.#url, `the connection broke off: ${error.message}`);
      });
      if (done) {
        if (this.size === Infinity) this.size = this.#length;
        return;
      }
      this.#parts.push(value);
      this.#length += value.length;
    }
  }
}

/**
 * The address of the file itself, for one of a page of Hugging Face about it.
 * @param {URL} url
 */
export function fileAddress(url) {
  if (/^(www\.)?(huggingface\.co|hf\.co)$/.test(url.hostname)) {
    url.pathname = url.pathname.replace(/^(\/[^/]+\/[^/]+)\/blob\//, "$1/resolve/");
  }
  return url;
}

/**
 * @param {URL} url
 * @param {RequestInit} options
 */
async function reach(url, options) {
  const response = await fetch(url, options).catch(async () => {
    throw failure(url, await whyNot(url));
  });
  if (!response.ok) throw failure(url, `the server answered ${response.status}`);
  return response;
}

/**
 * A page is not told why a request failed: but if one that asks for no answer works, it is CORS.
 * @param {URL} url
 */
async function whyNot(url) {
  if (!navigator.onLine) return "this machine is offline";
  try {
    await fetch(url, { method: "HEAD", mode: "no-cors" });
  } catch {
    return "there is no such server, or it does not answer";
  }
  return "its server does not let other pages read it (CORS). Download the file and open it here";
}

/**
 * @param {URL} url
 * @param {string} why
 */
function failure(url, why) {
  return new TokenizerError({ code: "fetch", message: `${url} cannot be read: ${why}.` });
}
