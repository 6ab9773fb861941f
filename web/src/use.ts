// Hooks that views share.

import { useEffect, useState, useRef } from "preact/hooks";
import { part } from "./data";

/** usePart reads a document while it is shown; undefined until it is there, an Error where it cannot be read. */
export function usePart<T>(name: string | undefined): T | Error | undefined {
  const [state, set] = useState<{ name?: string; value?: T | Error }>({});
  useEffect(() => {
    if (!name) return;
    let shown = true;
    part<T>(name).then(
      (value) => shown && set({ name, value }),
      (wrong) => shown && set({ name, value: wrong instanceof Error ? wrong : new Error(String(wrong)) }),
    );
    return () => void (shown = false);
  }, [name]);
  return state.name === name ? state.value : undefined;
}

/** useWidth measures an element, again whenever it changes. */
export function useWidth<E extends HTMLElement>(): [{ current: E | null }, number] {
  const ref = useRef<E>(null);
  const [width, set] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => set(Math.floor(entry!.contentRect.width)));
    if (ref.current) watch.observe(ref.current);
    return () => watch.disconnect();
  }, [ref.current]);
  return [ref, width];
}
