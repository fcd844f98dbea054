// `paco report` from end to end, looked at in a real browser.
//   node report_test.mjs PROGRAM NODE_MODULES GOLDEN_CASE
import './page_tests.mjs';
import './use_tests.mjs';
import './input_tests.mjs';
