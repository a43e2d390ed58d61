import { setTimeout as sleep } from 'node:timers/promises'
import { openStream } from '../clients/event-stream.ts'
import type { QueryResponse, TestApp, TestUser } from '../harness/app.ts'
import { type Call, literal, notFound, ofWrongKind } from './call.ts'

const events = (...args: string[]): string =>
  `subscription { events(${args.join(', ')}) { type owner { id email } actor { id email } } }`
const after = (event: string): string => `after: ${literal(event)}`
const ofDevices = (...ids: string[]): string => `deviceId: [${ids.map(literal)}]`

/**
 * For each subscription, calls that read stored events. event-recipients.test.ts tests the recipients of later events.
 */
export const subscriptionCalls: Record<string, Call> = {
  'Subscription.events': {
    plain: ({ event }) => events(after(event)),
    naming: {
      after: [
        notFound(({ event }) => events(after(event))),
        notFound(({ event, device }) => events(after(event), ofDevices(device))),
        ofWrongKind(({ device }) => events(after(device))),
        ofWrongKind(({ eventCursor }) => events(after(eventCursor))),
      ],
      view: [
        notFound(({ view }, own) => events(after(own.event), `view: ${literal(view)}`)),
        ofWrongKind(({ webhook }, own) => events(after(own.event), `view: ${literal(webhook)}`)),
      ],
      where: notFound(({ view }, own) => events(after(own.event), `where: ${literal(`view("${view}")`)}`)),
      deviceId: ({ device, service, userId }, own) => ({
        document: events(after(own.event), ofDevices(device, service, userId, own.device)),
        outcome: { finds: { events: { owner: { id: own.userId } } } },
      }),
    },
    others: ['types', 'context'],
  },
}

export const isSubscription = (document: string): boolean => document.startsWith('subscription')

/** Opens a stream, changes one of the user's devices, and returns the first message as a response. */
export async function queryStream(
  app: Pick<TestApp, 'url'>,
  user: TestUser,
  { document, device }: { document: string; device: string },
): Promise<QueryResponse> {
  const { status, messages, text: received, cut } = await openStream({ app, user, query: document })
  try {
    await user.data(`mutation { setAttribute(name: "seen", value: "${Math.random()}", serviceId: ${literal(device)}) }`)
    while (messages.length === 0) {
      if (status !== 200) throw new Error(`The server rejected the stream with status ${status}: ${received()}`)
      await sleep(5)
    }
    const { data, errors } = messages[0]!.data
    return { status, headers: new Headers(), data, errors }
  } finally {
    cut()
  }
}
