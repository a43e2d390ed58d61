import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthenticationServers, createAuthenticationServers } from '../../test/harness/authentication-servers.ts'

let site: AuthenticationServers
beforeAll(async () => {
  site = await createAuthenticationServers()
})
afterAll(() => site.close())

describe("the time of a key's last use", () => {
  const lastUsed = async (key: string) =>
    (await site.db.selectFrom('access_key').select('last_used').where('key', '=', key).executeTakeFirstOrThrow())
      .last_used

  it('is written soon after the first use, and is current after the server closes', async () => {
    const key = await (await site.createUser()).createKey()
    const start = new Date()
    let now = start
    const server = await site.startServer({ clock: () => now })
    await server.as(key)
    await expect.poll(() => lastUsed(key.key)).toEqual(start)
    now = new Date(start.getTime() + 30_000)
    await server.as(key)
    now = new Date(start.getTime() + 61_000)
    await server.as(key)
    await server.close()
    expect(await lastUsed(key.key)).toEqual(now)
  })

  it('is not written by a second server within a minute, or for a rejected request', async () => {
    const { createKey } = await site.createUser()
    const [key, unused, start] = [await createKey(), await createKey(), new Date()]
    const first = await site.startServer({ clock: () => start })
    await first.as(key)
    await first.close()
    const second = await site.startServer({ clock: () => new Date(start.getTime() + 20_000) })
    await second.as(key)
    await second.as({ ...unused, secret: randomBytes(32).toString('base64') })
    await second.close()
    expect(await lastUsed(key.key)).toEqual(start)
    expect(await lastUsed(unused.key)).toBeNull()
  })
})
