import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EVENTS, openTestStream, type RawStream, until } from '../../server/test/clients/event-stream.ts'
import { sharedTestApp, type TestApp } from '../../server/test/harness/app.ts'
import { claimPorts } from '../../server/test/harness/ports.ts'
import {
  BadUserInputError,
  LimitExceededError,
  Muster,
  NotFoundError,
  UnauthenticatedError,
  UnreachableError,
} from '../src/index.ts'
import { startCuttingProxy } from './cutting-proxy.ts'

const app = sharedTestApp()

async function behindProxy({ url }: Pick<TestApp, 'url'> = app) {
  const user = await app.createUser()
  const { keyId, secret } = user
  const proxy = await startCuttingProxy(url)
  return {
    ...user,
    proxy,
    muster: new Muster({ url: proxy.url, keyId, secret }),
    direct: new Muster({ url, keyId, secret }),
  }
}

/** Starts a server on which a key can have one open stream. `openStream` retries until the server accepts its stream. */
async function withOneStream() {
  const limited = await app.startAnother({ env: { MUSTER_STREAMS_PER_KEY: '1' } })
  onTestFinished(() => limited.close())
  const clients = await behindProxy(limited)
  const openStream = async (): Promise<RawStream> => {
    const stream = await openTestStream({ app: limited, user: clients, query: EVENTS })
    await until(() => stream.text() !== '')
    return stream.text().includes('LIMIT_EXCEEDED') ? openStream() : stream
  }
  return { ...clients, openStream }
}

function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

describe('events', () => {
  it('yields events as they happen, with only the selected fields', async () => {
    const { direct } = await behindProxy()
    const onConnect = () => void direct.mutations.registerDevice({ name: 'pump' })
    const select = { type: true, target: { name: true } } as const
    for await (const event of direct.events({ types: ['DEVICE_REGISTER'], select, onConnect })) {
      expect(event).toEqual({ type: 'DEVICE_REGISTER', target: [{ name: 'pump' }] })
      break
    }
  })

  it('continues after lost connections without losing or repeating events', async () => {
    const { proxy, muster, direct } = await behindProxy()
    const names: string[] = []
    const wanted = Array.from({ length: 40 }, (_, number) => `pump ${number}`)
    let connected = gate()
    const onConnect = (): void => connected.open()
    const registering = connected.opened.then(async () => {
      for (const [number, name] of wanted.entries()) {
        const isCut = number % 7 === 3
        if (isCut) {
          connected = gate()
          proxy.cut()
        }
        await direct.mutations.registerDevice({ name })
        if (isCut) await connected.opened
      }
    })
    for await (const event of muster.events({ types: ['DEVICE_REGISTER'], onConnect })) {
      names.push(event.target[0]!.name)
      if (names.length === wanted.length) break
    }
    await registering
    expect(names).toEqual(wanted)
    // The client opens a connection to query the newest event, and another connection after each cut.
    expect(proxy.connections()).toBeGreaterThan(wanted.length / 7)
  })

  it.each([
    ['other events', false],
    ['no events', true],
  ])('loses no event if the connection breaks before the first event, with %s at the start', async (_name, isEmpty) => {
    const { proxy, direct, accountId, keyId, secret } = await behindProxy()
    if (isEmpty) await sql`delete from event where account_id = ${accountId}`.execute(app.db)
    else await direct.mutations.registerDevice({ name: 'before' })
    let connections = 0
    const registered = gate()
    const onConnect = (): void => {
      if (++connections > 1) return
      proxy.cut()
      void direct.mutations.registerDevice({ name: 'pump' }).then(registered.open)
    }
    // After the first connection, delay all requests until the device is registered.
    const waiting: typeof fetch = async (input, init) => {
      if (connections > 0) await registered.opened
      return fetch(input, init)
    }
    const follower = new Muster({ url: proxy.url, keyId, secret, fetch: waiting })
    const names: (string | undefined)[] = []
    for await (const { target } of follower.events({ types: ['DEVICE_REGISTER'], onConnect })) {
      names.push(target[0]?.name)
      if (names.length === 1) await direct.mutations.registerDevice({ name: 'later' })
      if (names.length === 2) break
    }
    expect(names).toEqual(['pump', 'later'])
  })

  it('starts after the event that the caller specifies', async () => {
    const { direct } = await behindProxy()
    for (const name of ['a', 'b', 'c']) await direct.mutations.registerDevice({ name })
    const [, , first] = await direct.pastEvents({ types: ['DEVICE_REGISTER'] }).toArray()
    const names: (string | undefined)[] = []
    for await (const { target } of direct.events({ types: ['DEVICE_REGISTER'], after: first!.id })) {
      names.push(target[0]?.name)
      if (names.length === 2) break
    }
    expect(names).toEqual(['b', 'c'])
  })

  it('continues on another server if the first server stops', async () => {
    const { keyId, secret } = await app.createUser()
    const [port] = await claimPorts(1)
    const env = { PORT: String(port) }
    const first = await app.startAnother({ env })
    const muster = new Muster({ url: first.url, keyId, secret })
    const direct = new Muster({ url: app.url, keyId, secret })
    let second: Promise<TestApp> | undefined
    const onConnect = (): void => {
      second ??= first.close().then(async () => {
        await direct.mutations.registerDevice({ name: 'pump' })
        return app.startAnother({ env })
      })
    }
    for await (const { target } of muster.events({ types: ['DEVICE_REGISTER'], onConnect })) {
      expect(target[0]?.name).toBe('pump')
      break
    }
    await (await second)?.close()
  })

  it('throws LIMIT_EXCEEDED without calling onConnect if too many streams of the key are open', async () => {
    const { direct, openStream } = await withOneStream()
    await openStream()
    let connections = 0
    const events = direct.events({ onConnect: () => void connections++ })
    await expect(events.next()).rejects.toBeInstanceOf(LimitExceededError)
    expect(connections).toBe(0)
  })

  it('reconnects once the number of open streams is below the limit', async () => {
    const { proxy, direct, keyId, secret, openStream } = await withOneStream()
    await direct.mutations.registerDevice({ name: 'before' })
    let connections = 0
    let reconnects = 0
    let other: RawStream | undefined
    // The other stream is the only one that the key can have open, so the follower cannot reconnect until that stream
    // is closed.
    const waiting: typeof fetch = async (input, init) => {
      if (connections > 0) {
        other ??= await openStream()
        if (++reconnects === 4) other.cut()
      }
      return fetch(input, init)
    }
    const follower = new Muster({ url: proxy.url, keyId, secret, fetch: waiting })
    const onConnect = (): void => {
      if (++connections === 1) proxy.cut()
      else void direct.mutations.registerDevice({ name: 'pump' })
    }
    for await (const { target } of follower.events({ types: ['DEVICE_REGISTER'], onConnect })) {
      expect(target[0]?.name).toBe('pump')
      break
    }
    expect(connections).toBe(2)
    expect(reconnects).toBeGreaterThanOrEqual(4)
  })

  it("throws the signal's reason when the caller aborts", async () => {
    const { direct } = await behindProxy()
    const stop = new AbortController()
    const onConnect = (): void => stop.abort(new Error('enough'))
    const loop = async (): Promise<void> => {
      for await (const event of direct.events({ signal: stop.signal, onConnect })) expect(event).toBeUndefined()
    }
    await expect(loop()).rejects.toThrow('enough')
  })

  it('throws errors that a retry cannot fix, and the last error after all retries', async () => {
    const { direct } = await behindProxy()
    const next = (options: Parameters<Muster['events']>[0], muster = direct) => muster.events(options).next()
    await expect(next({ after: '1' })).rejects.toBeInstanceOf(NotFoundError)
    await expect(next({ types: ['NONE' as 'DEVICE_STATE'] })).rejects.toBeInstanceOf(BadUserInputError)
    const { key, secret } = await direct.mutations.createAccessKey({})
    const other = new Muster({ url: app.url, keyId: key, secret: secret! })
    const onConnect = (): void => void direct.mutations.deleteAccessKey({ key })
    await expect(next({ onConnect, types: ['DEVICE_STATE'] }, other)).rejects.toBeInstanceOf(UnauthenticatedError)
    await expect(next({ after: '1' }, other)).rejects.toBeInstanceOf(UnauthenticatedError)
    const [port] = await claimPorts(1)
    const unreachable = new Muster({ url: `http://127.0.0.1:${port}`, keyId: key, secret: secret!, retries: 1 })
    await expect(next({}, unreachable)).rejects.toBeInstanceOf(UnreachableError)
    await expect(next({ after: '1' }, unreachable)).rejects.toBeInstanceOf(UnreachableError)
  })
})
