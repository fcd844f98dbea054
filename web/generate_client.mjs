// Writes the TypeScript types and the typed calls of `paco serve` out of its description:
//   node web/generate_client.mjs openapi.json web/src/serve/api/generated.ts
import { readFileSync, writeFileSync } from 'node:fs';

const [source, target] = process.argv.slice(2);
const description = JSON.parse(readFileSync(source, 'utf8'));

const nameOf = (reference) => reference.slice(reference.lastIndexOf('/') + 1);
const quoted = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

function typeOf(schema) {
  const type = plainTypeOf(schema);
  return schema.nullable ? `${type} | null` : type;
}

function plainTypeOf(schema) {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.enum) return schema.enum.map((word) => `'${word}'`).join(' | ');
  if (schema.format === 'binary') return 'Blob';
  if (schema.type === 'string') return 'string';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'array') {
    const item = typeOf(schema.items);
    return /[|&]/.test(item) ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties) return `{\n${fieldsOf(schema)}}`;
  if (schema.additionalProperties) return `Record<string, ${typeOf(schema.additionalProperties)}>`;
  return 'unknown';
}

const fieldsOf = (schema) =>
  Object.entries(schema.properties ?? {})
    .map(([name, field]) => {
      const mark = schema.required?.includes(name) ? '' : '?';
      return `  ${quoted(name)}${mark}: ${typeOf(field)};\n`;
    })
    .join('');

// Types of shapes that take over others' fields extend them.
function shapeOf(name, schema) {
  if (schema.enum) return `export type ${name} = ${typeOf(schema)};\n`;
  const bases = (schema.allOf ?? []).filter((part) => part.$ref).map(typeOf);
  const own = (schema.allOf ?? [schema]).find((part) => !part.$ref) ?? {};
  const after = bases.length ? ` extends ${bases.join(', ')}` : '';
  return `export interface ${name}${after} {\n${fieldsOf(own)}}\n`;
}

// Calls whose body and answer are JSON; files, events and the page are fetched by their address.
function callOf(path, verb, operation) {
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))[1];
  const answer = success.content?.['application/json'];
  const content = operation.requestBody?.content ?? {};
  const body = content['application/json'] ?? Object.values(content)[0];
  if (success.content && !answer) return '';
  const places = operation.parameters.filter((one) => one.in === 'path');
  const query = operation.parameters.filter((one) => one.in === 'query');
  const takes = places.map((one) => `${one.name}: ${typeOf(one.schema)}`);
  if (body) takes.push(`body: ${typeOf(body.schema)}`);
  if (query.length)
    takes.push(`query: { ${query.map((one) => `${one.name}?: ${typeOf(one.schema)}`).join('; ')} } = {}`);
  const address = path.replace(/\{(\w+)\}/g, (_, name) => `\${encodeURIComponent(${name})}`);
  const given = [`'${verb.toUpperCase()}'`, `\`${address}\`${query.length ? ' + ask(query)' : ''}`];
  if (body) given.push('body');
  const result = answer ? typeOf(answer.schema) : 'void';
  return (
    `  // ${operation.summary}.\n` +
    `  ${operation.operationId}: (${takes.join(', ')}): Promise<${result}> =>\n` +
    `    send(${given.join(', ')}) as Promise<${result}>,\n`
  );
}

const shapes = Object.entries(description.components.schemas).map(([name, schema]) => shapeOf(name, schema));
const calls = Object.entries(description.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => callOf(path, verb, operation)),
);

writeFileSync(
  target,
  `// The types and calls of paco serve, out of its own description (web/generate_client.mjs). Written
// by that program: change the shapes of the server instead.

${shapes.join('\n')}
const ask = (query: object): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length
    ? \`?\${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}\`
    : '';
};

// All calls by their names; \`send\` carries one out and gives the answer's JSON.
export const calls = (send: (method: string, path: string, body?: unknown) => Promise<unknown>) => ({
${calls.join('')}});
`,
);
