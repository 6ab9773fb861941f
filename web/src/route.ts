// Where the reader is, kept in the address so that every place has a link: #3fa91c02b7d1 is a change, #/timeline/2/15 the launch 15 of the third
// variant in the view of the timeline.

import { useEffect, useState } from "preact/hooks";

export interface Route {
  view: string;
  variant: number;
  item: string;
  change: string;
}

export function parse(hash: string): Route {
  const text = hash.replace(/^#/, "");
  if (!text.startsWith("/")) return { view: "changes", variant: 0, item: "", change: text };
  const [, view = "changes", variant = "0", ...item] = text.split("/");
  return { view, variant: Number(variant) || 0, item: decode(item.join("/")), change: "" };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function href(view: string, variant: number, item: string | number = ""): string {
  return `#/${view}/${variant}${item === "" ? "" : "/" + encodeURIComponent(item)}`;
}

export function go(to: string): void {
  location.hash = to;
}

export function useRoute(): Route {
  const [route, set] = useState(() => parse(location.hash));
  useEffect(() => {
    const follow = () => set(parse(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
