// Which edges of a graph a layout needs. Each edge over many ranks costs a layout as many nodes as it crosses, so in a large graph one that only
// repeats what a longer path says is drawn straight and not laid out.

/** reduced tells for each edge whether it is laid out: not those that close a cycle, and not those beside a longer path. */
export function reduced(nodes: number, edges: [number, number][]): boolean[] {
  const order = ordered(nodes, edges);
  const forward = edges.map(([a, b]) => order[a]! < order[b]!);
  const next: number[][] = Array.from({ length: nodes }, () => []);
  edges.forEach(([a, b], i) => forward[i] && next[a]!.push(b));
  const reach = reachable(nodes, next, order);
  return edges.map(([a, b], i) => forward[i]! && !next[a]!.some((c) => c !== b && has(reach[c]!, b)));
}

/** ordered numbers nodes so that edges lead to larger numbers, but for those that close a cycle. */
function ordered(nodes: number, edges: [number, number][]): number[] {
  const next: number[][] = Array.from({ length: nodes }, () => []);
  for (const [a, b] of edges) next[a]!.push(b);
  const order = new Array<number>(nodes).fill(-1);
  const entered = new Uint8Array(nodes);
  let free = nodes;
  const visit = (n: number) => {
    entered[n] = 1;
    for (const to of next[n]!) if (!entered[to]) visit(to);
    order[n] = --free;
  };
  for (let n = 0; n < nodes; n++) if (!entered[n]) visit(n);
  return order;
}

type Bits = Uint32Array;

const has = (b: Bits, i: number) => ((b[i >> 5]! >> (i & 31)) & 1) === 1;

function reachable(nodes: number, next: number[][], order: number[]): Bits[] {
  const reach = Array.from({ length: nodes }, () => new Uint32Array((nodes + 31) >> 5));
  const last = order.map((_, n) => n).sort((a, b) => order[b]! - order[a]!);
  for (const n of last) {
    for (const to of next[n]!) {
      reach[n]![to >> 5]! |= 1 << (to & 31);
      reach[to]!.forEach((word, i) => (reach[n]![i]! |= word));
    }
  }
  return reach;
}
