// A grid of any length of which only what is in sight, and a little more, is in the document.
//
// Cells have one height and at least one width; the browser's own scroll bar is the page's. `focus` is the cell that the
// keyboard stands on.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Shape {
  columns: number;
  first: number;
  last: number;
}

const spare = 2; // rows above and below the window

export function shapeOf(
  total: number,
  width: number,
  cell: { width: number; height: number; gap: number },
  top: number, // of the window, from the grid's upper edge
  height: number,
): Shape {
  const columns = Math.max(1, Math.floor((width + cell.gap) / (cell.width + cell.gap)));
  const pitch = cell.height + cell.gap;
  const rows = Math.ceil(total / columns);
  const from = Math.min(Math.max(0, rows - 1), Math.max(0, Math.floor(top / pitch) - spare));
  const to = Math.min(rows, Math.max(from, Math.ceil((top + height) / pitch) + spare));
  return { columns, first: from * columns, last: Math.min(total, to * columns) };
}

export function Windowed(props: {
  total: number;
  cell: { width: number; height: number; gap: number };
  focus: number;
  label: string;
  onShape: (shape: Shape) => void;
  children: (index: number) => ComponentChildren;
}) {
  const { total, cell } = props;
  const box = useRef<HTMLDivElement>(null);
  const [shape, setShape] = useState<Shape>({ columns: 1, first: 0, last: 0 });

  useLayoutEffect(() => {
    let pending = 0;
    const measure = () => {
      pending = 0;
      const edges = box.current!.getBoundingClientRect();
      const next = shapeOf(total, edges.width, cell, -edges.top, window.innerHeight);
      setShape((before) =>
        before.columns === next.columns && before.first === next.first && before.last === next.last
          ? before
          : next,
      );
    };
    const soon = () => {
      if (!pending) pending = requestAnimationFrame(measure);
    };
    measure();
    const observer = new ResizeObserver(soon);
    observer.observe(box.current!);
    window.addEventListener('scroll', soon, { passive: true });
    window.addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(pending);
      observer.disconnect();
      window.removeEventListener('scroll', soon);
      window.removeEventListener('resize', soon);
    };
  }, [total, cell]);

  useEffect(() => props.onShape(shape), [shape]);

  // The cell that the keyboard goes to comes into sight, below the bar at the top.
  useEffect(() => {
    if (props.focus < 0) return;
    const edges = box.current!.getBoundingClientRect();
    const y = Math.floor(props.focus / shape.columns) * (cell.height + cell.gap);
    const top = edges.top + y;
    const bar = 120;
    if (top < bar) window.scrollBy(0, top - bar);
    else if (top + cell.height > window.innerHeight - 80)
      window.scrollBy(0, top + cell.height - window.innerHeight + 80);
  }, [props.focus]);

  const rows = Math.ceil(total / shape.columns);
  const pitch = cell.height + cell.gap;
  const visible = [];
  for (let i = shape.first; i < shape.last; ++i) visible.push(i);
  return (
    <div
      ref={box}
      class="windowed"
      role="list"
      aria-label={props.label}
      style={{ height: `${Math.max(0, rows * pitch - cell.gap)}px` }}
    >
      <div
        class="window"
        style={{
          top: `${(shape.first / shape.columns) * pitch}px`,
          gap: `${cell.gap}px`,
          gridTemplateColumns: `repeat(${shape.columns}, minmax(0, 1fr))`,
          gridAutoRows: `${cell.height}px`,
        }}
      >
        {visible.map((i) => props.children(i))}
      </div>
    </div>
  );
}
