import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventTypes } from '../../src/features/events/event-types.ts'
import { eventsOf, openTestStream, type RawStream, until } from '../clients/event-stream.ts'
import { newMember } from '../factories/member.ts'
import { startTestApp, type TestApp, type TestUser } from '../harness/app.ts'
import { type Receiver, startReceiver } from '../harness/webhook-receiver.ts'
import { sendDocument } from './callers.ts'
import { mutationCalls } from './mutation-calls.ts'
import { allowLocalWebhooks, createOwnedObjects, type OwnedObjects, startFailingReceiver } from './owned-objects.ts'

interface Owner {
  user: TestUser
  own: OwnedObjects
}

let app: TestApp
let other: TestApp
let failing: Receiver
let receiver: Receiver
let stranger: Owner
/** Every mutation except two, which record no event and need a bulk job that is running or paused. */
const mutations = Object.keys(mutationCalls).filter(
  (name) => !['Mutation.pauseBulk', 'Mutation.resumeBulk'].includes(name),
)
let victims: [mutation: string, owner: Owner][]
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks, worker: true })
  other = await app.startAnother({ env: allowLocalWebhooks })
  ;[failing, receiver] = [await startFailingReceiver(), await startReceiver()]
  victims = await Promise.all(mutations.map(async (mutation): Promise<[string, Owner]> => [mutation, await newOwner()]))
  stranger = await newOwner()
})
afterAll(async () => {
  await other.close()
  await app.close()
  await failing.close()
  await receiver.close()
})

async function newOwner(): Promise<Owner> {
  const user = await app.createUser()
  return { user, own: await createOwnedObjects(user, failing) }
}

function listen(user: TestUser, args: string): Promise<RawStream> {
  const query = `subscription { events${args} { id type owner { id email } actor { id } target { id name } data } }`
  return openTestStream({ app, user, query })
}

const deviceIds = (owners: readonly Owner[]): string =>
  JSON.stringify(owners.flatMap(({ own }) => [own.device, own.service, own.userId]))

it("sends a user's events only to the user's streams and webhooks", async () => {
  const owners = [...victims.map(([, owner]) => owner), stranger]
  await stranger.user.data(`mutation { createWebhook(url: "${receiver.url}", events: [${eventTypes}]) { id } }`)
  const streams = [
    await listen(stranger.user, ''),
    await listen(stranger.user, `(types: [${eventTypes}])`),
    await listen(stranger.user, `(deviceId: ${deviceIds(owners)})`),
    await listen(stranger.user, `(after: "${stranger.own.event}", deviceId: ${deviceIds(owners)})`),
  ]
  const victimStream = await listen(victims[0]![1].user, '')

  // Alternate between the servers, because each server also sends the events of changes that the other server made.
  for (const [index, [mutation, { user, own }]] of victims.entries()) {
    const { plain, needsSession } = mutationCalls[mutation]!
    const by = index % 2 === 0 ? user : other.as(user)
    if (needsSession) await sendDocument(app, await newMember(app, user.accountId, 'viewer'), plain(own))
    else await by.data(plain(own))
  }
  await victims[0]![1].user.data('mutation { registerDevice(name: "last") { device { id } } }')
  const seen = `mutation { setAttribute(name: "seen", value: "yes", serviceId: "${stranger.own.device}") }`
  await stranger.user.data(seen)

  // Streams contain events in ID order, so no earlier event can follow the change to the attribute `seen`.
  const isSeen = (text: string): boolean => text.includes('"seen"')
  await until(() => streams.every((stream) => isSeen(stream.text())))
  await receiver.waitFor(1, ({ text }) => isSeen(text))
  await until(() => victimStream.text().includes('"last"'))
  const { login } = await stranger.user.data('{ login { webhooks { deliveries(size: 1000) { items { request } } } } }')

  const received = [JSON.stringify(login), ...streams.map((stream) => stream.text())]
  received.push(...receiver.received.map(({ text }) => text))
  for (const [mutation, { user, own }] of victims) {
    const found = [own.mark, own.userId, own.device, user.email].filter((text) =>
      received.some((each) => each.includes(text)),
    )
    expect([mutation, found]).toEqual([mutation, []])
  }
  for (const stream of streams)
    expect(new Set(eventsOf(stream).map(({ owner }) => (owner as { id: string }).id))).toEqual(
      new Set([stranger.own.userId]),
    )
  expect(new Set(receiver.received.map(({ body }) => body.data.owner.id))).toEqual(new Set([stranger.own.userId]))
})
