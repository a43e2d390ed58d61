import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDeviceFile } from '../../../../fleet-csv/src/csv/read-file.ts'
import { formatCsvRow } from '../../../../fleet-csv/src/csv/rfc-4180.ts'
import { importDevices } from '../../../../fleet-csv/src/import/import-devices.ts'
import { buildSchema } from '../../../src/schema.ts'
import {
  allowLocalWebhooks,
  createOwnedObjects,
  type OwnedObjects,
  startFailingReceiver,
} from '../../access/owned-objects.ts'
import { startTestApp, type TestApp, type TestUser } from '../../harness/app.ts'
import type { Receiver } from '../../harness/webhook-receiver.ts'
import { findProblem } from '../harmless.ts'
import { createRandom, type Random } from '../random.ts'
import { longTimeout, report, scale } from '../scale.ts'
import { prepareBody } from '../signed-body.ts'
import { stringArguments } from './entry-points.ts'
import { naughtyStrings } from './naughty-strings.ts'

let app: TestApp
let receiver: Receiver
let own: OwnedObjects
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks, worker: true })
  receiver = await startFailingReceiver()
  own = await createOwnedObjects(app.owner, receiver)
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

const chosen = (random: Random): readonly string[] =>
  scale.strings >= naughtyStrings.length
    ? naughtyStrings
    : Array.from({ length: scale.strings }, () => random.pick(naughtyStrings))

it('handles unusual strings in every string argument of queries and mutations', longTimeout, async () => {
  const random = createRandom(scale.seed)
  const wrong: string[] = []
  const figures = { arguments: 0, strings: 0, errors: 0 }
  for (const { field, document, variables } of stringArguments(buildSchema(), own)) {
    figures.arguments++
    for (const text of chosen(random)) {
      figures.strings++
      const response = await prepareBody(
        app,
        app.owner,
        JSON.stringify({ query: document, variables: variables(text) }),
      )()
      const problem = findProblem(response)
      const isValid = !response.text.includes('Cannot query') && !response.text.includes('Unknown argument')
      if (problem !== undefined || !isValid)
        wrong.push(`${field} ${JSON.stringify(text.slice(0, 60))}: ${problem ?? response.text}`)
      if (response.text.includes('"errors"')) figures.errors++
    }
  }
  report(figures)
  expect(wrong).toEqual([])
  expect(figures.arguments).toBeGreaterThan(60)
})

const apiOf = (user: TestUser, problems: string[]) => ({
  async query<Data>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Data> {
    const response = await prepareBody(app, user, JSON.stringify({ query, variables }))()
    const problem = findProblem(response)
    if (problem !== undefined) problems.push(problem)
    const { data, errors } = JSON.parse(response.text)
    if (errors === undefined) return data
    throw Object.assign(new Error(errors[0].message), { code: errors[0].extensions.code })
  },
})

it('handles unusual strings in every cell of a device file', longTimeout, async () => {
  const random = createRandom(scale.seed)
  const columns = ['name', 'hardwareId', 'platform', 'services', 'site', 'net.ssid', '$svc.categoryA']
  const strings =
    scale.strings >= naughtyStrings.length ? naughtyStrings : naughtyStrings.filter(() => random.oneIn(12))
  const problems: string[] = []
  const user = await app.createUser()
  const run = async (rows: string[]) => {
    const file = readDeviceFile(Buffer.from(rows.join('')))
    const { signal } = new AbortController()
    return importDevices({
      api: apiOf(user, problems),
      file,
      strict: false,
      dryRun: false,
      jobName: 'import',
      onProgress() {},
      signal,
    })
  }
  const header = formatCsvRow(columns)
  const rows = strings.flatMap((text, line) =>
    columns.map((_, at) =>
      formatCsvRow(columns.map((column, other) => (other === at ? text : column === 'name' ? `n${line}` : null))),
    ),
  )
  const outcome = await run([header, ...rows])
  expect(problems).toEqual([])
  expect(outcome.stoppedBy).toBeUndefined()
  expect(outcome.created + outcome.updated + outcome.unchanged + outcome.problems.length).toBe(outcome.rows)
  expect(outcome.created).toBeGreaterThan(strings.length)

  // Put the string into the header and into cells without escaping it, so that the import can reject the whole file or
  // single rows.
  for (const text of strings) {
    for (const raw of [`name,${text}\na,b\n`, `${text}\n`, `name\n${text}\n`, `name,site\na,"${text}\n`]) {
      await run([raw]).catch((error: Error) => expect(error.constructor.name).toBe('FileError'))
    }
  }
  expect(problems).toEqual([])
  report({ cells: rows.length, files: strings.length * 4, created: outcome.created, rejected: outcome.problems.length })
})

describe('malformed request bodies', () => {
  const validBodies = () =>
    [
      [
        '/graphql/v1',
        'POST',
        JSON.stringify({
          query: 'query ($a: Object) { login { devices(attributes: $a) { total } } }',
          variables: { a: { b: 'c' } },
        }),
      ],
      [
        '/devices/v1/register',
        'POST',
        JSON.stringify({ code: own.code, hardwareId: 'h', name: 'n', services: [{ name: 's', port: 22 }] }),
      ],
      [
        '/devices/v1/report',
        'POST',
        JSON.stringify({ state: 'active', ttl: 60, attributes: { a: 'b' }, services: [{ id: own.service }] }),
      ],
      [
        '/rest/v1/devices',
        'POST',
        JSON.stringify({ name: 'x', attributes: { a: { b: 'c' } }, services: [{ name: 's', port: 22 }] }),
      ],
      [`/rest/v1/devices/${own.device}/attributes`, 'PATCH', JSON.stringify({ a: 'b', c: null })],
    ] as [path: string, method: string, body: string][]
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\',
    '\\u',
    '\\ud800',
    '\0',
    '\ufeff',
    '1e999',
    '-',
    'null',
    'NaN',
    '__proto__',
    '\n',
    '/**/',
    '"a":',
  ]

  const broken = (body: string, random: Random): Buffer => {
    let bytes = Buffer.from(body)
    for (let edits = 1 + random.below(4); edits > 0; edits--) {
      const at = random.below(bytes.length + 1)
      const inserted = Buffer.from(random.pick(pieces))
      const replaced = random.oneIn(3) ? Buffer.from([random.below(256)]) : inserted
      bytes = Buffer.concat([bytes.subarray(0, at), replaced, bytes.subarray(at + random.below(4))])
    }
    return random.oneIn(8) ? bytes.subarray(0, random.below(bytes.length)) : bytes
  }

  it('cause no internal errors, and most of them are rejected', longTimeout, async () => {
    const random = createRandom(scale.seed)
    const wrong: string[] = []
    const figures = { bodies: 0, rejected: 0 }
    while (figures.bodies < scale.bodies) {
      figures.bodies++
      const [path, method, body] = random.pick(validBodies())
      const bytes = broken(body, random)
      const type = random.oneIn(10)
        ? random.pick(['text/plain', 'application/json; charset=utf-16', 'x', 'multipart/form-data'])
        : 'application/json'
      const response = await prepareBody(app, app.owner, bytes, { path, method, type })()
      const problem = findProblem(response)
      if (problem !== undefined) wrong.push(`${problem} for ${path} ${JSON.stringify(bytes.toString('latin1'))}`)
      if (response.status >= 400) figures.rejected++
    }
    report(figures)
    expect(wrong).toEqual([])
    expect(figures.rejected).toBeGreaterThan(figures.bodies / 2)
  })
})
