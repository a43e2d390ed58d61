const many = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, at) => part(at)).join(' ')

const pages = (depth: number): string =>
  depth === 0 ? '{ id }' : `{ items { id events(size: $size) { items { id } } services { device { id } } } }`

interface ExpensiveDocument {
  query: string
  /** The document's variables, as JSON. */
  variables?: string
}

/** Documents that are cheap to send and expensive to process, each in a different way. */
export const expensiveDocuments: Record<string, ExpensiveDocument> = {
  'a depth of 5,000': { query: `{ login ${'{ devices { items '.repeat(2_500)}{ id }${'} }'.repeat(2_500)} }` },
  'a depth of 5,000 in a list': { query: `{ login { device(id: ${'['.repeat(5_000)}${']'.repeat(5_000)}) { id } } }` },
  'a depth of 5,000 in an object': {
    query: `{ login { devices(attributes: ${'{a: '.repeat(5_000)}1${'}'.repeat(5_000)}) { total } } }`,
  },
  'a type of 5,000 nested lists': { query: `query ($a: ${'['.repeat(5_000)}Int${']'.repeat(5_000)}) { version }` },
  'fragments that double 20 times': {
    query: `{ login { ...f0 } } ${many(20, (at) => `fragment f${at} on User { ...f${at + 1} ...f${at + 1} a${at}: devices { items { id } } }`)} fragment f20 on User { id devices { items { services { id } } } }`,
  },
  'a cycle of fragments': {
    query: `{ login { ...a } } fragment a on User { ...b } fragment b on User { ...c } fragment c on User { ...a }`,
  },
  '10,000 aliases': { query: `{ login { ${many(10_000, (at) => `a${at}: id`)} } }` },
  '600 aliases of a list': { query: `{ login { ${many(600, (at) => `a${at}:limits{name}`)} } }` },
  '1 MB of tokens': { query: `{ login { ${'id '.repeat(340_000)} } }` },
  '1 MB of commas and a field': { query: `{ login { id ${','.repeat(1_000_000)} devices(size: 0) { nothing } } }` },
  '1 MB in one string': { query: `{ login { device(id: "${'a'.repeat(1_000_000)}") { nothing } } }` },
  '1 MB in one name': { query: `{ ${'a'.repeat(1_000_000)} }` },
  '1 MB of escapes': { query: `{ login { device(id: "${'\\u0041'.repeat(140_000)}") { nothing } } }` },
  '600 directives': { query: `{ login { id ${many(600, () => '@skip(if: true)')} } }` },
  'nested lists with sizes in variables': {
    query: `query ($size: Int!) { login { devices(size: $size) ${pages(1)} } }`,
    variables: '{"size":1000}',
  },
  'sizes in variable defaults': {
    query: `query ($size: Int = 1000) { login { devices(size: $size) ${pages(1)} } }`,
  },
  'sizes in variables inside fragments': {
    query: `query ($size: Int!) { login { ...f } } fragment f on User { devices(size: $size) { items { ...g } } } fragment g on Device { events(size: $size) { items { id } } }`,
    variables: '{"size":1000}',
  },
  '10,000 IDs with their services': {
    query: 'query ($id: [String!]!) { login { device(id: $id) { services { device { services { id } } } } } }',
    variables: JSON.stringify({ id: Array.from({ length: 10_000 }, (_, at) => String(at)) }),
  },
  'nested lists in an introspection': {
    query: `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
  },
  'an introspection of 60 levels': {
    query: `{ __type(name: "A") { ${'ofType { '.repeat(60)} name ${'} '.repeat(60)} } }`,
  },
  '300 conflicting fields': {
    query: `{ login { ${many(300, (at) => `a: devices(size: ${at + 1}) { total }`)} } }`,
  },
  'variables with a depth of 20,000': {
    query: 'query ($a: Object) { login { devices(attributes: $a) { nothing } } }',
    variables: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  },
  '50,000 undeclared variables': {
    query: '{ login { nothing } }',
    variables: JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`v${at}`, at]))),
  },
}
