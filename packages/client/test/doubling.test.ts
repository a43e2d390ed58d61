import { describe, expect, it } from 'vitest'
import { sharedTestApp } from '../../server/test/harness/app.ts'
import { ConflictError, Muster, OutcomeUnknownError } from '../src/index.ts'
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'

const app = sharedTestApp()

async function behindProxy(): Promise<{ proxy: CuttingProxy; muster: Muster; direct: Muster }> {
  const { keyId, secret } = await app.createUser()
  const proxy = await startCuttingProxy(app.url)
  return {
    proxy,
    muster: new Muster({ url: proxy.url, keyId, secret }),
    direct: new Muster({ url: app.url, keyId, secret }),
  }
}

describe('after the connection is lost although the server has run the request, the client', () => {
  it('retries a mutation that creates something without creating duplicates', async () => {
    const { proxy, muster, direct } = await behindProxy()
    for (let number = 0; number < 5; number++) {
      proxy.dropResponses(2)
      const { registerDevice } = await muster.mutate({
        registerDevice: { $: { name: `pump ${number}` }, device: { name: true } },
      })
      expect(registerDevice.device.name).toBe(`pump ${number}`)
    }
    expect(proxy.connections()).toBeGreaterThan(10)
    expect(await direct.devices({ select: { name: true }, sort: 'name asc' }).toArray()).toEqual(
      Array.from({ length: 5 }, (_, number) => ({ name: `pump ${number}` })),
    )
  })

  it('reports the ID of the created object if the lost response contained its secret', async () => {
    const { proxy, muster, direct } = await behindProxy()
    proxy.dropResponses(1)
    const error = await muster.mutations.createAccessKey({ name: 'laptop' }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConflictError)
    const { login } = await direct.select({ login: { accessKeys: { key: true, name: true } } })
    const created = login?.accessKeys.filter(({ name }) => name === 'laptop') ?? []
    expect((error as ConflictError).errors[0]?.extensions).toMatchObject({
      reason: 'already-created',
      created: { kind: 'access key', id: created[0]?.key },
    })
    expect(created).toHaveLength(1)
  })

  it("does not retry a mutation that rotates a device's secret", async () => {
    const { proxy, muster, direct } = await behindProxy()
    const { device } = await direct.mutations.registerDevice({ name: 'pump' })
    proxy.dropResponses(1)
    const rotation = muster.mutations.rotateDeviceSecret({ deviceId: device.id })
    await expect(rotation).rejects.toBeInstanceOf(OutcomeUnknownError)
    expect(proxy.connections()).toBe(1)
  })

  it('retries a mutation that sets a value without causing duplicate events', async () => {
    const { proxy, muster, direct } = await behindProxy()
    const { device } = await direct.mutations.registerDevice({ name: 'pump' })
    proxy.dropResponses(2)
    expect(await muster.attributes.set(device.id, 'site', 'oslo')).toBe('oslo')
    expect(proxy.connections()).toBe(3)
    expect(await direct.pastEvents({ types: ['ATTRIBUTE_CHANGE'] }).total()).toBe(1)
  })

  it('retries a query', async () => {
    const { proxy, muster } = await behindProxy()
    proxy.dropResponses(2)
    expect(await muster.select({ version: true })).toEqual({ version: expect.any(String) })
    expect(proxy.connections()).toBe(3)
  })
})
