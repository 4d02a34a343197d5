// A file at an address, read from its beginning and only as far as is needed: with HTTP Range, or
// from a server without it as a stream that is cut off. pyodide_tok/gguf/remote.py follows the same
// rules; tests/data/addresses.json lists them, one case each.

import { TokenizerError } from "./link.js";

const TIMEOUT = 60_000; // ms, from the first request to the last byte
const LIMIT = 1 << 28; // bytes of header
const MAX_REQUESTS = 500; // a server may send less than it is asked for
const SPAN = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i;

/** Like a Blob, as far as `readHead` needs one. */
export class RemoteFile {
  #url;
  /** @type {Uint8Array<ArrayBuffer>[]} */
  #parts = []; // the first bytes, as far as they are known
  #length = 0;
  #requests = 0;
  #hasSpans = true; // a server that does not say what it sends is asked from the start
  #timeout;
  #deadline = 0; // of performance.now(); set by the first request
  /** @type {number | null} */
  #total = null;

  /** Bytes; Infinity as long as it is not known. */
  size = Infinity;
  /** Bytes at most that `slice` reads. */
  limit = LIMIT;

  /**
   * @param {URL} url
   * @param {number} [timeout] ms
   */
  constructor(url, timeout = TIMEOUT) {
    this.#url = url;
    this.#timeout = timeout;
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
    if (end > LIMIT) throw this.#error(`its header is longer than ${LIMIT.toLocaleString("en")} bytes`);
    if (this.#url.username || this.#url.password) {
      throw this.#error("it contains a user name or a password, which browsers refuse");
    }
    this.#deadline ||= performance.now() + this.#timeout;
    while (this.#length < Math.min(end, this.size)) await this.#ask(end);
    return new Blob(this.#parts).slice(0, end).arrayBuffer();
  }

  /** @param {number} end */
  async #ask(end) {
    if (this.#requests++ === MAX_REQUESTS) {
      throw this.#error(`the server sends too little: ${this.#length} bytes so far`);
    }
    const asked = this.#hasSpans ? this.#length : 0;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), this.#deadline - performance.now());
    try {
      const headers = { Range: `bytes=${asked}-${end - 1}` };
      const response = await this.#reach({ headers, signal: stop.signal });
      await this.#accept(response, asked, end);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      throw this.#error(`it took longer than ${this.#timeout / 1000} seconds`);
    } finally {
      clearTimeout(timer);
      stop.abort(); // a server without Range would send the rest, which may be gigabytes
    }
  }

  /**
   * @param {Response} response
   * @param {number} asked
   * @param {number} end
   */
  async #accept(response, asked, end) {
    const { status } = response;
    if (status === 206) return this.#part(response, asked, end);
    if (status === 416 && this.#length) {
      this.size = this.#length; // the file ends here
      return;
    }
    if (status !== 200) throw this.#error(`the server answered ${status}`);
    this.#cut(0); // no Range: the file from its start
    await this.#take(response, end);
    if (this.#length < end) this.size = this.#length;
  }

  /**
   * A part that continues the bytes so far, or begins them again; any other is refused.
   * @param {Response} response
   * @param {number} asked
   * @param {number} end
   */
  async #part(response, asked, end) {
    const encoding = response.headers.get("content-encoding") ?? "identity";
    if (encoding !== "identity") throw this.#error(`the server sends it compressed (${encoding})`);
    const before = this.#length;
    const span = response.headers.get("content-range");
    if (span === null) {
      this.#hasSpans = false;
      if (asked) return; // ask again, from the start
    }
    const [first, last] = span === null ? [0, end] : this.#span(span);
    if (first !== 0 && first !== asked) {
      throw this.#error(`the server sent bytes from ${first} on, not from ${asked} on`);
    }
    this.#cut(first);
    await this.#take(response, Math.min(end, last));
    this.#settle(before);
  }

  /** @param {number} before Bytes that were known before the last part. */
  #settle(before) {
    if (this.#total !== null) {
      if (this.#length <= before && before < this.#total) throw this.#error("the server sends no bytes");
      this.size = this.#total;
    } else if (this.#length <= before) this.size = this.#length;
  }

  /**
   * Where a part begins and ends.
   * @param {string} text
   */
  #span(text) {
    const [, first, last, total] = SPAN.exec(text) ?? [];
    const [start, end] = [Number(first), Number(last) + 1];
    const whole = total === "*" ? null : Number(total);
    if (!total || end < start || (whole !== null && whole < end)) {
      throw this.#error(`the server's Content-Range makes no sense: '${text}'`);
    }
    if (whole !== null && this.#total !== null && whole !== this.#total) {
      throw this.#error("the file changed while it was read");
    }
    this.#total = whole ?? this.#total;
    return [start, end];
  }

  /** @param {number} length 0, or as many bytes as there are. */
  #cut(length) {
    if (length === 0) this.#parts = [];
    this.#length = length;
  }

  /**
   * @param {Response} response
   * @param {number} end
   */
  async #take({ body }, end) {
    const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (body).getReader();
    while (this.#length < end) {
      const { done, value } = await reader.read().catch((error) => {
        throw this.#error(`the connection broke off (${error.message})`);
      });
      if (done) return;
      const part = value.subarray(0, end - this.#length);
      this.#parts.push(part);
      this.#length += part.length;
    }
  }

  /** @param {RequestInit} options */
  async #reach(options) {
    return fetch(this.#url, options).catch(async () => {
      throw this.#error(await whyNot(this.#url, options.signal));
    });
  }

  /** @param {string} why */
  #error(why) {
    return new TokenizerError({ code: "fetch", message: `${this.#url} cannot be read: ${why}.` });
  }
}

/**
 * The address of the file itself, for one of a page of Hugging Face about it.
 * @param {URL} url
 */
export function fileAddress(url) {
  if (/^(www\.)?(huggingface\.co|hf\.co)$/.test(url.hostname)) {
    url.pathname = url.pathname.replace(/^(\/[^/]+\/[^/]+)\/blob\//, "$1/resolve/");
    url.pathname = url.pathname.replace(/-\d{5}(-of-\d{5}\.gguf)$/i, "-00001$1"); // has the header
  }
  return url;
}

/**
 * A page is not told why a request failed: but if one that asks for no answer works, it is CORS.
 * @param {URL} url
 * @param {AbortSignal | null} [signal]
 */
async function whyNot(url, signal) {
  if (!navigator.onLine) return "this machine is offline";
  try {
    await fetch(url, { method: "HEAD", mode: "no-cors", signal });
  } catch {
    return "there is no such server, or it does not answer";
  }
  return "its server does not let other pages read it (CORS). Download the file and open it here";
}
