// Settings, remembered on this machine. Where storage is shut off, the page works without.

const KEY = "pyodide_tok";

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

export function setting(name) {
  return read()[name];
}

export function remember(name, value) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...read(), [name]: value }));
  } catch {
    // a full or forbidden storage costs the memory, nothing else
  }
}

/** Have form controls keep their state from visit to visit; each by its id or name. */
export function rememberControls(controls) {
  for (const control of controls) {
    const isRadio = control.type === "radio";
    const name = isRadio ? control.name : control.id;
    const kept = setting(name);
    if (isRadio) control.checked = kept === undefined ? control.checked : kept === control.value;
    else if (control.type === "checkbox") control.checked = kept ?? control.checked;
    else if (kept !== undefined && kept !== control.value) control.value = kept;
    if (control.localName === "select" && control.selectedIndex < 0) control.selectedIndex = 0;
    control.addEventListener("change", () =>
      remember(name, control.type === "checkbox" ? control.checked : control.value),
    );
  }
}
