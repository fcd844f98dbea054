// A chart of the report: drawn again also when another category is highlighted.
//
//   mount('routing', box, () => option, { onClick: (event) => ..., highlights: false if it shows no category })
import { mount as mountChart } from '../../shared/chart';
import { onSelection } from '../selection.js';

export function mount(name, box, option, { onClick, highlights = true } = {}) {
  const { draw } = mountChart(name, box, option, onClick);
  if (highlights) onSelection(draw);
}
