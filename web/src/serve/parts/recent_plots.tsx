// Charts of the last hour, which the server keeps in steps of a few seconds.
import { useCallback } from 'preact/hooks';
import { axis, grid, tooltip } from '../../shared/chart';
import { duration, fixed, integer } from '../../shared/format';
import { namedValues } from '../../shared/parts';
import { line, pairs } from '../../shared/stream_charts';
import { theme } from '../../shared/theme';
import type { RecentHour, RecentStep } from '../api/generated';
import { Figure, Plot } from './plot';

const clock = (time: number) =>
  new Date(1000 * time).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

// As far back as the server knows, in steps that can be read. The present step is not over and not shown.
const past = (hour: RecentHour): RecentStep[] => hour.steps.slice(0, -1);
const timeAxis = (hour: RecentHour) => {
  const now = hour.now;
  const span = now - (hour.steps[0]?.time ?? now);
  const step = span > 1800 ? 600 : span > 600 ? 300 : span > 120 ? 60 : 30;
  return axis('', {
    min: now - Math.max(3 * step, span),
    max: now,
    interval: step,
    axisLabel: {
      color: theme().muted,
      fontSize: 11,
      hideOverlap: true,
      formatter: (v: number) => {
        const seconds = Math.round((now - v) / step) * step;
        return seconds < 1 ? 'now' : seconds % 60 ? `−${seconds} s` : `−${seconds / 60} min`;
      },
      showMinLabel: false,
    },
  });
};

export function RatePlot(props: { hour: RecentHour }) {
  const { hour } = props;
  const option = useCallback(() => {
    const colours = theme();
    const seen = past(hour);
    return {
      grid: grid({ top: 34 }),
      xAxis: timeAxis(hour),
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
          ['samples a second', fixed(tick.samples / hour.width, 1)],
          ['births', integer(tick.births)],
        ]);
      }),
      series: [
        line(
          'rate',
          colours.branch[0],
          pairs(
            seen.map((t) => t.time),
            seen.map((t) => t.samples / hour.width),
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
  }, [hour]);
  return (
    <Figure title="Rate and births" caption="The last hour, as far as the server has been running.">
      <Plot name="rate" class="small" label="Samples and births a second" option={option} />
    </Figure>
  );
}

export function DelaysPlot(props: { hour: RecentHour }) {
  const { hour } = props;
  const option = useCallback(() => {
    const colours = theme();
    const seen = past(hour);
    const curve = (pick: (tick: RecentStep) => number | null) =>
      pairs(
        seen.map((t) => t.time),
        seen.map(pick),
      );
    return {
      grid: grid({ top: 34 }),
      xAxis: timeAxis(hour),
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
          ['slowest 1% from', text(tick.p99_ms)],
          ['median', text(tick.p50_ms)],
        ]);
      }),
      series: [
        line(
          'p99',
          colours.branch[3],
          curve((t) => t.p99_ms),
          {
            lineStyle: { color: colours.branch[3], width: 1.2, type: [4, 3] },
          },
        ),
        line(
          'p50',
          colours.branch[0],
          curve((t) => t.p50_ms),
        ),
      ],
    };
  }, [hour]);
  return (
    <Figure title="Delays" caption="From a request to its durable answer: median, and 99% dashed.">
      <Plot name="delays" class="small" label="Delay of answers over time" option={option} />
    </Figure>
  );
}
