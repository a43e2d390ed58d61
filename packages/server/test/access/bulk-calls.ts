import { randomUUID } from 'node:crypto'
import { attempt, type Call, literal, notFound, ofWrongKind } from './call.ts'
import type { OwnedObjects } from './owned-objects.ts'

const change = (verb: string, id: string, more = ''): string =>
  `mutation { ${verb}Bulk(id: ${literal(id)}${more}) { id name state target operations token } }`

const ofJob = (
  verb: string,
  idOf: (own: OwnedObjects) => string,
  {
    more = () => '',
    naming = {},
    others = [],
  }: { more?: (own: OwnedObjects) => string; naming?: Call['naming']; others?: string[] } = {},
): Call => ({
  plain: (own) => change(verb, idOf(own), more(own)),
  naming: {
    id: [
      notFound((theirs, own) => change(verb, idOf(theirs), more(own))),
      ofWrongKind(({ webhook }, own) => change(verb, webhook, more(own))),
    ],
    ...naming,
  },
  others,
})

const target = (parts: string): string =>
  `target: { ${parts} }, operations: [{ setAttributes: { attributes: { x: ${literal(randomUUID())} } } }]`
const create = (parts: string): string =>
  `mutation { createBulk(${target(parts)}) { counts { total rejected } items { items { device { id name } code } } } }`
const run = (parts: string, expected: number): string =>
  `mutation { runBulk(${target(parts)}, expected: ${expected}) { counts { total change } } }`

/**
 * A bulk job's target never includes another user's device. The server rejects the device's ID like an unknown ID, and
 * a filter does not match the device.
 */
const targets: Call['naming'] = {
  'target.ids': attempt({ finds: { createBulk: { counts: { total: 1, rejected: 1 } } } }, ({ device }) =>
    create(`ids: [${literal(device)}]`),
  ),
  'target.where': attempt({ finds: { createBulk: { counts: { total: 0 } } } }, ({ device }) =>
    create(`where: ${literal(`id = ${device}`)}`),
  ),
  'target.view': notFound(({ view }) => create(`view: ${literal(view)}`)),
  'target.csv': attempt({ finds: { createBulk: { counts: { total: 1, rejected: 1 } } } }, ({ device }) =>
    create(`csv: ${literal(`id\n${device}`)}`),
  ),
}

const others = [
  'target.context',
  'target.register',
  'target.secrets',
  'operations.setAttributes',
  'operations.update',
  'operations.addService',
  'operations.removeService',
  'operations.delete',
  'name',
  'rate',
  'maxFailures',
]

const itemsOf = (id: string, after: string): string =>
  `{ login { bulkJob(id: ${literal(id)}) { items(after: ${literal(after)}) { items { status } } } } }`

export const bulkCalls: { queries: Record<string, Call>; mutations: Record<string, Call> } = {
  queries: {
    'User.bulkJob': {
      plain: ({ bulkJob }) => `{ login { bulkJob(id: ${literal(bulkJob)}) { id name items { total } } } }`,
      naming: {
        id: attempt(
          { finds: { login: { bulkJob: [] } } },
          ({ bulkJob }) => `{ login { bulkJob(id: ${literal(bulkJob)}) { id name } } }`,
        ),
      },
    },
    'User.bulkJobs': {
      plain: () => '{ login { bulkJobs { items { id name } total } } }',
      naming: {
        after: notFound(({ bulkJob }) => `{ login { bulkJobs(after: ${literal(bulkJob)}) { items { id } } } }`),
      },
      others: ['state', 'size'],
    },
    'BulkJob.items': {
      plain: ({ bulkJob }) => `{ login { bulkJob(id: ${literal(bulkJob)}) { items { items { device { id } } } } } }`,
      naming: { after: attempt('own', ({ device }, own) => itemsOf(own.bulkJob, device)) },
      others: ['outcome', 'status', 'size'],
    },
  },
  mutations: {
    'Mutation.createBulk': {
      plain: ({ device }) => create(`ids: [${literal(device)}]`),
      naming: targets,
      others: [...others, 'open'],
    },
    'Mutation.runBulk': {
      plain: ({ device }) => run(`ids: [${literal(device)}]`, 1),
      naming: {
        'target.ids': attempt('CONFLICT', ({ device }) => run(`ids: [${literal(device)}]`, 0)),
        'target.where': attempt({ finds: { runBulk: { counts: { total: 0 } } } }, ({ device }) =>
          run(`where: ${literal(`id = ${device}`)}`, 0),
        ),
        'target.csv': attempt('CONFLICT', ({ device }) => run(`csv: ${literal(`id\n${device}`)}`, 0)),
        'target.view': notFound(({ view }) => run(`view: ${literal(view)}`, 1)),
      },
      others: [...others, 'expected'],
    },
    'Mutation.appendBulk': ofJob('append', ({ bulkDraft }) => bulkDraft, {
      more: ({ mark }) => `, ids: [${literal(mark)}]`,
      others: ['ids', 'csv'],
    }),
    'Mutation.previewBulk': ofJob('preview', ({ bulkOther }) => bulkOther),
    'Mutation.startBulk': ofJob('start', ({ bulkJob }) => bulkJob, {
      more: ({ bulkToken }) => `, token: ${literal(bulkToken)}`,
      others: ['token', 'expected'],
    }),
    'Mutation.pauseBulk': ofJob('pause', ({ bulkRunning }) => bulkRunning),
    'Mutation.resumeBulk': ofJob('resume', ({ bulkRunning }) => bulkRunning, { others: ['rate'] }),
    'Mutation.cancelBulk': ofJob('cancel', ({ bulkDraft }) => bulkDraft),
    'Mutation.retryBulk': ofJob('retry', ({ bulkDone }) => bulkDone, { others: ['statuses'] }),
    'Mutation.undoBulk': ofJob('undo', ({ bulkDone }) => bulkDone, { others: ['rate'] }),
  },
}
