// `paco report` and `paco study` from end to end, in a real browser.
//   node report_test.mjs PROGRAM NODE_MODULES GOLDEN_CASE
import './page_tests.mjs';
import './use_tests.mjs';
import './input_tests.mjs';
import './study_tests.mjs';
