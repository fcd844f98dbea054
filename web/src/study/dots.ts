// Samples as dots between two thresholds, in groups that differ in colour and size.
import { axis, grid, lines as marks, mount, type Mounted, thresholdLine, tooltip } from '../shared/chart';
import { namedValues } from '../shared/parts';
import { theme } from '../shared/theme';
import type { Dots } from './document';

type Option = Record<string, any>;

const short = (value: number): string => String(Number(value.toPrecision(4)));

export const groupsOf = (chart: Dots): [string, string][] =>
  chart.groups.map((name, i) => [`circle s${i}`, name]);

export function dots(name: string, chart: Dots, box: HTMLElement): Mounted {
  const { x, y, groups } = chart;
  return mount(name, box, () => {
    const colours = theme();
    const group = (label: string, i: number): Option => ({
      name: label,
      type: 'scatter',
      data: chart.points.filter(([, , kind]) => kind === i),
      symbolSize: i === 1 ? 6 : 3, // the first of a class are few, and what the chart is about
      z: i === 1 ? 5 : 3,
      clip: true,
      large: false,
      progressive: 0,
      itemStyle: { color: colours.series[i], opacity: i === 1 ? 0.95 : 0.5 },
    });
    const small = { color: colours.muted, fontSize: 11, hideOverlap: true, formatter: short };
    return {
      grid: grid({ top: 34, bottom: 34 }),
      xAxis: axis(x.name, { min: x.low, max: x.high, axisLabel: { ...small, showMaxLabel: false } }),
      yAxis: axis(y.name, { vertical: true, min: y.low, max: y.high, axisLabel: small }),
      tooltip: tooltip('item', (item) =>
        namedValues(item.seriesName, [
          [x.name, short(item.value[0])],
          [y.name, short(item.value[1])],
        ]),
      ),
      series: [
        ...groups.map(group),
        {
          type: 'line',
          data: [],
          markLine: marks([
            ...(x.threshold
              ? [thresholdLine({ xAxis: x.threshold.value }, x.threshold.label, { position: 'end' })]
              : []),
            ...(y.threshold ? [thresholdLine({ yAxis: y.threshold.value }, y.threshold.label)] : []),
          ]),
        },
      ],
    };
  });
}
