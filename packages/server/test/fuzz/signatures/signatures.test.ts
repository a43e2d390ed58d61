import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bypasses } from './bypasses.ts'
import { exchange } from '../exchange.ts'
import { harmOf } from '../harmless.ts'
import { type FuzzedServer, keyId, now, publicPem, secret, signers, startFuzzedServer } from './server.ts'
import { mayBeAccepted } from './model.ts'
import { mutant } from './mutants.ts'
import { createRandom } from '../random.ts'
import { patience, report, scale } from '../scale.ts'
import { rightRequests, toBytes } from './signed-requests.ts'

let server: FuzzedServer
beforeAll(async () => {
  server = await startFuzzedServer()
})
afterAll(() => server.close())

/** Whether the server waits for more than these bytes. */
function isUnfinished(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const length = /\r\ncontent-length:[ \t]*(\d+)/i.exec(text.slice(0, end))?.[1]
  return end < 0 || (length !== undefined && Number(length) > bytes.length - end - 4)
}

it('what clients sign is accepted, by the reference as well', async () => {
  for (const wire of rightRequests(signers, now)) {
    const { status, text } = await exchange(server.place.port, toBytes(wire))
    expect([status, mayBeAccepted(toBytes(wire), server.place)]).toEqual([200, true])
    expect(text).toContain(server.served)
  }
})

it('no request is accepted that the reference refuses, whatever was changed of it', patience, async () => {
  const random = createRandom(scale.seed)
  const right = rightRequests(signers, now)
  const wrong: string[] = []
  const figures = { mutated: 0, accepted: 0, refused: 0, acceptedByTheReferenceAlone: 0 }
  const work = async (): Promise<void> => {
    while (figures.mutated < scale.signatures && wrong.length < 10) {
      figures.mutated++
      if (figures.mutated % 10_000 === 0) report(figures)
      const bytes = mutant(right, { keyId, secret, now }, random)
      const ends = isUnfinished(bytes)
      const answer = await exchange(server.place.port, bytes, { ends })
      const isAccepted = answer.status === 200 && answer.text.includes(server.served)
      const mayBe = mayBeAccepted(bytes, server.place)
      const harm = ends && answer.status === undefined ? undefined : harmOf(answer)
      const sent = JSON.stringify(bytes.toString('latin1'))
      if (harm !== undefined) wrong.push(`${harm}: ${sent}`)
      if (isAccepted && !mayBe) wrong.push(`accepted: ${sent}`)
      if (isAccepted) figures.accepted++
      else figures.refused++
      if (!isAccepted && mayBe) figures.acceptedByTheReferenceAlone++
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  report(figures)
  expect(wrong).toEqual([])
  // Both happen, or nothing would be compared.
  expect(figures.accepted).toBeGreaterThan(scale.signatures / 100)
  expect(figures.refused).toBeGreaterThan(scale.signatures / 2)
})

describe('a request is refused that is right, but', () => {
  const { right, wrong } = bypasses({ keyId, secret, publicPem, now })

  it.each(Object.keys(wrong))('%s', async (name) => {
    const answer = await exchange(server.place.port, toBytes(wrong[name]!))
    expect([400, 401]).toContain(answer.status)
    expect(harmOf(answer)).toBeUndefined()
    expect(answer.text).not.toContain(server.served)
    expect(mayBeAccepted(toBytes(wrong[name]!), server.place)).toBe(false)
  })

  it('for nothing else: without it, it is accepted', async () => {
    for (const wire of right) {
      const { status, text } = await exchange(server.place.port, toBytes(wire))
      expect([status, text]).toEqual([200, expect.stringContaining(server.served)])
    }
  })
})
