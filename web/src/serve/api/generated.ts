// The types and calls of paco serve, out of its own description (web/generate_client.mjs). Written
// by that program: change the shapes of the server instead.

export interface Error {
  error: Problem;
}

export interface Problem {
  code: string;
  message: string;
  hint: string;
  row?: number;
}

export type Verdict = 'known' | 'existing' | 'created' | 'tentative';

export interface Health {
  status: string;
}

export interface Readiness {
  status: 'ready' | 'opening';
  streams?: Record<string, string>;
}

export interface Description {
  openapi: string;
  paths: Record<string, unknown>;
}

export interface Server {
  version: string;
  page: boolean;
  user: User;
  tokens: boolean;
  streams: number;
  limits: Limits;
  encoder: Encoder | null;
  methods: MethodSummary[];
}

export interface Encoder extends Embedding {
  kind: 'images' | 'texts';
}

export interface Embedding {
  encoder: string;
  weights: string;
  preprocessing: string;
  precision: string;
  dimension: number;
}

export interface User {
  name: string;
  role: 'read' | 'send' | 'operate';
}

export interface Limits {
  body: number;
  upload: number;
  samples: number;
  picture: number;
  attributes: number;
  image: number;
  image_pixels: number;
}

export interface MethodSummary {
  name: string;
  summary: string;
  options: MethodOption[];
}

export interface MethodOption {
  name: string;
  default: string;
  meaning: string;
}

export interface StreamList {
  streams: Stream[];
}

export interface Stream {
  name: string;
  state: 'opening' | 'calibrating' | 'ready' | 'failed';
  method: string | null;
  dimension: number | null;
  embedding: Embedding | null;
  samples: number;
  events: number;
  known: number;
  discovered: number;
  retired: number;
  rate: number;
  created: number | null;
  warnings: number;
  suggestions: number;
  error: Problem | null;
  progress: Progress | null;
}

export interface Progress {
  done: number;
  total: number;
}

export interface StreamDetail extends Stream {
  figures?: Record<string, unknown>;
  evidence?: EvidenceField[];
  operations?: string[];
  embeddings_kept?: boolean;
  false_new?: FalseNew | null;
  delays?: Delays;
  journal?: JournalSize;
}

export interface FalseNew {
  rate: number;
  expected: number;
  samples: number;
  with: FalseNewOutcome | null;
  without: FalseNewOutcome | null;
}

export interface FalseNewOutcome {
  strict_all: number;
  called_new: number;
}

export interface EvidenceField {
  name: string;
  unit: string;
  meaning: string;
  choices: string[];
}

export interface Delays {
  count: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

export interface JournalSize {
  bytes: number;
  durability: 'full' | 'relaxed';
}

export interface Archived {
  archived: string;
}

export interface SupportRows {
  rows: number;
  dimension: number;
}

export interface SupportLabels {
  rows: number;
  classes: number;
}

export interface LabelledSamples {
  samples: LabelledSample[];
}

export interface LabelledSample extends Sample {
  label: string;
}

export interface Calibration {
  method?: string;
  settings?: Record<string, unknown>;
  false_new?: number;
  embeddings?: unknown;
  durability?: 'full' | 'relaxed';
  support?: Support;
}

export interface Support {
  embeddings: number[][];
  labels: unknown[];
}

export interface Manifest {
  stream: string;
  samples: number;
  categories: ManifestCategory[];
}

export interface ManifestCategory {
  category: number;
  name: string;
  files: string[];
}

export interface SnapshotList {
  snapshots: Snapshot[];
}

export interface Snapshot {
  event: number;
  sequence: number;
  digest: string;
  size: number;
}

export interface Series {
  width: number;
  samples: number;
  steps: Step[];
}

export interface Step {
  from: number;
  count: number;
  verdicts: VerdictCounts;
  choices: Record<string, Record<string, number>>;
  categories: number;
  means: Record<string, number | null>;
}

export interface VerdictCounts {
  known: number;
  existing: number;
  created: number;
  tentative: number;
}

export interface RecentHour {
  now: number;
  width: number;
  steps: RecentStep[];
}

export interface RecentStep {
  time: number;
  samples: number;
  births: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

export interface PrototypeMap {
  event: number;
  points: MapPoint[];
  explained: number[];
}

export interface MapPoint {
  prototype: number;
  category: number;
  name: string;
  x: number;
  y: number;
  size: number;
  known: boolean;
}

export interface CentroidList {
  event: number;
  centroids: Centroid[];
}

export interface Centroid {
  category: number;
  name: string;
  direction: number[];
}

export interface SampleMap {
  samples: number;
  points: SampleMapPoint[];
}

export interface SampleMapPoint extends Face {
  x: number;
  y: number;
  category: number;
  name: string;
  verdict: Verdict;
  verified: boolean;
}

export interface Advice {
  event: number;
  suggestions: Suggestion[];
  warnings: Warning[];
  names?: Record<string, string>;
}

export interface Suggestion {
  id: string;
  kind: 'merge' | 'name' | 'look';
  reason: string;
  strength: number;
  operation: Operation | null;
  categories: number[];
  samples: number[];
}

export interface Warning {
  id: string;
  kind: string;
  text: string;
  category: number | null;
  since: number;
}

export interface Samples {
  samples: Sample[];
}

export interface Sample {
  embedding?: number[];
  image?: string;
  text?: string;
  key?: string;
  id?: string;
  attributes?: Record<string, unknown>;
  picture?: string;
}

export interface Decisions {
  decisions: Decision[];
}

export interface Decision {
  sequence: number;
  category: number;
  name: string;
  verdict: Verdict;
  key: string | null;
  event?: number;
  now?: number;
  prototype?: number;
  repeated?: boolean;
  score?: number | null;
  threshold?: number | null;
  runner_up?: number;
  evidence?: Record<string, unknown>;
}

export interface SampleEvent {
  sequence: number;
  event: number;
  category: number;
  name: string;
  verdict: Verdict;
  key: string | null;
  id: string | null;
  score: number | null;
  threshold: number | null;
  time: number | null;
  picture: boolean;
  attributes: Record<string, string | number | boolean | null>;
}

export interface SampleView extends SampleEvent {
  now: number;
  now_name: string;
  prototype: number;
  member_of: number;
  verified: boolean;
  runner_up: number;
  runner_up_name: string;
  cosine?: number;
}

export interface SamplePage {
  total: number;
  samples: SampleView[];
  next: number | null;
}

export interface SampleDetail extends SampleView {
  evidence: Record<string, string | number | boolean | null>;
  explanation: string;
  runner_ups: Near[];
  neighbours: Neighbour[];
}

export interface Near {
  category: number;
  name: string;
  cosine: number;
}

export interface Face {
  sequence: number;
  key: string | null;
  id: string | null;
  picture: boolean;
  attributes: Record<string, string | number | boolean | null>;
}

export interface Neighbour extends Face, Near {
}

export interface CategoryPage {
  total: number;
  offset: number;
  event: number;
  categories: Category[];
}

export interface Category {
  id: number;
  name: string;
  kind: 'known' | 'discovered';
  now: number;
  retired: boolean;
  size: number;
  answered: number;
  verified: number;
  birth: number | null;
  resultant_length: number | null;
  prototypes: number[];
  newest: number | null;
  promoted: boolean;
  support_pictures: number;
  faces?: Face[];
  keywords?: string[];
  suggested_name?: string | null;
  like?: Near | null;
}

export interface CategoryDetail extends Category {
  parts: Part[];
  nearest: Near[];
}

export interface Part {
  prototype: number;
  size: number;
  birth: number;
  resultant_length: number | null;
  reference: boolean;
  competing: boolean;
}

export interface MemberPage {
  total: number;
  members: SampleView[];
  next: number | null;
}

export interface OperationPage {
  operations: Outcome[];
  next: number | null;
}

export interface Operation {
  kind: 'rename' | 'merge' | 'separate' | 'move' | 'promote' | 'demote' | 'retire' | 'revive' | 'verify' | 'undo';
  category?: number;
  categories?: number[];
  into?: unknown;
  samples?: number[];
  prototypes?: number[];
  name?: string;
  event?: number;
  actor?: string;
  key?: string;
}

export interface Outcome {
  event: number;
  sequence: number;
  kind: string;
  category: number | null;
  text: string;
  time: number;
  actor: string;
  request: unknown;
  undoes: number | null;
  undone_by?: number | null;
}

const ask = (query: object): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length
    ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
    : '';
};

// All calls by their names; `send` carries one out and gives the answer's JSON.
export const calls = (send: (method: string, path: string, body?: unknown) => Promise<unknown>) => ({
  // Whether the process lives.
  getHealth: (): Promise<Health> =>
    send('GET', `/healthz`) as Promise<Health>,
  // Whether every stream is open that can be opened.
  getReadiness: (): Promise<Readiness> =>
    send('GET', `/readyz`) as Promise<Readiness>,
  // The server, who asks, limits and methods.
  getServer: (): Promise<Server> =>
    send('GET', `/v1`) as Promise<Server>,
  // This description.
  getDescription: (): Promise<Description> =>
    send('GET', `/v1/openapi.json`) as Promise<Description>,
  // All streams.
  listStreams: (): Promise<StreamList> =>
    send('GET', `/v1/streams`) as Promise<StreamList>,
  // One stream.
  getStream: (name: string): Promise<StreamDetail> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}`) as Promise<StreamDetail>,
  // Make a stream from a model file.
  putStream: (name: string, body: Blob, query: { method?: string; embeddings?: string; durability?: string } = {}): Promise<Stream> =>
    send('PUT', `/v1/streams/${encodeURIComponent(name)}` + ask(query), body) as Promise<Stream>,
  // Take a stream out of service.
  deleteStream: (name: string, query: { journal?: string } = {}): Promise<Archived> =>
    send('DELETE', `/v1/streams/${encodeURIComponent(name)}` + ask(query)) as Promise<Archived>,
  // Give a stream another name.
  renameStream: (name: string, query: { to?: string } = {}): Promise<Stream> =>
    send('POST', `/v1/streams/${encodeURIComponent(name)}/rename` + ask(query)) as Promise<Stream>,
  // Labelled embeddings for a new stream.
  putSupportEmbeddings: (name: string, body: Blob): Promise<SupportRows> =>
    send('PUT', `/v1/streams/${encodeURIComponent(name)}/support/embeddings`, body) as Promise<SupportRows>,
  // Their labels.
  putSupportLabels: (name: string, body: Blob): Promise<SupportLabels> =>
    send('PUT', `/v1/streams/${encodeURIComponent(name)}/support/labels`, body) as Promise<SupportLabels>,
  // Labelled samples for a new stream, embedded by this server.
  postSupportSamples: (name: string, body: LabelledSamples, query: { anew?: string } = {}): Promise<SupportLabels> =>
    send('POST', `/v1/streams/${encodeURIComponent(name)}/support/samples` + ask(query), body) as Promise<SupportLabels>,
  // Make a stream from a support set, in the background.
  calibrateStream: (name: string, body: Calibration): Promise<Stream> =>
    send('POST', `/v1/streams/${encodeURIComponent(name)}/calibrate`, body) as Promise<Stream>,
  // Its results: a table of samples, or the files of each category.
  getExport: (name: string, query: { form?: string } = {}): Promise<Manifest> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/export` + ask(query)) as Promise<Manifest>,
  // The snapshots in its journal.
  listSnapshots: (name: string): Promise<SnapshotList> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/snapshots`) as Promise<SnapshotList>,
  // A snapshot now.
  makeSnapshot: (name: string): Promise<Snapshot> =>
    send('POST', `/v1/streams/${encodeURIComponent(name)}/snapshots`) as Promise<Snapshot>,
  // The stream in at most 256 steps.
  getSeries: (name: string): Promise<Series> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/series`) as Promise<Series>,
  // Its prototypes in two dimensions.
  getMap: (name: string): Promise<PrototypeMap> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/map`) as Promise<PrototypeMap>,
  // The unit direction of each category in force.
  getCentroids: (name: string): Promise<CentroidList> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/centroids`) as Promise<CentroidList>,
  // Some of its samples in two dimensions, neighbours near each other.
  getSampleMap: (name: string, query: { limit?: number } = {}): Promise<SampleMap> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/map/samples` + ask(query)) as Promise<SampleMap>,
  // The last hour in steps of five seconds, since the server started.
  getRecentHour: (name: string): Promise<RecentHour> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/recent`) as Promise<RecentHour>,
  // What a person might do, and what is unusual.
  getSuggestions: (name: string, query: { after?: number } = {}): Promise<Advice> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/suggestions` + ask(query)) as Promise<Advice>,
  // Decide on samples.
  postSamples: (name: string, body: Samples, query: { brief?: string; key_prefix?: string; key_first?: number; key?: string; id?: string } = {}): Promise<Decisions> =>
    send('POST', `/v1/streams/${encodeURIComponent(name)}/samples` + ask(query), body) as Promise<Decisions>,
  // Samples page by page.
  listSamples: (name: string, query: { from?: number; limit?: number; sort?: string; order?: string; verdict?: string; category?: number; attribute?: string; score_from?: number; score_to?: number; time_from?: number; time_to?: number; search?: string; key?: string } = {}): Promise<SamplePage> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/samples` + ask(query)) as Promise<SamplePage>,
  // A sample with its explanation and what is near it.
  getSample: (name: string, sequence: number): Promise<SampleDetail> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/samples/${encodeURIComponent(sequence)}`) as Promise<SampleDetail>,
  // Categories page by page.
  listCategories: (name: string, query: { offset?: number; limit?: number; sort?: string; order?: string; kind?: string; search?: string; retired?: string; merged?: string; faces?: number } = {}): Promise<CategoryPage> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/categories` + ask(query)) as Promise<CategoryPage>,
  // A category with its prototypes and the nearest others.
  getCategory: (name: string, category: number): Promise<CategoryDetail> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/categories/${encodeURIComponent(category)}`) as Promise<CategoryDetail>,
  // Its members page by page.
  listMembers: (name: string, category: number, query: { order?: string; from?: number; limit?: number } = {}): Promise<MemberPage> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/categories/${encodeURIComponent(category)}/members` + ask(query)) as Promise<MemberPage>,
  // Operations, newest first.
  listOperations: (name: string, query: { limit?: number; before?: number } = {}): Promise<OperationPage> =>
    send('GET', `/v1/streams/${encodeURIComponent(name)}/operations` + ask(query)) as Promise<OperationPage>,
  // Change categories.
  postOperation: (name: string, body: Operation): Promise<Outcome> =>
    send('POST', `/v1/streams/${encodeURIComponent(name)}/operations`, body) as Promise<Outcome>,
  // Take an operation back.
  undoOperation: (name: string, event: number, query: { key?: string } = {}): Promise<Outcome> =>
    send('POST', `/v1/streams/${encodeURIComponent(name)}/operations/${encodeURIComponent(event)}/undo` + ask(query)) as Promise<Outcome>,
});
