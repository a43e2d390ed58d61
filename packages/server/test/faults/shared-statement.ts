import { expect } from 'vitest'
import type { DatabaseProxy } from '../database/database-proxy.ts'
import type { SignedResponse } from '../harness/server-process.ts'

interface SharedStatementOptions {
  proxy: DatabaseProxy
  send(document: string): Promise<SignedResponse>
  // biome-ignore lint/suspicious/noExplicitAny: the callers know the shape of the responses
  data(document: string): Promise<any>
  /** Two devices, each with several concurrent changes. */
  devices: readonly [string, string]
  /** Whether to break the connection before the statement is sent or after its response arrives. */
  moment: 'before' | 'after'
}

const PER_DEVICE = 6

/**
 * Breaks the connection during a statement with several changes. Checks that all or none of these changes are stored,
 * and that all other concurrent changes succeed.
 */
export async function breakSharedStatement({
  proxy,
  send,
  data,
  devices,
  moment,
}: SharedStatementOptions): Promise<void> {
  // Try again until the third and the fourth change share a statement, which they almost always do.
  for (let round = 0, unknown = 0; unknown === 0; round++) {
    const changes = devices.flatMap((id, device) =>
      Array.from({ length: PER_DEVICE }, (_, of) => ({
        id,
        name: `shared${of}`,
        value: `${moment} ${round}, ${of} of ${device}`,
      })),
    )
    // A statement with several changes contains their values as adjacent array elements.
    proxy.cutAt([`${changes[2]!.value}","${changes[3]!.value}`], moment)
    const responses = await Promise.all(
      changes.map(({ id, name, value }) =>
        send(`mutation { setAttribute(serviceId: "${id}", name: "${name}", value: "${value}") }`),
      ),
    )
    const { login } = await data(`{ login { device(id: ${JSON.stringify(devices)}) { id attributes } } }`)
    const stored = new Map<string, Record<string, unknown>>(
      login.device.map((device: { id: string; attributes: Record<string, unknown> }) => [device.id, device.attributes]),
    )
    for (const [index, { id, name, value }] of changes.entries()) {
      const { status, body } = responses[index]!
      const reported = status === 200 ? body.data?.setAttribute : body.errors[0].extensions.outcome
      expect([value, reported]).toEqual([value, status === 200 ? value : 'unknown'])
      expect([value, stored.get(id)![name] === value]).toEqual([value, status === 200 || moment === 'after'])
    }
    unknown = responses.filter(({ status }) => status !== 200).length
    expect(unknown).not.toBe(1)
  }
}
