// SPDX-License-Identifier: Apache-2.0
// Light or dark as the system says, until somebody says otherwise.

const key = "takt-playground-theme";
const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

// A page that is opened as a file may have no storage.
function remembered(): Theme {
  try {
    const found = localStorage.getItem(key);
    return themes.find((one) => one === found) ?? "auto";
  } catch {
    return "auto";
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    /* it then lasts as long as the page */
  }
}

export function switch_theme_by(button: HTMLButtonElement): void {
  let theme = remembered();
  const apply = (): void => {
    document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
    button.textContent = `theme: ${theme}`;
    const dark = theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.classList.toggle("dark", dark);
  };
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length]!;
    remember(theme);
    apply();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  apply();
}
