// Photos and texts that the reader drops or chooses: read from folders and tables, told apart into labelled examples and the rest,
// which is the stream. A photo belongs to the class that its folder is called by; a row of a table to its column "label".
export interface Example {
  name: string; // path in what was dropped
  label: string; // empty: of the stream
  file?: File;
  text?: string;
}

export interface Found {
  examples: Example[];
  leftOut: { name: string; why: string }[];
}

export interface NamedFile {
  path: string; // "birds/wren/a.jpg"
  file: File;
}

const photo = /\.(jpe?g|png|webp)$/i;
const table = /\.(csv|tsv)$/i;
const fewestClasses = 3;

// Rows of a csv or tsv; quotes may hold separators and line ends.
export function rowsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (c === '"' && !cell) quoted = true;
    else if (c === separator || c === '\n') {
      row.push(cell.replace(/\r$/, ''));
      cell = '';
      if (c === '\n') {
        rows.push(row);
        row = [];
      }
    } else cell += c;
  }
  if (cell || row.length) rows.push([...row, cell.replace(/\r$/, '')]);
  return rows.filter((one) => one.some(Boolean));
}

export function fromTable(name: string, text: string): Found {
  const [head = [], ...rows] = rowsOf(text.replace(/^\ufeff/, ''), /\.tsv$/i.test(name) ? '\t' : ',');
  const column = (wanted: string) =>
    head.findIndex((one) => one.trim().toLowerCase() === wanted);
  const [at, label] = [column('text'), column('label')];
  if (at < 0)
    return { examples: [], leftOut: [{ name, why: 'it has no column called “text”' }] };
  const found: Found = { examples: [], leftOut: [] };
  rows.forEach((row, i) => {
    const one = { name: `${name}:${i + 2}`, label: row[label]?.trim() ?? '', text: row[at]?.trim() };
    if (one.text) found.examples.push(one);
    else found.leftOut.push({ name: one.name, why: 'it has no text' });
  });
  return found;
}

// The class of a photo is the folder that it lies in. Photos beside the folders of classes, and those in a folder called "stream",
// are of no class.
export function labelsOf(paths: string[]): string[] {
  const folders = (path: string) => path.split('/').slice(0, -1);
  const parents = new Set(paths.flatMap((path) => folders(path).slice(0, -1)
    .map((_, i) => folders(path).slice(0, i + 1).join('/'))));
  return paths.map((path) => {
    const own = folders(path);
    const label = own.at(-1) ?? '';
    return parents.has(own.join('/')) || label === 'stream' ? '' : label;
  });
}

// Names begin below the one folder that was dropped, as in `paco start`.
function withoutRoot(found: Found): Found {
  const all = [...found.examples, ...found.leftOut];
  const root = /^[^/]+\//.exec(all[0]?.name ?? '')?.[0];
  if (!root || !all.every(({ name }) => name.startsWith(root))) return found;
  const below = <T extends { name: string }>(one: T): T => ({ ...one, name: one.name.slice(root.length) });
  return { examples: found.examples.map(below), leftOut: found.leftOut.map(below) };
}

export async function examplesIn(files: NamedFile[]): Promise<Found> {
  const found: Found = { examples: [], leftOut: [] };
  const visible = files.filter(({ path }) => !path.split('/').some((part) => part.startsWith('.')));
  const photos = visible.filter(({ path }) => photo.test(path));
  const labels = labelsOf(photos.map(({ path }) => path));
  photos.forEach(({ path, file }, i) =>
    found.examples.push({ name: path, label: labels[i], file }),
  );
  for (const { path, file } of visible) {
    if (photo.test(path)) continue;
    if (!table.test(path)) {
      found.leftOut.push({ name: path, why: 'it is no JPEG, PNG or WebP file, and no table' });
      continue;
    }
    const rows = fromTable(path, await file.text());
    found.examples.push(...rows.examples);
    found.leftOut.push(...rows.leftOut);
  }
  found.examples.sort((a, b) => (a.name < b.name ? -1 : 1));
  return withoutRoot(found);
}

// Everything below what was dropped. The entries have to be taken before the first pause: afterwards the browser forgets them.
export async function droppedFiles(data: DataTransfer): Promise<NamedFile[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((one) => one !== null);
  const files: NamedFile[] = [];
  const walk = async (entry: FileSystemEntry): Promise<void> => {
    const path = entry.fullPath.replace(/^\//, '');
    if (entry.isFile) {
      const file = await new Promise<File>((done, fail) =>
        (entry as FileSystemFileEntry).file(done, fail),
      );
      files.push({ path, file });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((done, fail) =>
        reader.readEntries(done, fail),
      );
      if (!some.length) return;
      for (const one of some) await walk(one);
    }
  };
  for (const entry of entries) await walk(entry);
  return files;
}

export const chosenFiles = (list: FileList | null): NamedFile[] =>
  [...(list ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

// How many of each class, by name.
export function classesOf(found: Found): Map<string, number> {
  const classes = new Map<string, number>();
  for (const { label } of found.examples)
    if (label) classes.set(label, (classes.get(label) ?? 0) + 1);
  return new Map([...classes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// Why no stream can be made of them, in a sentence; null: it can.
export function faultOf(found: Found): string | null {
  const classes = classesOf(found);
  const single = [...classes].filter(([, count]) => count < 2).map(([name]) => name);
  if (!found.examples.length)
    return 'There is no photo and no table with texts in it.';
  if (found.examples.some((one) => one.file) && found.examples.some((one) => one.text))
    return 'There are photos and texts: give the one or the other.';
  if (classes.size < fewestClasses)
    return `${classes.size === 0 ? 'No class was' : classes.size === 1 ? 'One class was' : 'Two classes were'} found, and at least three are needed: a folder for each, called as the class.`;
  if (single.length)
    return `There is a single example of ${single.join(', ')}: at least two of each class are needed.`;
  return null;
}
