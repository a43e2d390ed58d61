import { beforeEach, describe, expect, it } from 'vitest'
import {
  forbiddenAttribute,
  type HiddenValues,
  newUserWithHiddenValues,
} from '../../../test/factories/hidden-values.ts'
import { failure, type Json } from '../../../test/factories/keys.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()

let user: TestUser
let createKey: HiddenValues['createKey']
let createReader: HiddenValues['createReader']
beforeEach(async () => {
  ;({ user, createKey, createReader } = await newUserWithHiddenValues(app))
})

describe('a key that is restricted to some attributes', () => {
  it('downloads devices without other attributes', async () => {
    const key = await createReader()
    const download = async (args: string): Promise<string> => {
      const { devicesUrl } = (await key.data(`{ login { devicesUrl${args} } }`)).login
      return (await fetch(devicesUrl)).text()
    }
    const all = await download('')
    expect(all.split('\n')[0]).not.toMatch(/secret|ssid|categoryA/)
    expect(all).toContain('oslo')
    expect(all).not.toContain('hidden')
    const named =
      '(context: "night", where: "any(oslo) AND contexts = night", columns: ["name", "secret", "net.ssid", "categoryA", "site", "contexts"])'
    expect((await download(named)).split(/\r?\n/)[1]).toBe('one,,,,hidden-site,night')
  })

  it('cannot use links whose filter or order reads an attribute that it can no longer read', async () => {
    const key = await createKey('{ read: ["*"], write: ["site"] }')
    const linkOf = async (field: string): Promise<string> =>
      Object.values((await key.data(`{ login { ${field} } }`)).login)[0] as string
    const lost = await Promise.all([
      linkOf('devicesUrl(where: "secret = hidden")'),
      linkOf('devicesUrl(sortBy: ["secret"])'),
      linkOf('eventsUrl(where: "attributes.secret = hidden")'),
    ])
    const columns = 'columns: ["name"]'
    const site = await linkOf(`devicesUrl(where: "any(oslo)", ${columns})`)
    const hidden = await linkOf(`devicesUrl(where: "any(hidden)", ${columns})`)
    const changed = await linkOf('eventsUrl(where: "changed = secret")')
    await user.data(
      `mutation { updateAccessKey(key: "${key.keyId}", access: { attributes: { read: ["site"], write: [] } }) { key } }`,
    )
    for (const link of lost) {
      const response = await fetch(link)
      expect(response.status).toBe(403)
      expect(failure((await response.json()) as Json)).toEqual(forbiddenAttribute)
    }
    const linesOf = async (link: string) => (await (await fetch(link)).text()).trim().split(/\r?\n/)
    expect(await linesOf(site)).toEqual(['name', 'one'])
    expect(await linesOf(hidden)).toEqual(['name'])
    expect(await linesOf(changed)).toHaveLength(1)
  })
})
