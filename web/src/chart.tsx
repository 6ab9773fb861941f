// A chart of uPlot that follows the width of its place and the theme.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { color, useTheme } from "./theme";
import { useWidth } from "./use";

export function Chart({ data, options, height, label }: { data: uPlot.AlignedData; options: () => Omit<uPlot.Options, "width" | "height">; height: number; label: string }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const theme = useTheme();
  const chart = useRef<uPlot>();
  useEffect(() => {
    if (!width || !ref.current) return;
    const draw = () => {
      chart.current?.destroy();
      chart.current = new uPlot({ ...options(), width, height }, data, ref.current!);
      chart.current.setLegend({ idx: null as unknown as number }); // what it says without a pointer
    };
    draw();
    addEventListener("beforeprint", draw);
    addEventListener("afterprint", draw);
    return () => {
      removeEventListener("beforeprint", draw);
      removeEventListener("afterprint", draw);
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [data, width, theme]);
  return <div class="chart" ref={ref} role="img" aria-label={label} />;
}

/** axis is how axes look here. */
export function axis(more: uPlot.Axis): uPlot.Axis {
  return { stroke: color("dim"), grid: { stroke: color("line"), width: 0.5 }, ticks: { stroke: color("line"), width: 0.5 }, ...more };
}
