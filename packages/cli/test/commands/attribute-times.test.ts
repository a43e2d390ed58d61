import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { addDevices, createCliUser } from '../harness/cli-user.ts'

const app = sharedTestApp()

it('shows when values last changed, and which base values overrides hide', async () => {
  const { user, run, lines } = await createCliUser(app)
  await addDevices(user, ['gate'], { site: 'oslo' })
  await run('attributes', 'set', 'gate', 'site=night', '--context', 'night')
  const [[base], [inContext], history] = [
    await lines('attributes', 'info', 'gate'),
    await lines('attributes', 'info', 'gate', 'site', 'none', '--context', 'night'),
    await lines('devices', 'history', 'gate', 'site'),
  ] as [[Record<string, unknown>[]], [Record<string, unknown>[]], Record<string, unknown>[]]
  const timesOf = (at: unknown) => ({ changed: at, confirmed: at, expectedInterval: null, isStale: false })
  expect(base).toEqual([{ name: 'site', value: 'oslo', setIn: null, base: null, ...timesOf(history[1]!.at) }])
  expect(inContext).toEqual([
    { name: 'site', value: 'night', setIn: 'night', base: 'oslo', ...timesOf(history[0]!.at) },
    { name: 'none', value: null, setIn: null, base: null, ...timesOf(null) },
  ])
  expect((await run('attributes', 'info', 'gate', '--context', 'night')).stdout).toMatch(
    /^name +value +setIn +base +changed\nsite +night +night +oslo +\S/,
  )
  expect((await run('attributes', 'info', 'me')).stdout).toBe('No attributes found.\n')
  expect(await run('attributes', 'info', 'missing')).toMatchObject({ code: 4, stdout: '' })
})

it('lists, sets, and removes expected intervals, and shows whether values are stale', async () => {
  const { user, run, lines } = await createCliUser(app)
  await addDevices(user, ['gate'], { load: '1' })
  expect((await run('attributes', 'freshness')).stdout).toBe('No attribute has an expected interval.\n')
  expect((await run('attributes', 'freshness', 'load', '--every', '90m')).stdout).toMatch(
    /^name +every +stale\nload +90m +0\n$/,
  )
  await run('attributes', 'freshness', 'site', '--every', '1d')
  expect(await lines('attributes', 'freshness')).toEqual([
    [
      { name: 'load', seconds: 5_400, stale: 0 },
      { name: 'site', seconds: 86_400, stale: 0 },
    ],
  ])
  expect((await run('attributes', 'info', 'gate', 'load')).stdout).toMatch(
    /^name +value +changed +confirmed +stale\nload +1 +.* +no\n$/,
  )
  expect((await run('attributes', 'freshness', 'load', '--no-every')).stdout).toBe('load has no expected interval.\n')
  expect(await run('attributes', 'freshness', '--every', '1h')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('require the name of an attribute'),
  })
  expect((await run('attributes', 'freshness', 'load', '--every', '5s')).stderr).toContain('from 60 to 31536000')
})
