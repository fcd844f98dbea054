// How a starting threshold was chosen: accuracy of the pseudo-streams over the threshold, its spread from one to the
// next, and the plateau in whose middle the choice stands.
import { fixed, percent } from '../../shared/format';
import { namedValues } from '../../shared/parts';
import { theme } from '../../shared/theme';
import { axis, grid, lines, thresholdLine, tooltip } from '../../shared/chart';
import { mount } from './highlighted.js';

export function pseudoStreams(learned, box) {
  const { tau, strict_all: mean, deviation } = learned.pseudo_streams;
  const [low, high] = learned.plateau;
  const edges = tau.map((x, i) => [
    x,
    Math.max(0, mean[i] - deviation[i]),
    Math.min(1, mean[i] + deviation[i]),
  ]);
  const top = Math.min(1, 1.15 * Math.max(...edges.map(([, , upper]) => upper)));
  mount(
    'pseudo-streams',
    box,
    () => {
      const colours = theme();
      const small = { color: colours.muted, fontSize: 11 };
      return {
        grid: grid({ top: 46 }),
        xAxis: axis('starting threshold τ, in units of ρ', {
          min: tau[0],
          max: tau.at(-1),
          axisLabel: { ...small, showMaxLabel: false, formatter: (v) => fixed(v, 2) },
        }),
        yAxis: axis('Strict All of the pseudo-streams', {
          vertical: true,
          nameGap: 26, // above the name of the threshold
          min: 0,
          max: top,
          axisLabel: { ...small, formatter: (v) => percent(v, 0), showMaxLabel: false },
        }),
        tooltip: tooltip('axis', (items) => {
          const i = items[0]?.dataIndex ?? 0;
          return namedValues(`τ ${fixed(tau[i], 2)}`, [
            ['mean', percent(mean[i])],
            ['deviation', percent(deviation[i])],
          ]);
        }),
        series: [
          {
            name: 'spread',
            type: 'custom',
            data: edges,
            silent: true,
            encode: { x: 0, y: [1, 2] },
            // One band, drawn with its first point.
            renderItem: (params, api) =>
              params.dataIndex > 0
                ? null
                : {
                    type: 'polygon',
                    shape: {
                      points: [
                        ...edges.map(([x, , upper]) => api.coord([x, upper])),
                        ...edges.map(([x, lower]) => api.coord([x, lower])).reverse(),
                      ],
                    },
                    style: { fill: colours.positive, opacity: 0.2 },
                  },
          },
          {
            name: 'mean',
            type: 'line',
            showSymbol: false,
            data: tau.map((x, i) => [x, mean[i]]),
            lineStyle: { color: colours.positive, width: 2 },
            itemStyle: { color: colours.positive },
            emphasis: { disabled: true },
            markArea: {
              silent: true,
              itemStyle: { color: colours.zone[3] },
              data: [[{ xAxis: low }, { xAxis: high }]],
            },
            markLine: lines([
              thresholdLine({ xAxis: learned.tau }, `τ ${fixed(learned.tau, 2)}`, {
                position: 'end',
              }),
            ]),
          },
        ],
      };
    },
    { highlights: false },
  );
}
