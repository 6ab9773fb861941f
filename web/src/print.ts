// On paper everything is open and light. Charts listen too: they are drawn on canvases, in colours of the moment.

const root = document.documentElement;
let theme: string | undefined;
let opened: HTMLDetailsElement[] = [];

export function followPrinting(): void {
  addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const d of opened) d.open = true;
  });
  addEventListener("afterprint", () => {
    root.dataset.theme = theme;
    for (const d of opened) d.open = false;
  });
}
