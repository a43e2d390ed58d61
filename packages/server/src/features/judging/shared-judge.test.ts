import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { openJudge } from './shared-judge.ts'

const app = sharedTestApp()

it('opens another judge for a repaired view while a subscription still uses the broken judge', async () => {
  const { createView } = await app.owner.data('mutation { createView(name: "V", where: "name:a") { id } }')
  const viewer = { accountId: app.owner.accountId }
  const selection = { where: null, viewId: createView.id as string, context: null }
  const open = () => openJudge({ db: app.db, owner: app, viewer, selection })
  const setFilter = (filter: string) =>
    app.db.updateTable('saved_view').set({ filter }).where('id', '=', createView.id).execute()

  const broken = await open()
  await setFilter('broken(')
  await expect.poll(() => broken.signal.aborted).toBe(true)
  await setFilter('name:a')
  const first = await open()
  expect(first.signal.aborted).toBe(false)
  broken.close()
  const second = await open()
  expect(second.signal).toBe(first.signal)
  first.close()
  second.close()
})
