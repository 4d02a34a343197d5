// A model can be dropped anywhere on the page, or chosen with the file picker.

/** onFile(file): called with the first file that is dropped or chosen. */
export function watchFiles(picker, onFile) {
  picker.addEventListener("change", () => {
    if (picker.files[0]) onFile(picker.files[0]);
    picker.value = ""; // so that the same file can be chosen again
  });
  const root = document.documentElement;
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    root.dataset.drag = "file";
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) delete root.dataset.drag;
  });
  addEventListener("drop", (event) => {
    delete root.dataset.drag;
    if (!hasFiles(event)) return;
    event.preventDefault();
    onFile(event.dataTransfer.files[0]);
  });
}
