// Style sheets of views that are not opened at once.

/** Resolves when the sheet is in use. */
export function loadSheet(name) {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(name, document.baseURI).href;
  return new Promise((resolve) => {
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}
