import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createExplainedDatabase,
  type ExplainedDatabase,
  insertDevices,
} from '../../../../test/database/query-plans.ts'
import { changeDeviceCount } from '../device-count.queries.ts'
import { readDeviceFilter } from './device-filter.ts'
import { countDevices, countInSample, type Search, selectDevicePage, WALKED } from './device-list.queries.ts'
import { readDevicePage } from './device-page.ts'
import { readDeviceOrder } from './device-sort.ts'

const ACCOUNT = 'large'
const FIRST = 100

let database: ExplainedDatabase
beforeAll(async () => {
  database = await createExplainedDatabase()
  const { db } = database
  await db.transaction().execute(async (transaction) => {
    await changeDeviceCount(transaction, ACCOUNT, WALKED + 1)
    await insertDevices(transaction, ACCOUNT, WALKED + 1)
  })
  await sql`update device set attributes = jsonb_build_object('rack',
      case when position <= ${FIRST}::int then 'first' else 'r' || position % 1000 end)
    from (select id, row_number() over (order by name collate natural_order) as position from device where account_id = ${ACCOUNT}) as listed
    where account_id = ${ACCOUNT} and listed.id = device.id`.execute(db)
})
afterAll(() => database.close())

async function read(rack: string, limit: number): Promise<{ rows: number; steps: (Search | 'sample')[] }> {
  const { db } = database
  const steps: (Search | 'sample')[] = []
  const filter = readDeviceFilter({ attributes: { rack } }, undefined)
  const rows = await readDevicePage({
    accountId: ACCOUNT,
    page: { filter, order: readDeviceOrder('name', undefined), start: { offset: 0 }, limit, attributes: false },
    read(page) {
      steps.push(page.search ?? 'planned')
      return selectDevicePage(db, ACCOUNT, page)
    },
    countInSample(page) {
      steps.push('sample')
      return countInSample(db, ACCOUNT, page)
    },
    charge() {},
    countAll: () => countDevices(db, ACCOUNT, {}),
  })
  return { rows: rows.length, steps }
}

test('takes a sample only for the first of several requests for a page of a large list', async () => {
  expect(await read('r5', 11)).toEqual({ rows: 11, steps: ['sample', 'scan'] })
  expect(await read('r5', 11)).toEqual({ rows: 11, steps: ['scan'] })
})

test('does not walk through the list again if the first walk did not fill the page', async () => {
  expect(await read('first', FIRST + 1)).toEqual({ rows: FIRST, steps: ['sample', 'walk', 'scan'] })
  expect(await read('first', FIRST + 1)).toEqual({ rows: FIRST, steps: ['scan'] })
  expect(await read('first', FIRST)).toEqual({ rows: FIRST, steps: ['sample', 'walk'] })
  expect(await read('first', FIRST)).toEqual({ rows: FIRST, steps: ['walk'] })
})
