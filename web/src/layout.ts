// Asks the worker for layouts.

export interface LayoutRequest {
  id: number;
  nodes: { width: number; height: number }[];
  edges: [number, number][];
}

export interface Layout {
  view: { x: number; y: number; width: number; height: number }; // with all nodes and edges in it
  nodes: Point[];
  edges: { points: Point[]; straight: boolean }[];
}

export interface Point {
  x: number;
  y: number;
}

/** The code of layout.worker.ts, which the build puts here. */
declare const LAYOUT_WORKER: string;

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, (l: Layout) => void>();

export function layout(request: Omit<LayoutRequest, "id">): Promise<Layout> {
  worker ??= start();
  const id = ++last;
  return new Promise((done) => {
    waiting.set(id, done);
    worker!.postMessage({ ...request, id });
  });
}

function start(): Worker {
  const w = new Worker(URL.createObjectURL(new Blob([LAYOUT_WORKER], { type: "text/javascript" })));
  w.onmessage = (e: MessageEvent<{ id: number; done: Layout }>) => {
    waiting.get(e.data.id)?.(e.data.done);
    waiting.delete(e.data.id);
  };
  return w;
}
