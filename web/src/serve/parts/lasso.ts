// Picking on a chart by drawing around points: a lasso that is on until one line was drawn.
import { useEffect } from 'preact/hooks';
import { BrushComponent } from 'echarts/components';
import { use } from 'echarts/core';
import { charts } from '../../shared/chart';

use([BrushComponent]);

// What a chart's option needs for it.
export const lassoOption = {
  toolbox: [],
  xAxisIndex: 0,
  yAxisIndex: 0,
  outOfBrush: { colorAlpha: 1 },
  brushStyle: { borderWidth: 1.5, color: 'rgba(127,127,127,0.12)', borderColor: '#888' },
};

export type Point = [x: number, y: number];

// Whether a point lies inside a closed line: how often a ray to the right crosses it.
export function inside(line: Point[], [x, y]: Point): boolean {
  let crossings = 0;
  line.forEach(([x1, y1], i) => {
    const [x2, y2] = line[(i + 1) % line.length];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) ++crossings;
  });
  return crossings % 2 === 1;
}

export function useLasso(chart: string, on: boolean, onLine: (line: Point[]) => void): void {
  useEffect(() => {
    const drawn = charts.get(chart);
    if (!drawn || !on) return;
    const cursor = (brushType: string | false) =>
      drawn.dispatchAction({
        type: 'takeGlobalCursor',
        key: 'brush',
        brushOption: { brushType, brushMode: 'single' },
      });
    const end = (event: unknown) => {
      const [area] = (event as { areas: { coordRange: Point[] }[] }).areas;
      drawn.dispatchAction({ type: 'brush', areas: [] });
      if (area && area.coordRange.length > 2) onLine(area.coordRange);
    };
    cursor('polygon');
    drawn.on('brushEnd', end);
    return () => {
      drawn.off('brushEnd', end);
      if (!drawn.isDisposed()) cursor(false);
    };
  });
}
