// Before anything is drawn: the theme that was chosen on this machine. A classic script, so that
// no page flashes in the other scheme.

try {
  const { theme } = JSON.parse(localStorage.getItem("pyodide_tok")) ?? {};
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // without storage, the system's scheme it is
}
