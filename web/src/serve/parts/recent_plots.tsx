// Charts of the last minutes, from what the page has seen while it was open.
import { useCallback } from 'preact/hooks';
import { axis, grid, tooltip } from '../../shared/chart';
import { duration, fixed, integer } from '../../shared/format';
import { namedValues } from '../../shared/parts';
import { line, pairs } from '../../shared/stream_charts';
import { theme } from '../../shared/theme';
import { ticks, type Tick } from '../state/stream';
import { Figure, Plot } from './plot';

const clock = (time: number) =>
  new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });

// As far back as the page has seen, in steps that can be read.
const timeAxis = () => {
  const seen = ticks.peek();
  const now = seen.at(-1)?.time ?? Date.now();
  const span = now - (seen[0]?.time ?? now);
  const step = span > 120_000 ? 60_000 : span > 45_000 ? 30_000 : 10_000;
  return axis('', {
    min: now - Math.max(3 * step, span),
    max: now,
    interval: step,
    axisLabel: {
      color: theme().muted,
      fontSize: 11,
      formatter: (v: number) => {
        const seconds = Math.round((now - v) / 1000);
        return seconds < 1 ? 'now' : seconds % 60 ? `−${seconds} s` : `−${seconds / 60} min`;
      },
      showMinLabel: false,
    },
  });
};
export function RatePlot() {
  const seen = ticks.value;
  const option = useCallback(() => {
    const colours = theme();
    return {
      grid: grid({ top: 34 }),
      xAxis: timeAxis(),
      yAxis: [
        axis('samples a second', { vertical: true, min: 0, minInterval: 1 }),
        axis('births', {
          vertical: true,
          min: 0,
          max: Math.max(4, ...seen.map((tick) => tick.births)),
          minInterval: 1,
          splitLine: { show: false },
          nameTextStyle: { color: colours.branch[3], align: 'right', fontSize: 12 },
        }),
      ],
      tooltip: tooltip('axis', (items) => {
        const tick = seen[items[0]?.dataIndex ?? 0];
        return namedValues(clock(tick.time), [
          ['samples a second', fixed(tick.rate, 1)],
          ['births', integer(tick.births)],
        ]);
      }),
      series: [
        line(
          'rate',
          colours.branch[0],
          pairs(
            seen.map((t) => t.time),
            seen.map((t) => t.rate),
          ),
          {
            areaStyle: { color: colours.branch[0], opacity: 0.12 },
          },
        ),
        {
          name: 'births',
          type: 'bar',
          yAxisIndex: 1,
          barWidth: 3,
          data: seen.map((t) => [t.time, t.births || null]),
          itemStyle: { color: colours.branch[3] },
        },
      ],
    };
  }, [seen]);
  return (
    <Figure title="Rate and births" caption="The last minutes, as long as this page is open.">
      <Plot name="rate" class="small" label="Samples and births a second" option={option} />
    </Figure>
  );
}

export function DelaysPlot() {
  const seen = ticks.value;
  const option = useCallback(() => {
    const colours = theme();
    const curve = (pick: (tick: Tick) => number | null) =>
      pairs(
        seen.map((t) => t.time),
        seen.map(pick),
      );
    return {
      grid: grid({ top: 34 }),
      xAxis: timeAxis(),
      yAxis: axis('delay', {
        vertical: true,
        min: 0,
        axisLabel: {
          color: colours.muted,
          fontSize: 11,
          formatter: (v: number) => duration(v * 1000),
        },
      }),
      tooltip: tooltip('axis', (items) => {
        const tick = seen[items[0]?.dataIndex ?? 0];
        const text = (value: number | null) => (value === null ? '–' : duration(value * 1000));
        return namedValues(clock(tick.time), [
          ['slowest 1% from', text(tick.p99)],
          ['median', text(tick.p50)],
        ]);
      }),
      series: [
        line(
          'p99',
          colours.branch[3],
          curve((t) => t.p99),
          {
            lineStyle: { color: colours.branch[3], width: 1.2, type: [4, 3] },
          },
        ),
        line(
          'p50',
          colours.branch[0],
          curve((t) => t.p50),
        ),
      ],
    };
  }, [seen]);
  return (
    <Figure title="Delays" caption="From a request to its durable answer: median, and 99% dashed.">
      <Plot name="delays" class="small" label="Delay of answers over time" option={option} />
    </Figure>
  );
}
