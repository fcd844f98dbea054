// The document of a report, with its base64 columns turned into typed arrays.
import { branches, verdicts } from '../shared/ways';

const kinds = {
  points: {
    sequence: Uint32Array,
    category: Int32Array,
    runner_up: Int32Array,
    branch: Uint8Array,
    verdict: Uint8Array,
    route: Uint8Array,
    first: Uint8Array,
    truth: Int32Array,
    top_cosine: Float32Array,
    margin: Float32Array,
    birth_score: Float32Array,
    attach_score: Float32Array,
    tau_birth: Float32Array,
  },
  series: {
    sequence: Uint32Array,
    categories: Uint32Array,
    novel_classes: Uint32Array,
    eta: Float32Array,
    tau_birth: Float32Array,
    assignment: Int32Array,
  },
};

function decode(text, Type) {
  const binary = atob(text);
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  return new Type(bytes.buffer);
}

// Classes without names carry their number.
export const readableName = (name) => (/^\d+$/.test(name) ? `class ${name}` : name);

export function withArrays(data) {
  for (const [section, columns] of Object.entries(kinds)) {
    for (const [name, Type] of Object.entries(columns)) {
      if (typeof data[section][name] === 'string')
        data[section][name] = decode(data[section][name], Type);
    }
  }
  for (const field of data.evidence) {
    const columns = data.points.evidence;
    columns[field.name] = decode(columns[field.name], field.choices ? Uint8Array : Float32Array);
  }
  // How samples were decided: by the steps of the method, or just what came of it.
  data.ways = data.stream.branches ? branches : verdicts;
  data.stream.ways = data.stream.branches ?? data.stream.verdicts;
  data.points.way = data.points.branch ?? data.points.verdict;
  for (const row of data.memory.classes) row.name = readableName(row.name);
  for (const [label, name] of Object.entries(data.memory.truth_names))
    data.memory.truth_names[label] = readableName(name);
  // Everything that can be highlighted, by id.
  data.entries = new Map();
  for (const row of data.memory.classes) data.entries.set(row.id, { ...row, known: true });
  for (const row of data.memory.categories) data.entries.set(row.id, row);
  return data;
}

export const entryName = (data, id) => data.entries.get(id)?.name ?? `category ${id}`;

export const truthName = (data, label) =>
  label < 0 ? 'unknown' : (data.memory.truth_names[label] ?? String(label));

// Places in the stream that went into one class or category.
export function placesOf(data, id) {
  const places = [];
  const all = data.series.assignment;
  if (id === null || !all) return places;
  for (let i = 0; i < all.length; ++i) if (all[i] === id) places.push(data.stream.first + i);
  return places;
}
