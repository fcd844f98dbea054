// The sizes of the categories.
import { integer, percent } from '../../shared/format';
import { namedValues } from '../../shared/parts';
import { selection, toggle } from '../selection.js';
import { theme } from '../../shared/theme';
import { axis, grid, lines, thresholdLine, tooltip } from '../../shared/chart';
import { mount } from './highlighted.js';

// One bar per category, largest first.
export function categorySizes(data, box) {
  const rows = data.memory.categories;
  const sizes = rows.map((row) => row.size);
  const largest = Math.max(1, ...sizes);
  const log = largest > 60 * (sizes[Math.floor(sizes.length / 2)] || 1);
  const mature = data.model?.mature_size;
  mount(
    'sizes',
    box,
    () => {
      const colours = theme();
      const chosen = selection();
      const marks = mature ? [thresholdLine({ yAxis: mature }, `mature from ${mature}`)] : [];
      return {
        grid: grid({ top: 34 }),
        xAxis: {
          ...axis('categories, largest first'),
          type: 'category',
          data: rows.map((row, i) => i + 1),
          axisLabel: { color: colours.muted, fontSize: 11, hideOverlap: true },
        },
        yAxis: axis(log ? 'samples (logarithmic)' : 'samples', {
          vertical: true,
          type: log ? 'log' : 'value',
          min: log ? 0.7 : 0,
          axisLabel: {
            color: colours.muted,
            fontSize: 11,
            formatter: (v) => (v < 1 ? '' : integer(v)),
          },
        }),
        tooltip: tooltip(
          'axis',
          (items) => {
            const row = rows[items[0]?.dataIndex ?? 0];
            const facts = [['samples', integer(row.size)]];
            if (row.birth !== undefined) facts.push(['born at sample', integer(row.birth)]);
            if (row.truth !== undefined)
              facts.push([
                'mostly',
                `${data.memory.truth_names[row.truth]} (${percent(row.truth_samples / row.judged, 0)})`,
              ]);
            return namedValues(row.name, facts);
          },
          { axisPointer: { type: 'shadow', shadowStyle: { color: colours.line, opacity: 0.5 } } },
        ),
        series: [
          {
            type: 'bar',
            barCategoryGap: rows.length > 150 ? '0%' : '15%',
            barMinWidth: 1,
            barMaxWidth: 36,
            markLine: lines(marks),
            data: rows.map((row) => ({
              value: row.size,
              id: row.id,
              itemStyle: {
                color: row.id === chosen ? colours.accent : colours.branch[3],
                opacity: chosen === null || row.id === chosen ? 0.85 : 0.25,
              },
            })),
          },
        ],
      };
    },
    { onClick: (event) => event.data && toggle(event.data.id) },
  );
}
