// The page of `paco serve`: theme, addresses, and the application in its place.
import { render } from 'preact';
import { charts } from '../shared/chart';
import { startTheme } from '../shared/theme';
import { App } from './app';
import { startRouting } from './state/route';

// Colours that the reader chose are kept for the next visit; a browser that keeps nothing is no reason to stop.
const remembered = {
  load: () => {
    try {
      return window.localStorage.getItem('paco-theme');
    } catch {
      return null;
    }
  },
  save: (theme: string) => {
    try {
      window.localStorage.setItem('paco-theme', theme);
    } catch {
      // The choice lasts as long as the page.
    }
  },
};

startTheme(remembered);
startRouting();
render(<App />, document.getElementById('page')!);
// For tests, and for the curious.
Object.assign(window, { paco: { charts } });
