// Light, dark, or what the system prefers.

import { useEffect, useState } from "preact/hooks";

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

function stored(): Theme {
  try {
    const text = localStorage.getItem("xlagate-theme");
    return themes.find((t) => t === text) ?? "auto";
  } catch {
    return "auto"; // a sandboxed page has no storage
  }
}

export function ThemeSwitch() {
  const [theme, set] = useState(stored);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("xlagate-theme", theme);
    } catch {
      // see stored
    }
    dispatchEvent(new Event("themechange"));
  }, [theme]);
  return (
    <label class="theme">
      Theme{" "}
      <select value={theme} onChange={(e) => set(e.currentTarget.value as Theme)}>
        {themes.map((t) => (
          <option key={t}>{t}</option>
        ))}
      </select>
    </label>
  );
}

/** useTheme renders again when the theme changes, for what is drawn on a canvas. */
export function useTheme(): number {
  const [turn, set] = useState(0);
  useEffect(() => {
    const again = () => set((n) => n + 1);
    const system = matchMedia("(prefers-color-scheme: dark)");
    addEventListener("themechange", again);
    system.addEventListener("change", again);
    return () => {
      removeEventListener("themechange", again);
      system.removeEventListener("change", again);
    };
  }, []);
  return turn;
}

/** color is the value of a variable of the style sheet. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}
