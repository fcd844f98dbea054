// Values over what a study varies, or over the stream: one curve for each method.
import { axis, grid, lines as marks, mount, type Mounted, tooltip } from '../shared/chart';
import { integer } from '../shared/format';
import { namedValues } from '../shared/parts';
import { theme } from '../shared/theme';
import type { Lines } from './document';
import { scaleOf, write, writeTick } from './values';

type Option = Record<string, any>;
const words = (tick: string) => tick.replaceAll('_', ' ');
type Curve = Lines['lines'][number];

const symbols = ['circle', 'diamond', 'triangle', 'rect', 'roundRect'];

// The colour of each curve by its place: the first is the default method's, if it is there.
export function placesOf(lines: Curve[]): number[] {
  const free = lines.some(({ preset }) => preset) ? 1 : 0;
  let next = free;
  return lines.map(({ preset, truth }) => (truth ? -1 : preset ? 0 : next++));
}

export const legendOf = (chart: Lines): [string, string][] => {
  const places = placesOf(chart.lines);
  return chart.lines.map(({ label, preset, truth }, i) => [
    truth ? 'dash text' : `${chart.joined ? 'line' : 'circle'} s${places[i] % 8}`,
    preset ? `${label} (default)` : label,
  ]);
};

// Intervals as thin vertical lines, `aside` pixels from their points' place.
function whiskers(points: Curve['points'], colour: string, aside: number): Option {
  return {
    type: 'custom',
    silent: true,
    z: 2,
    data: points.flatMap(([x, , low, high]) => (low === null ? [] : [[x, low, high]])),
    encode: { x: 0, y: [1, 2] },
    renderItem: (_params: unknown, api: Option) => {
      const [x1, y1] = api.coord([api.value(0), api.value(1)]);
      const [x2, y2] = api.coord([api.value(0), api.value(2)]);
      const style = { stroke: colour, lineWidth: 1.4, opacity: 0.55 };
      return { type: 'line', shape: { x1: x1 + aside, y1, x2: x2 + aside, y2 }, style };
    },
  };
}

export function lines(name: string, chart: Lines, box: HTMLElement): Mounted {
  const { ticks } = chart;
  const text = write(chart.show);
  const places = placesOf(chart.lines);
  const scale = scaleOf(
    chart.show,
    chart.lines.map(({ points }) => points.at(-1)?.[1] ?? null),
  );
  const label = (x: number) => (ticks ? `${chart.along} ${words(ticks[x])}` : `After ${integer(x)} samples`);
  return mount(name, box, () => {
    const colours = theme();
    const small = { color: colours.muted, fontSize: 11, hideOverlap: true };
    const curve = (one: Curve, i: number): Option[] => {
      const colour = one.truth ? colours.text : colours.series[places[i] % colours.series.length];
      // Values without an order have no line that keeps them apart.
      const aside = chart.joined ? 0 : 10 * (i - (chart.lines.length - 1) / 2);
      const points = scale.log ? one.points.filter(([, y]) => y > 0) : one.points;
      return [
        {
          name: one.label,
          type: 'line',
          step: ticks ? false : 'end',
          data: points.map(([x, y]) => [x, y]),
          showSymbol: Boolean(ticks),
          symbol: symbols[Math.max(0, places[i]) % symbols.length],
          symbolSize: one.preset ? 9 : 7,
          symbolOffset: [aside, 0],
          z: one.preset ? 5 : 3,
          itemStyle: { color: colour },
          lineStyle: {
            color: colour,
            width: !chart.joined && ticks ? 0 : one.preset ? 2.8 : 1.6,
            type: one.truth ? [5, 3] : 'solid',
          },
          emphasis: { disabled: true },
        },
        whiskers(points, colour, aside),
      ];
    };
    const at = ticks && chart.preset !== null ? ticks.indexOf(chart.preset) : -1;
    return {
      grid: grid({ top: at >= 0 ? 46 : 34, bottom: 34 }),
      xAxis: ticks
        ? {
            ...axis(chart.along),
            type: 'category',
            data: ticks,
            axisLabel: { ...small, interval: 0, formatter: words },
          }
        : axis(chart.along, {
            min: 0,
            max: Math.max(...chart.lines.map(({ points }) => points.at(-1)?.[0] ?? 0)),
            axisLabel: { ...small, showMaxLabel: false, formatter: (v: number) => integer(v) },
          }),
      yAxis: axis(chart.axis + scale.note, {
        vertical: true,
        type: scale.type,
        min: scale.min,
        nameGap: at >= 0 ? 26 : 12,
        axisLabel: { ...small, formatter: writeTick(chart.show) },
      }),
      tooltip: tooltip('axis', (items) => {
        const x = items[0]?.value?.[0] ?? 0;
        // Of each curve the last point that is not behind x.
        const facts = chart.lines.flatMap(({ label: name, points }): [string, string][] => {
          const point = points.filter(([px]) => (ticks ? px === x : px <= x)).at(-1);
          if (!point) return [];
          const [, y, low, high] = point;
          return [[name, low === null ? text(y) : `${text(y)} (${text(low)} to ${text(high)})`]];
        });
        return namedValues(label(x), facts);
      }),
      series: [
        ...chart.lines.flatMap(curve),
        {
          type: 'line',
          data: [],
          markLine: marks(
            at >= 0
              ? [
                  {
                    xAxis: at,
                    lineStyle: { color: colours.axis, width: 1.2, type: [4, 3] },
                    label: { formatter: 'default', color: colours.muted, fontSize: 11 },
                  },
                ]
              : [],
          ),
        },
      ],
    };
  });
}
