// What curves along a stream are made of, in the report and on the live page.
import { axis, grid, tooltip } from './chart';
import { percent } from './format';
import { namedValues } from './parts';
import { theme } from './theme';

type Option = Record<string, any>;

export const line = (name: string, colour: string, data: unknown[], extra: Option = {}) => ({
  name,
  type: 'line',
  data,
  showSymbol: data.length === 1,
  lineStyle: { color: colour, width: 1.8 },
  itemStyle: { color: colour },
  emphasis: { disabled: true },
  ...extra,
});

export const pairs = (xs: ArrayLike<number>, ys: ArrayLike<number | null>) =>
  Array.from(xs, (x, i) => [x, ys[i]]);

export interface ShareBins {
  starts: number[];
  ends: number[];
  counts: number[][]; // for each bin, by way
  ways: { key: string; name: string }[];
}

// Shares of the ways in which samples were decided, bin by bin, stacked to the full height.
export function sharesOption(
  bins: ShareBins,
  xAxis: Option,
  opacity: number,
  heading: (bin: number) => string,
): Option {
  const colours = theme();
  // Stacked by hand: [start, end, from, to] of each way in each bin.
  const blocks: number[][][] = bins.ways.map(() => []);
  const sums = bins.counts.map((row) => row.reduce((a, b) => a + b, 0));
  bins.counts.forEach((row, i) => {
    let height = 0;
    row.forEach((count, k) => {
      blocks[k].push([bins.starts[i], bins.ends[i], height, (height += count / sums[i])]);
    });
  });
  return {
    grid: grid({ top: 34 }),
    xAxis,
    yAxis: axis('share of decisions', {
      vertical: true,
      min: 0,
      max: 1,
      axisLabel: { color: colours.muted, fontSize: 11, formatter: (v: number) => percent(v, 0) },
    }),
    tooltip: tooltip('axis', (items) => {
      const i = items[0]?.dataIndex ?? 0;
      return namedValues(
        heading(i),
        bins.ways.map((way, k) => [way.name, percent(bins.counts[i][k] / sums[i])]),
      );
    }),
    series: bins.ways.map((way, k) => ({
      name: way.key,
      type: 'custom',
      data: blocks[k],
      encode: { x: [0, 1], y: [2, 3] },
      renderItem: (_params: unknown, api: Option) => {
        const [x, y] = api.coord([api.value(0), api.value(3)]);
        const [right, base] = api.coord([api.value(1), api.value(2)]);
        return {
          type: 'rect',
          shape: { x, y, width: Math.max(1, right - x - 1), height: base - y },
          style: { fill: colours.branch[k], opacity },
        };
      },
    })),
  };
}
