// The theme switch: as the system, light, dark. theme.js applies the choice before anything is drawn.

import { byId } from "./page.js";
import { remember, setting } from "./settings.js";

const NEXT = { system: "light", light: "dark", dark: "system" };
const WORDS = { system: "as the system", light: "light", dark: "dark" };
const button = byId("theme");

export function watchTheme() {
  show(setting("theme"));
  button.addEventListener("click", () => {
    const theme = NEXT[setting("theme")] ?? NEXT.system;
    remember("theme", theme);
    show(theme);
  });
}

function show(chosen) {
  const theme = chosen in NEXT ? chosen : "system";
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.title = button.ariaLabel = `Theme: ${WORDS[theme]}`;
}
