// The tables of the report: a click on a row highlights its category everywhere.
import { table as plainTable } from '../shared/table';
import { onSelection, toggle } from './selection.js';

export const table = (name, columns, rows, options = {}) =>
  plainTable(name, columns, rows, { ...options, selection: { onSelection, toggle } });
