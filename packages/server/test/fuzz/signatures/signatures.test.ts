import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exchange } from '../exchange.ts'
import { findProblem } from '../harmless.ts'
import { createRandom } from '../random.ts'
import { longTimeout, report, scale } from '../scale.ts'
import { bypasses } from './bypasses.ts'
import { mayBeAccepted } from './model.ts'
import { mutant } from './mutants.ts'
import { type FuzzedServer, keyId, now, publicPem, secret, signers, startFuzzedServer } from './server.ts'
import { toBytes, validRequests } from './signed-requests.ts'

let server: FuzzedServer
beforeAll(async () => {
  server = await startFuzzedServer()
})
afterAll(() => server.close())

/** Returns whether the server would wait for more bytes. */
function isUnfinished(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const length = /\r\ncontent-length:[ \t]*(\d+)/i.exec(text.slice(0, end))?.[1]
  return end < 0 || (length !== undefined && Number(length) > bytes.length - end - 4)
}

it('accepts the same signed requests of clients as the reference implementation', async () => {
  for (const wire of validRequests(signers, now)) {
    const { status, text } = await exchange(server.referenceInput.port, toBytes(wire))
    expect([status, mayBeAccepted(toBytes(wire), server.referenceInput)]).toEqual([200, true])
    expect(text).toContain(server.expectedData)
  }
})

it('accepts no mutated request that the reference implementation rejects', longTimeout, async () => {
  const random = createRandom(scale.seed)
  const valid = validRequests(signers, now)
  const wrong: string[] = []
  const figures = { mutated: 0, accepted: 0, rejected: 0, acceptedOnlyByTheReference: 0 }
  const work = async (): Promise<void> => {
    while (figures.mutated < scale.signatures && wrong.length < 10) {
      figures.mutated++
      if (figures.mutated % 10_000 === 0) report(figures)
      const bytes = mutant(valid, { keyId, secret, now }, random)
      const ends = isUnfinished(bytes)
      const response = await exchange(server.referenceInput.port, bytes, { ends })
      const isAccepted = response.status === 200 && response.text.includes(server.expectedData)
      const mayAccept = mayBeAccepted(bytes, server.referenceInput)
      const problem = ends && response.status === undefined ? undefined : findProblem(response)
      const sent = JSON.stringify(bytes.toString('latin1'))
      if (problem !== undefined) wrong.push(`${problem}: ${sent}`)
      if (isAccepted && !mayAccept) wrong.push(`accepted: ${sent}`)
      if (isAccepted) figures.accepted++
      else figures.rejected++
      if (!isAccepted && mayAccept) figures.acceptedOnlyByTheReference++
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  report(figures)
  expect(wrong).toEqual([])
  // Check that both results occur, because the comparison would otherwise prove nothing.
  expect(figures.accepted).toBeGreaterThan(scale.signatures / 100)
  expect(figures.rejected).toBeGreaterThan(scale.signatures / 2)
})

describe('a valid request with one fault', () => {
  const { valid, invalid } = bypasses({ keyId, secret, publicPem, now })

  it.each(Object.keys(invalid))('is rejected if it %s', async (name) => {
    const response = await exchange(server.referenceInput.port, toBytes(invalid[name]!))
    expect([400, 401]).toContain(response.status)
    expect(findProblem(response)).toBeUndefined()
    expect(response.text).not.toContain(server.expectedData)
    expect(mayBeAccepted(toBytes(invalid[name]!), server.referenceInput)).toBe(false)
  })

  it('is accepted without the fault', async () => {
    for (const wire of valid) {
      const { status, text } = await exchange(server.referenceInput.port, toBytes(wire))
      expect([status, text]).toEqual([200, expect.stringContaining(server.expectedData)])
    }
  })
})
