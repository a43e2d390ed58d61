import { sql } from 'kysely'
import { seedDevices } from '../factories/seed-devices.ts'
import type { TestApp, TestUser } from '../harness/app.ts'

const fields = `id state stateReason token isUndoable
  counts { total change unchanged rejected pending done failed skipped }`

export async function register(user: TestUser, name: string, attributes: object = {}): Promise<string> {
  const { registerDevice } = await user.data(
    'mutation ($name: String!, $attributes: Object) { registerDevice(name: $name, attributes: $attributes) { device { id } } }',
    { name, attributes },
  )
  return registerDevice.device.id
}

/**
 * Creates a user with devices. By default, the attribute `site` of the devices is `oslo`. Returns the user and the
 * sorted IDs of the devices.
 */
export async function newFleet(
  app: TestApp,
  count: number,
  attributes: object = { site: 'oslo' },
): Promise<[TestUser, string[]]> {
  const user = await app.createUser()
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push(await register(user, `gate ${index}`, attributes))
  return [user, ids.sort()]
}

/** Creates a user with devices. Inserts the devices into the database, because registering them would take longer. */
export async function newLargeFleet(app: TestApp, count: number): Promise<TestUser> {
  const user = await app.createUser()
  const devices = Array.from({ length: count }, (_, index) => {
    const number = (index + 1).toString(16).padStart(4, '0')
    const id = `80:00:00:00:00:01:${number.slice(0, 2)}:${number.slice(2)}`
    return { id, name: `node ${number}`, attributes: { site: 'oslo' } }
  })
  await seedDevices(app.db, user.accountId, devices)
  return user
}

/** Makes the preview of a job older than a day, so that the job expires. */
export const makeOld = (app: TestApp, id: string) =>
  sql`update bulk_job set previewed = now() - interval '25 hours' where id = ${id}`.execute(app.db)

/** Inserts copies of a job, which are created a second later and named `copy`. */
export const copyJob = (app: TestApp, id: string, count: number) =>
  sql`insert into bulk_job select copy.* from bulk_job, generate_series(1, ${count}::int) as number,
    jsonb_populate_record(bulk_job, jsonb_build_object('id', id || number, 'name', 'copy',
      'created', created + interval '1 second')) as copy
    where bulk_job.id = ${id}`.execute(app.db)

export const createText = `mutation ($target: BulkTargetInput!, $operations: [BulkOperationInput!]!, $rate: Int, $open: Boolean! = false) {
  createBulk(target: $target, operations: $operations, rate: $rate, open: $open) { ${fields} } }`

export async function create(user: TestUser, target: object, operations: object[], more: object = {}) {
  return (await user.data(createText, { target, operations, ...more })).createBulk
}

export const setSite = (site: string | null, context?: string) => ({ setAttributes: { attributes: { site }, context } })

export async function call(user: TestUser, verb: string, id: string, more = '') {
  return (await user.data(`mutation { ${verb}Bulk(id: "${id}"${more}) { ${fields} } }`))[`${verb}Bulk`]
}

export const start = (user: TestUser, { id, token }: { id: string; token: string }) =>
  call(user, 'start', id, `, token: "${token}"`)

export async function jobOf(user: TestUser, id: string) {
  const { login } = await user.data(
    `{ login { bulkJob(id: "${id}") { ${fields} progress finished undoneBy { id }
      items { items { device { id name } outcome status reason changes code message eventIds } total } } } }`,
  )
  return login.bulkJob[0]
}

export async function until(user: TestUser, id: string, state: string) {
  for (;;) {
    const job = await jobOf(user, id)
    if (job.state === state) return job
    if (['DONE', 'FAILED', 'CANCELED'].includes(job.state))
      throw new Error(`The job is ${job.state}, not ${state}: ${job.stateReason}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export const run = async (user: TestUser, job: { id: string; token: string }) => {
  await start(user, job)
  return until(user, job.id, 'DONE')
}

export const set = (user: TestUser, id: string, attributes: object, context?: string) =>
  user.data(
    'mutation ($id: String!, $attributes: Object!, $context: String) { setAttributes(serviceId: $id, attributes: $attributes, context: $context) }',
    { id, attributes, context },
  )

export async function valuesOf(user: TestUser, context?: string) {
  const { login } = await user.data(
    'query ($context: String) { login { devices(sort: "id") { items { id attributes(context: $context) } } } }',
    { context },
  )
  return login.devices.items.map(({ attributes }: { attributes: object }) => attributes)
}

export async function eventsOf(user: TestUser, types: string[]) {
  const { login } = await user.data(
    `query ($types: [EventType!]) { login { events(types: $types, size: 1000) { items {
      id type job source { kind id } actor { id } target { id } data } } } }`,
    { types },
  )
  return login.events.items
}

export const codeOf = async (user: TestUser, document: string, variables: object = {}) => {
  const { errors } = await user.query(document, { ...variables })
  return [errors?.[0]?.extensions.code, errors?.[0]?.message]
}
