// One row for each method: bars with intervals and marks, or dots on a logarithmic axis; and pairs, known against novel classes.
import { axis, grid, lines, mount, type Mounted, tooltip } from '../shared/chart';
import { percent } from '../shared/format';
import { namedValues } from '../shared/parts';
import { theme } from '../shared/theme';
import type { Bars, Pairs } from './document';
import { scaleOf, write, writeTick } from './values';

type Option = Record<string, any>;

const rowHeight = 24;
export const heightOf = (rows: unknown[]): number => rowHeight * rows.length + 64;

// The methods from top to bottom; the default one is set in bold.
function labels(rows: { label: string; preset: boolean }[]): Option {
  const colours = theme();
  return {
    type: 'category',
    inverse: true,
    data: rows.map(({ label, preset }) => ({
      value: label,
      textStyle: preset
        ? { color: colours.text, fontWeight: 650 }
        : { color: colours.muted, fontWeight: 400 },
    })),
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { fontSize: 12, interval: 0 },
  };
}

const alongBottom = (name: string, extra: Option): Option => ({
  ...axis(name, extra),
  axisLine: { show: false },
  splitLine: { show: true, lineStyle: { color: theme().line } },
});

// Intervals as thin lines with caps, along x.
function whiskers(spans: [row: number, low: number, high: number][]): Option {
  return {
    type: 'custom',
    silent: true,
    z: 4,
    data: spans.map(([row, low, high]) => [low, row, high]),
    encode: { x: [0, 2], y: 1 },
    renderItem: (_params: unknown, api: Option) => {
      const [left, y] = api.coord([api.value(0), api.value(1)]);
      const [right] = api.coord([api.value(2), api.value(1)]);
      const cap = 3.5;
      const stroke = { stroke: theme().text, lineWidth: 1.2 };
      const segment = (x1: number, y1: number, x2: number, y2: number) => ({
        type: 'line',
        shape: { x1, y1, x2, y2 },
        style: stroke,
      });
      return {
        type: 'group',
        children: [
          segment(left, y, right, y),
          segment(left, y - cap, left, y + cap),
          segment(right, y - cap, right, y + cap),
        ],
      };
    },
  };
}

export function bars(name: string, chart: Bars, box: HTMLElement): Mounted {
  const { rows, reference } = chart;
  const text = write(chart.show);
  const scale = scaleOf(chart.show, [
    ...rows.flatMap(({ value, low, high, mark }) => [value, low, high, mark]),
    reference?.value ?? null,
  ]);
  const ends = rows.map(({ value, high, mark }) => Math.max(value ?? 0, high ?? 0, mark ?? 0));
  return mount(name, box, () => {
    const colours = theme();
    const colour = (preset: boolean) => (preset ? colours.series[0] : colours.faint);
    const values = rows.map(({ value, preset }, i) => ({
      value: [value, i],
      itemStyle: { color: colour(preset), opacity: preset || scale.log ? 1 : 0.55 },
    }));
    const series: Option[] = [
      scale.log
        ? { type: 'scatter', symbolSize: 10, data: values, z: 3 }
        : { type: 'bar', barWidth: 13, data: values, z: 2 },
      whiskers(
        rows.flatMap(({ low, high }, i): [number, number, number][] =>
          low === null || high === null ? [] : [[i, low, high]],
        ),
      ),
      {
        type: 'scatter',
        silent: true,
        symbol: 'diamond',
        symbolSize: 11,
        z: 5,
        data: rows.flatMap(({ mark }, i) => (mark === null ? [] : [[mark, i]])),
        itemStyle: { color: colours.card, borderColor: colours.series[1], borderWidth: 2 },
      },
      // The numbers, each behind everything that is drawn in its row.
      {
        type: 'scatter',
        silent: true,
        symbolSize: 1,
        z: 6,
        data: rows.map(({ value, preset }, i) => ({
          value: [ends[i], i],
          label: {
            show: true,
            position: 'right',
            distance: 7,
            formatter: text(value),
            color: colours.text,
            fontSize: 11,
            fontWeight: preset ? 650 : 400,
            textBorderColor: colours.card,
            textBorderWidth: 2,
          },
        })),
        itemStyle: { color: 'transparent' }, // opacity 0 would hide the label too
        markLine: reference
          ? lines([
              {
                xAxis: reference.value,
                lineStyle: { color: colours.text, width: 1.2, type: [5, 3] },
                label: {
                  position: 'start', // the top: the rows go downwards
                  formatter: reference.label,
                  color: colours.text,
                  fontSize: 11,
                },
              },
            ])
          : undefined,
      },
    ];
    return {
      grid: grid({ top: reference ? 24 : 8, right: 52 }), // room for the numbers
      yAxis: labels(rows),
      xAxis: alongBottom(chart.axis + scale.note, {
        type: scale.type,
        min: scale.min,
        splitNumber: 4,
        axisLabel: {
          color: colours.muted,
          fontSize: 11,
          hideOverlap: true,
          formatter: writeTick(chart.show),
        },
      }),
      tooltip: tooltip('axis', (items) => {
        const row = rows[items[0]?.value?.[1] ?? 0];
        const facts: [string, string][] = [[chart.axis, text(row.value)]];
        if (chart.range && row.low !== null)
          facts.push([chart.range, `${text(row.low)} to ${text(row.high)}`]);
        if (chart.mark && row.mark !== null) facts.push([chart.mark, text(row.mark)]);
        return namedValues(row.preset ? `${row.label} (default)` : row.label, facts);
      }, shadow()),
      series,
    };
  });
}

const shadow = (): Option => ({
  axisPointer: { axis: 'y', type: 'shadow', shadowStyle: { color: theme().line, opacity: 0.5 } },
});

export function pairs(name: string, chart: Pairs, box: HTMLElement): Mounted {
  const { rows } = chart;
  return mount(name, box, () => {
    const colours = theme();
    const dots = (key: 'old' | 'novel', symbol: string, colour: string): Option => ({
      name: key,
      type: 'scatter',
      symbol,
      symbolSize: 10,
      z: 3,
      data: rows.map((row, i) => [row[key], i]),
      itemStyle: { color: colour },
    });
    return {
      grid: grid({ top: 8, right: 24 }),
      yAxis: labels(rows),
      xAxis: alongBottom(chart.axis, {
        min: 0,
        axisLabel: { color: colours.muted, fontSize: 11, formatter: writeTick('share') },
      }),
      tooltip: tooltip('axis', (items) => {
        const row = rows[items[0]?.value?.[1] ?? 0];
        return namedValues(row.preset ? `${row.label} (default)` : row.label, [
          ['known classes', percent(row.old)],
          ['novel classes', percent(row.novel)],
        ]);
      }, shadow()),
      series: [
        {
          type: 'custom',
          silent: true,
          z: 1,
          data: rows.flatMap(({ old, novel }, i) =>
            old === null || novel === null ? [] : [[old, i, novel]],
          ),
          encode: { x: [0, 2], y: 1 },
          renderItem: (_params: unknown, api: Option) => {
            const [x1, y1] = api.coord([api.value(0), api.value(1)]);
            const [x2, y2] = api.coord([api.value(2), api.value(1)]);
            const style = { stroke: colours.axis, lineWidth: 2 };
            return { type: 'line', shape: { x1, y1, x2, y2 }, style };
          },
        },
        dots('old', 'circle', colours.series[0]),
        dots('novel', 'diamond', colours.series[1]),
      ],
    };
  });
}
