import { expect } from 'vitest'
import type { DatabaseProxy } from '../database/database-proxy.ts'
import type { SignedResponse } from '../harness/server-process.ts'

interface SharedCut {
  gate: DatabaseProxy
  send(document: string): Promise<SignedResponse>
  // biome-ignore lint/suspicious/noExplicitAny: what a document answers is known to who asks
  data(document: string): Promise<any>
  /** Two, to each of which several changes are under way. */
  devices: readonly [string, string]
  /** Of the statement that is cut off: before it passes, or when it has been answered. */
  moment: 'before' | 'after'
}

const PER_DEVICE = 6

/**
 * Breaks the connection on which two changes go in one statement: all that it holds is told as unknown and is there whole or not
 * at all; what else was under way, or waited for that device, is done.
 */
export async function cutShared({ gate, send, data, devices, moment }: SharedCut): Promise<void> {
  // They nearly always share one; where those two do not, once more.
  for (let round = 0, unknown = 0; unknown === 0; round++) {
    const changes = devices.flatMap((id, device) =>
      Array.from({ length: PER_DEVICE }, (_, of) => ({
        id,
        name: `shared${of}`,
        value: `${moment} ${round}, ${of} of ${device}`,
      })),
    )
    // As a statement has them that takes several, one after the other in an array.
    gate.cutAt([`${changes[2]!.value}","${changes[3]!.value}`], moment)
    const answers = await Promise.all(
      changes.map(({ id, name, value }) =>
        send(`mutation { setAttribute(serviceId: "${id}", name: "${name}", value: "${value}") }`),
      ),
    )
    const { login } = await data(`{ login { device(id: ${JSON.stringify(devices)}) { id attributes } } }`)
    const stored = new Map<string, Record<string, unknown>>(
      login.device.map((device: { id: string; attributes: Record<string, unknown> }) => [device.id, device.attributes]),
    )
    for (const [index, { id, name, value }] of changes.entries()) {
      const { status, body } = answers[index]!
      const told = status === 200 ? body.data?.setAttribute : body.errors[0].extensions.outcome
      expect([value, told]).toEqual([value, status === 200 ? value : 'unknown'])
      expect([value, stored.get(id)![name] === value]).toEqual([value, status === 200 || moment === 'after'])
    }
    unknown = answers.filter(({ status }) => status !== 200).length
    expect(unknown).not.toBe(1)
  }
}
