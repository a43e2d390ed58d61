import { isAbstractType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../src/db/database.ts'
import { buildSchema } from '../../src/schema.ts'
import { startTestApp, type TestApp, type TestUser } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import {
  type Belongings,
  everyRowBesideUse,
  giveBelongings,
  receiversAllowed,
  startRefusingReceiver,
} from './belongings.ts'
import { ask, type Caller, newKey, type Reply, refusedCallers, withKey, withSession } from './callers.ts'
import { everAnotherMinute } from './installation.ts'
import { everyField, everyType, objectTypes, type Question, reached, ways } from './ways.ts'

const schema = buildSchema()
/** In an order in which none spoils what another needs. */
const inOrder = (all: Question[]): Question[] => all.sort((one, next) => (one.field < next.field ? -1 : 1))
/** For those who are refused whatever they ask for, and for those who are answered. */
const [questions, fewer] = [everyField(schema), inOrder(everyType(schema))]
/** Hundreds of requests: a slow machine is no failure. */
const patience = { timeout: 600_000 }
/** All that may be had without credentials, the schema itself apart. */
const open = new Set(['Query.version'])

let app: TestApp
let receiver: Receiver
let victim: Belongings
let email: string
let untouched: unknown
let refused: Awaited<ReturnType<typeof refusedCallers>>
let reader: Caller
beforeAll(async () => {
  app = await startTestApp({ env: receiversAllowed, elapsed: everAnotherMinute() })
  receiver = await startRefusingReceiver()
  // Numbers of events that stand in no other text by chance.
  await query(app.db, 'select setval($1, $2)', ['event_id', 70_000_000_000])
  victim = await giveBelongings(app.owner, receiver)
  email = app.owner.email
  refused = await refusedCallers(app, app.owner, victim)
  reader = await newKey(app.owner, ', readOnly: true')
  untouched = await rowsOf(victim)
})
afterAll(async () => {
  await app.close()
  await receiver.close()
  const kinds = Object.keys(refused).length + 4
  console.log(
    `the matrix: ${questions.length} fields, ${kinds} kinds of callers, ${tally.asked} requests judged, ${tally.wrong} answered wrongly`,
  )
})

const rowsOf = ({ userId }: Belongings) => everyRowBesideUse(app.db, userId)

/** Of all callers together, told at the end. */
const tally = { asked: 0, wrong: 0 }

const isMutation = (document: string): boolean => document.startsWith('mutation')

/** What is wrong with the answers to these questions, by field. */
async function wrongOf(
  asked: readonly Question[],
  caller: Caller,
  own: Belongings,
  judge: (reply: Reply, question: Question, document: string) => unknown,
): Promise<unknown[]> {
  const wrong: unknown[] = []
  for (const question of asked) {
    const document = question.document(own)
    const reply = await ask(app, caller, document)
    const found = judge(reply, question, document)
    if (found !== undefined) wrong.push([question.field, found, reply.status, reply.body])
  }
  tally.asked += asked.length
  tally.wrong += wrong.length
  return wrong
}

const isLetIn = ({ status, body }: Reply, { type }: Question): string | undefined => {
  if (status !== 200 || body.errors !== undefined) return 'refused'
  return type === undefined || JSON.stringify(body).includes(reached(type)) ? undefined : 'not reached'
}

const isRefusedFor =
  (reason: string) =>
  ({ status, body }: Reply, { field }: Question): string | undefined => {
    if (reason === 'missing' && open.has(field)) return status === 200 && body.errors === undefined ? undefined : 'shut'
    const { code, reason: told } = body.errors?.[0]?.extensions ?? {}
    const isRight = status === 401 && code === 'UNAUTHENTICATED' && told === reason && body.data === undefined
    return isRight ? undefined : `not refused as ${reason}`
  }

const isReading = (reply: Reply, question: Question, document: string): string | undefined => {
  if (!isMutation(document)) return isLetIn(reply, question)
  const { data, errors } = reply.body
  return data === null && errors?.[0]?.extensions?.code === 'FORBIDDEN' ? undefined : 'not forbidden'
}

/** No text of the victim's but those that the question itself names, and nothing that could only be reached by them. */
const isOther = ({ status, body }: Reply, _question: Question, asked: string): string | undefined => {
  const { deviceCursor: _device, eventCursor: _event, deliveryCursor: _delivery, ...texts } = victim
  const answer = JSON.stringify(body)
  const shown = [...Object.values(texts), email].filter((text) => answer.includes(text) && !asked.includes(text))
  return status === 200 && shown.length === 0 ? undefined : `shows ${shown}`
}

describe('the matrix', () => {
  it('has a way to every type of the schema, and to no other', () => {
    const types = objectTypes(schema).map(({ name }) => name)
    expect(Object.keys(ways).sort()).toEqual(types.sort())
    expect(Object.values(schema.getTypeMap()).filter(isAbstractType)).toEqual([])
  })
})

describe('no field is for', () => {
  const callers: (keyof typeof refused)[] = [
    'a disabled key',
    'an expired key',
    'a deleted key',
    'a device with its secret',
    'a session from another origin',
    'a session from another site',
    'a session without the header of the console',
    'nobody',
  ]

  it('others than are asked here', () => {
    expect(Object.keys(refused).sort()).toEqual(callers.sort())
  })

  it.each(callers)('%s', patience, async (name) => {
    const { reason, ...caller } = refused[name]!
    expect(await wrongOf(questions, caller, victim, isRefusedFor(reason))).toEqual([])
    expect(await rowsOf(victim)).toEqual(untouched)
  })
})

it('a read-only key may ask for every field, and change nothing', patience, async () => {
  expect(await wrongOf(fewer, reader, victim, isReading)).toEqual([])
  expect(await rowsOf(victim)).toEqual(untouched)
})

it(
  'another user learns nothing by any field, and changes nothing, whatever of the owner’s it names',
  patience,
  async () => {
    const other = await app.createUser()
    expect(await wrongOf(fewer, withKey(other), victim, isOther)).toEqual([])
    expect(await rowsOf(victim)).toEqual(untouched)
  },
)

describe('every field is for', () => {
  /** What removes something comes last: a service before its device, the key that signs at the very end. */
  const removes = ({ field }: Question): boolean => /^Mutation\.(delete|remove)/.test(field)
  const removing = fewer.filter(removes).reverse()
  const others = fewer.filter((question) => !removes(question))

  it.each([
    ['its owner, with a key', async (user: TestUser) => withKey(user)],
    ['its owner, with a session', (user: TestUser) => withSession(app, user)],
  ])('%s', patience, async (_name, callerOf) => {
    const user = await app.createUser()
    const own = await giveBelongings(user, receiver)
    const spare = await giveBelongings(user, receiver)
    const caller = await callerOf(user)
    const { key: accessKey } = await newKey(user)
    expect(await wrongOf(others, caller, { ...own, accessKey }, isLetIn)).toEqual([])
    for (const question of removing) {
      // There are two ways to delete a device.
      const mine = question.field === 'Mutation.deleteDevice' ? spare : own
      expect(await wrongOf([question], caller, mine, isLetIn)).toEqual([])
    }
  })
})
