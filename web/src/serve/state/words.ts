// Sentences made from what the server answers. Knows no signals and no document.
import { integer } from '../../shared/format';

// Why as many categories as began in the stream are not there now: people merge, promote and move, and mirror's rehearsal too.
export const beganWords = (began: number, now: number): string =>
  began === now
    ? 'all began in the stream'
    : began > now
      ? `${integer(began)} began, ${integer(began - now)} since merged or made known`
      : `${integer(began)} began with a sample that was called new`;

// What can be typed into a terminal as it stands, once the file is there.
export const sendCommand = (origin: string, stream: string, images: boolean): string =>
  `paco send --server ${origin} --stream ${stream} ${images ? '--images photos' : '--input stream.npy'}`;

const backs = (text: string): string => /^(took back event \d+: )+/.exec(text)?.[0] ?? '';
// How often undone and done again: an odd number is undone.
export const tookBack = (text: string): number => backs(text).split(': ').length - 1;

// An undo tells what it took back, and that may be an undo: "took back event 8: took back event 5: renamed".
export function sentence(text: string): string {
  const times = tookBack(text);
  const said = text.slice(backs(text).length);
  const whole = times ? `${times % 2 ? 'Undone' : 'Done again'}: ${said}` : said;
  return whole ? whole[0].toUpperCase() + whole.slice(1) : 'Done';
}
