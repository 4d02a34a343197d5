// Keeps the page for when there is no network; see ../sw.js. Loaded when the first tokens are shown.

const CALM = 4000; // milliseconds until then: the first words that are typed come first

if ("serviceWorker" in navigator) setTimeout(register, CALM);

function register() {
  const script = new URL("sw.js", document.baseURI);
  navigator.serviceWorker.register(script, { updateViaCache: "none" }).catch((error) => {
    console.info("pyodide_tok: the page is not kept for when there is no network:", error);
  });
}
