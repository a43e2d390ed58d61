import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { hasProgram } from '../../../../examples/test/programs.ts'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { addDevices, type CliUser, createCliUser } from '../harness/cli-user.ts'
import { muster } from '../harness/muster.ts'
import { inTerminal } from '../harness/terminal.ts'

const app = sharedTestApp()

async function createFleet(): Promise<CliUser> {
  const user = await createCliUser(app)
  await addDevices(user.user, ['gateway-1', 'gateway-with-a-long-name'], { site: 'oslo', note: 'x'.repeat(60) })
  return user
}

const list = ['devices', 'list', '--columns', 'id,name,state,note']

describe.skipIf(!hasProgram('python3'))('in a terminal with 80 columns', () => {
  it('truncates IDs first and names last', async () => {
    const output = stripVTControlCharacters(await inTerminal(await createFleet(), ...list))
    expect(output).toMatch(/^id {8}name {22}state {5}note\n/)
    expect(output).toMatch(/\n80:\w\w:\w… {2}gateway-with-a-long-name {2}inactive {2}x{33}…\n$/)
    for (const line of output.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('colors device states', async () => {
    const user = await createFleet()
    expect(await inTerminal(user, ...list)).toContain('\u001b[33minactive\u001b[39m')
    const env = { ...user.env, NO_COLOR: '1' }
    expect(await inTerminal({ env }, ...list)).not.toContain('\u001b[')
  })

  it('prints a note at the end if there are more rows', async () => {
    const user = await createFleet()
    const output = await inTerminal(user, 'devices', 'list', '--limit', '1')
    expect(output).toMatch(/\n80:.*gateway-1.*\nThere are more rows\. To show all rows, pass --limit all\.\n$/)
    expect(await inTerminal(user, 'devices', 'list', '--limit', '2')).not.toContain('There are more')
    await inTerminal(user, 'attributes', 'set', 'gateway-1', 'site=bergen')
    expect(await inTerminal(user, 'devices', 'facets', 'site', '--size', '1')).toMatch(
      /\nThere are more values\. To show up to 100 values, pass --size 100\.\n$/,
    )
  })
})

describe('output to a pipe', () => {
  it('neither truncates nor colors values', async () => {
    const user = await createFleet()
    const [{ id, attributes }] = await user.lines('devices', 'list', 'gateway-with')
    const { stdout } = await user.run(...list)
    expect(stdout).toContain(`\n${id}  gateway-with-a-long-name  inactive  ${attributes.note}\n`)
  })

  it('colors states if FORCE_COLOR is set', async () => {
    const user = await createFleet()
    const { stdout } = await muster(list, { env: { ...user.env, FORCE_COLOR: '1' } })
    expect(stdout).toContain('\u001b[33minactive\u001b[39m')
  })
})
