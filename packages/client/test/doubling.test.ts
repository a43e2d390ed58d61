import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../server/test/app.ts'
import { Muster, OutcomeUnknownError } from '../src/index.ts'
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function behindProxy(): Promise<{ proxy: CuttingProxy; muster: Muster; direct: Muster }> {
  const { keyId, secret } = await app.createUser()
  const proxy = await startCuttingProxy(app.url)
  return {
    proxy,
    muster: new Muster({ url: proxy.url, keyId, secret }),
    direct: new Muster({ url: app.url, keyId, secret }),
  }
}

describe('a connection that breaks once the server has done what was asked', () => {
  it('makes no mutation run twice', async () => {
    const { proxy, muster, direct } = await behindProxy()
    proxy.holdBackAnswers(5)
    for (let number = 0; number < 5; number++) {
      const registration = muster.mutations.registerDevice({ name: `pump ${number}` })
      await expect(registration).rejects.toBeInstanceOf(OutcomeUnknownError)
    }
    expect(proxy.connections()).toBe(5)
    expect(await direct.devices({ select: { name: true }, sort: 'name asc' }).toArray()).toEqual(
      Array.from({ length: 5 }, (_, number) => ({ name: `pump ${number}` })),
    )
  })

  it('makes one that sets a value be sent again, which records nothing twice', async () => {
    const { proxy, muster, direct } = await behindProxy()
    const { device } = await direct.mutations.registerDevice({ name: 'pump' })
    proxy.holdBackAnswers(2)
    expect(await muster.attributes.set(device.id, 'site', 'oslo')).toBe('oslo')
    expect(proxy.connections()).toBe(3)
    expect(await direct.pastEvents({ types: ['ATTRIBUTE_CHANGE'] }).total()).toBe(1)
  })

  it('is no matter to a query', async () => {
    const { proxy, muster } = await behindProxy()
    proxy.holdBackAnswers(2)
    expect(await muster.select({ version: true })).toEqual({ version: expect.any(String) })
    expect(proxy.connections()).toBe(3)
  })
})
