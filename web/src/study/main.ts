// The page of `paco study`: for each data set its charts, and below them the tables in full.
import { h } from '../shared/dom';
import { plural } from '../shared/format';
import { contents, figure, footer, header, plot, section } from '../shared/parts';
import { scoreHistogram } from '../shared/score_histogram';
import { programColumns, programRows, table } from '../shared/table';
import { bars, heightOf, pairs } from './bars';
import type { AnyChart, StudyDocument } from './document';
import { dots, groupsOf } from './dots';
import { legendOf, lines } from './lines';

type Legend = [mark: string, name: string][];

function legend(chart: AnyChart): Legend {
  switch (chart.kind) {
    case 'bars': {
      const marks: Legend = [];
      const preset = chart.rows.find((row) => row.preset);
      if (preset) marks.push(['square s0', `${preset.label} (default)`]);
      if (chart.range) marks.push(['line text', chart.range]);
      if (chart.mark) marks.push(['diamond s1', chart.mark]);
      return marks;
    }
    case 'pairs':
      return [
        ['circle s0', 'known classes'],
        ['diamond s1', 'novel classes'],
      ];
    case 'lines':
      return chart.range
        ? [...legendOf(chart), ['text upright', chart.range]]
        : legendOf(chart);
    case 'dots':
      return groupsOf(chart);
    case 'scores':
      return [
        ['square positive', 'should pass'],
        ['square negative', 'should not pass'],
      ];
  }
}

// A figure, and how to draw it once it stands on the page.
function chartFigure(chart: AnyChart, name: string) {
  const box = plot(chart.title, chart.kind === 'lines' || chart.kind === 'dots' ? 'tall' : '');
  if (chart.kind === 'bars' || chart.kind === 'pairs')
    box.style.height = `${heightOf(chart.rows)}px`;
  const draw = () => {
    if (chart.kind === 'bars') bars(name, chart, box);
    else if (chart.kind === 'pairs') pairs(name, chart, box);
    else if (chart.kind === 'lines') lines(name, chart, box);
    else if (chart.kind === 'dots') dots(name, chart, box);
    else scoreHistogram(name, chart, chart.axis, box);
  };
  return { element: figure(chart.title, chart.caption, box, legend(chart)), draw };
}

export function studyPage(study: StudyDocument) {
  const draws: (() => void)[] = [];
  const sets = study.sets.map((set, i) => {
    const figures = set.charts.map((chart, k) => {
      const { element, draw } = chartFigure(chart, `${set.name}-${k}`);
      draws.push(draw);
      return element;
    });
    const layout = ['', 'one', 'two', 'three'][Math.min(figures.length, 3)];
    return section(
      `set-${i}`,
      set.name,
      `${plural(set.support, 'labelled sample')} of ${plural(set.known, 'known class', 'known classes')}; a stream of ${plural(set.stream, 'sample')} of ${plural(set.classes, 'class', 'classes')}.`,
      h('div', { class: `grid ${layout}` }, figures),
    );
  });
  const tables = study.tables.map((source) =>
    section(
      `table-${source.key}-section`,
      source.title,
      source.caption,
      h(
        'div',
        { class: 'stack' },
        table(source.key, programColumns(source), programRows(source), {
          limit: 24,
          search: source.rows.length > 24,
        }),
      ),
    ),
  );
  const sections = [...sets, ...tables];
  return {
    elements: [
      header(`Study: ${study.study}`, study.title, study.remark),
      contents([
        ...study.sets.map((set, i): [string, string] => [`set-${i}`, set.name]),
        ...study.tables.map(({ key, title }): [string, string] => [`table-${key}-section`, title]),
      ]),
      h('main', {}, sections),
      footer('paco study'),
    ],
    draw: () => draws.forEach((draw) => draw()),
  };
}
