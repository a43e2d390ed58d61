import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSchema } from '../../../src/schema.ts'
import {
  allowLocalWebhooks,
  createOwnedObjects,
  type OwnedObjects,
  startFailingReceiver,
} from '../../access/owned-objects.ts'
import { startTestApp, type TestApp } from '../../harness/app.ts'
import type { Receiver } from '../../harness/webhook-receiver.ts'
import { findProblem } from '../harmless.ts'
import { createRandom } from '../random.ts'
import { isLongRun, longTimeout, report, scale } from '../scale.ts'
import { type BodyResponse, prepareBody } from '../signed-body.ts'
import { expensiveDocuments } from './expensive-documents.ts'
import { randomRequest } from './random-documents.ts'

let app: TestApp
let receiver: Receiver
let own: OwnedObjects
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks })
  receiver = await startFailingReceiver()
  own = await createOwnedObjects(app.owner, receiver)
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

it('responds to random documents from the schema without internal errors', longTimeout, async () => {
  const random = createRandom(scale.seed)
  const schema = buildSchema()
  // Exclude the key, so that no document changes the key that signs the documents. Also exclude the webhook's URL.
  const { accessKey: _key, webhookUrl: _url, ...strings } = own
  const wrong: string[] = []
  const figures = { documents: 0, executed: 0, withoutErrors: 0, rejected: 0 }
  while (figures.documents < scale.documents && wrong.length < 5) {
    figures.documents++
    const request = randomRequest(schema, Object.values(strings), random)
    const response = await prepareBody(app, app.owner, JSON.stringify(request))()
    const problem = findProblem(response)
    if (problem !== undefined) wrong.push(`${problem} for ${JSON.stringify(request)}`)
    if (response.status === 200) figures.executed++
    else figures.rejected++
    if (response.status === 200 && !response.text.includes('"errors"')) figures.withoutErrors++
  }
  report(figures)
  expect(wrong).toEqual([])
  expect(figures.executed).toBeGreaterThan(figures.documents / 4)
  expect(figures.withoutErrors).toBeGreaterThan(figures.documents / 20)
})

describe('expensive documents', () => {
  /** Returns a function that sends a document. `comment` makes the document unique, so that no cache contains it. */
  const send = (name: string, comment: string): (() => Promise<BodyResponse>) => {
    const { query, variables } = expensiveDocuments[name]!
    const text = JSON.stringify(`${query}#${comment}`)
    return prepareBody(app, app.owner, `{"query":${text}${variables === undefined ? '' : `,"variables":${variables}`}}`)
  }

  it.each(Object.keys(expensiveDocuments))('are rejected with %s', async (name) => {
    const response = await send(name, 'a')()
    expect(findProblem(response)).toBeUndefined()
    const { data, errors } = JSON.parse(response.text)
    expect([response.status, data]).toEqual([400, undefined])
    expect(['BAD_USER_INPUT', 'QUERY_TOO_COMPLEX', 'LIMIT_EXCEEDED']).toContain(errors[0].extensions.code)
    if (!isLongRun) return
    const milliseconds: number[] = []
    for (const comment of ['b', 'c', 'd', 'e', 'f']) {
      const sendOne = send(name, comment)
      const before = process.cpuUsage()
      await sendOne()
      const { user, system } = process.cpuUsage(before)
      milliseconds.push((user + system) / 1_000)
    }
    const [median = Number.NaN] = milliseconds.sort((one, next) => one - next).slice(2)
    report({ document: name, cpuMilliseconds: Math.round(median * 10) / 10 })
    expect(median).toBeLessThan(50)
  })
})
