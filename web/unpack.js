// A thread of its own for one gzipped file: unpacking it would hold up all that the worker does
// meanwhile. Its address comes in; {bytes}, an ArrayBuffer, or {error} goes out.

self.onmessage = async ({ data: url }) => {
  try {
    const bytes = await unpacked(await fetch(url));
    self.postMessage({ bytes }, [bytes]);
  } catch (error) {
    self.postMessage({ error: `${url}: ${error.message}` });
  }
};

// A host may name the file's gzip as Content-Encoding, and then the browser has unpacked it.
function unpacked(response) {
  if (!response.ok) throw new Error(response.status);
  if (response.headers.get("content-encoding")) return response.arrayBuffer();
  return new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
