import { expect, it } from 'vitest'
import { newPerson, openBrowser, signIn } from '../../../../test/clients/browser.ts'
import { sharedTestApp } from '../../../../test/harness/app.ts'
import { deleteExpiredSignIns } from './sign-in.queries.ts'

const app = sharedTestApp()

const HOUR = 3_600_000
const DAY = 24 * HOUR

async function count(): Promise<{ sessions: number; steps: number; tries: number }> {
  const [sessions, steps, tries] = await Promise.all(
    (['session', 'sign_in_step', 'sign_in_tries'] as const).map((table) =>
      app.db.selectFrom(table).selectAll().execute(),
    ),
  )
  return { sessions: sessions?.length ?? 0, steps: steps?.length ?? 0, tries: tries?.length ?? 0 }
}

it('deletes expired sessions, sign-in steps, and attempt counts, and keeps all others', async () => {
  const began = Date.now()
  const browser = await signIn(app, await newPerson(app))
  await openBrowser(app).auth('/passkey/generate-authenticate-options')
  const before = await count()
  expect(before).toMatchObject({ sessions: 1, steps: 1 })
  expect(before.tries).toBeGreaterThan(0)
  await deleteExpiredSignIns(app.db, new Date(began))
  expect(await count()).toEqual(before)
  await deleteExpiredSignIns(app.db, new Date(began + HOUR))
  expect(await count()).toEqual({ sessions: 1, steps: 0, tries: 0 })
  expect((await browser.query('{ login { id } }')).status).toBe(200)
  await deleteExpiredSignIns(app.db, new Date(began + 31 * DAY))
  expect(await count()).toEqual({ sessions: 0, steps: 0, tries: 0 })
})
