import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSchema } from '../../../src/schema.ts'
import { type OwnedObjects, createOwnedObjects, allowLocalWebhooks, startFailingReceiver } from '../../access/owned-objects.ts'
import { startTestApp, type TestApp } from '../../harness/app.ts'
import type { Receiver } from '../../harness/webhook-receiver.ts'
import { harmOf } from '../harmless.ts'
import { hostileDocuments } from './expensive-documents.ts'
import { createRandom } from '../random.ts'
import { randomRequest } from './random-documents.ts'
import { isByHand, patience, report, scale } from '../scale.ts'
import { type BodyAnswer, prepareBody } from '../signed-body.ts'

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

it('random documents made from the schema are answered, whatever stands in them', patience, async () => {
  const random = createRandom(scale.seed)
  const schema = buildSchema()
  // Without the key that all of this is signed with.
  const { accessKey: _key, webhookUrl: _url, ...texts } = own
  const wrong: string[] = []
  const figures = { documents: 0, answered: 0, withoutErrors: 0, refused: 0 }
  while (figures.documents < scale.documents && wrong.length < 5) {
    figures.documents++
    const request = randomRequest(schema, Object.values(texts), random)
    const answer = await prepareBody(app, app.owner, JSON.stringify(request))()
    const harm = harmOf(answer)
    if (harm !== undefined) wrong.push(`${harm} for ${JSON.stringify(request)}`)
    if (answer.status === 200) figures.answered++
    else figures.refused++
    if (answer.status === 200 && !answer.text.includes('"errors"')) figures.withoutErrors++
  }
  report(figures)
  expect(wrong).toEqual([])
  expect(figures.answered).toBeGreaterThan(figures.documents / 4)
  expect(figures.withoutErrors).toBeGreaterThan(figures.documents / 20)
})

describe('a hostile document is refused', () => {
  /** A remark behind it makes it another document, which no cache knows. */
  const send = (name: string, remark: string): (() => Promise<BodyAnswer>) => {
    const { query, variables } = hostileDocuments[name]!
    const text = JSON.stringify(`${query}#${remark}`)
    return prepareBody(app, app.owner, `{"query":${text}${variables === undefined ? '' : `,"variables":${variables}`}}`)
  }

  it.each(Object.keys(hostileDocuments))('%s', async (name) => {
    const answer = await send(name, 'a')()
    expect(harmOf(answer)).toBeUndefined()
    const { data, errors } = JSON.parse(answer.text)
    expect([answer.status, data]).toEqual([400, undefined])
    expect(['BAD_USER_INPUT', 'QUERY_TOO_COMPLEX', 'LIMIT_EXCEEDED']).toContain(errors[0].extensions.code)
    if (!isByHand) return
    const milliseconds: number[] = []
    for (const remark of ['b', 'c', 'd', 'e', 'f']) {
      const sendOne = send(name, remark)
      const before = process.cpuUsage()
      await sendOne()
      const { user, system } = process.cpuUsage(before)
      milliseconds.push((user + system) / 1_000)
    }
    const [median = Number.NaN] = milliseconds.sort((one, next) => one - next).slice(2)
    report({ document: name, processorMilliseconds: Math.round(median * 10) / 10 })
    expect(median).toBeLessThan(50)
  })
})
