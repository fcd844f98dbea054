// Scores on both sides of a threshold: those that should pass it, those that should not, and, if there is a stream, what it met.
import { axis, grid, lines, mount, type Mounted, thresholdLine, tooltip } from './chart';
import { compact, fixed, integer, percent } from './format';
import { namedValues } from './parts';
import { theme } from './theme';

type Option = Record<string, any>;

export interface ScoreCounts {
  low: number;
  width: number; // of a bin
  threshold: number;
  positives: number[];
  negatives: number[];
  stream?: number[];
}

// `label` names the score. Each group is drawn as shares of its own total.
export function scoreHistogram(
  name: string,
  histogram: ScoreCounts,
  label: string,
  box: HTMLElement,
): Mounted {
  const { low, width, positives, negatives, stream = [], threshold } = histogram;
  const total = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
  const share = (counts: number[]) => {
    const sum = total(counts) || 1;
    return counts.map((count, i) => [low + (i + 0.5) * width, count / sum]);
  };
  const met = total(stream) > 0;
  const digits = width < 0.05 ? 2 : width < 1 ? 1 : 0;
  return mount(name, box, () => {
    const colours = theme();
    const bars = (key: string, counts: number[], colour: string): Option => ({
      name: key,
      type: 'custom',
      data: share(counts),
      silent: true,
      encode: { x: 0, y: 1 },
      renderItem: (_params: unknown, api: Option) => {
        const [x, y] = api.coord([api.value(0) - width / 2, api.value(1)]);
        const [x2, base] = api.coord([api.value(0) + width / 2, 0]);
        return {
          type: 'rect',
          shape: { x, y, width: Math.max(1, x2 - x - 0.5), height: base - y },
          style: { fill: colour, opacity: 0.62 },
        };
      },
    });
    const series: Option[] = [
      bars('negatives', negatives, colours.negative),
      bars('positives', positives, colours.positive),
    ];
    series.push({
      name: 'stream',
      type: 'line',
      step: 'middle',
      showSymbol: false,
      data: met ? share(stream) : share(positives).map(([x]) => [x, null]),
      z: 5,
      lineStyle: { color: colours.text, width: 1.3 },
      itemStyle: { color: colours.text },
      emphasis: { disabled: true },
      markLine: lines([
        thresholdLine({ xAxis: threshold }, `τ ${compact(threshold)}`, { position: 'end' }),
      ]),
    });
    return {
      grid: grid({ top: 26 }),
      xAxis: axis(label, {
        min: low,
        max: low + width * positives.length,
        axisLabel: {
          color: colours.muted,
          fontSize: 11,
          hideOverlap: true,
          showMinLabel: false,
          showMaxLabel: false,
          formatter: (v: number) => fixed(v, digits),
        },
      }),
      yAxis: axis('', {
        vertical: true,
        min: 0,
        axisLabel: {
          color: colours.muted,
          fontSize: 11,
          formatter: (v: number) => percent(v, 0),
          showMaxLabel: false,
        },
      }),
      tooltip: tooltip('axis', (items) => {
        const i = items[0]?.dataIndex ?? 0;
        const from = low + i * width;
        const rows: [string, string][] = [
          ['should pass', integer(positives[i])],
          ['should not', integer(negatives[i])],
        ];
        if (met) rows.push(['in the stream', integer(stream[i])]);
        return namedValues(`${fixed(from, digits + 1)} to ${fixed(from + width, digits + 1)}`, rows);
      }),
      series,
    };
  });
}
