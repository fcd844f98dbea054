// Pages that hold their data: the report of a stream and the results of a study. Reads the embedded document, lays out the page
// that it is for, draws the charts.
import { reportPage } from '../report/main.js';
import { charts } from '../shared/chart';
import { startTheme } from '../shared/theme';
import { studyPage } from '../study/main';

const embedded = JSON.parse(document.getElementById('paco-data').textContent);
startTheme();
const { elements, draw, known = {} } = embedded.study ? studyPage(embedded) : reportPage(embedded);
document.getElementById('page').append(...elements);
draw();
// For tests, and for the curious.
window.paco = { data: embedded, charts, ...known };
