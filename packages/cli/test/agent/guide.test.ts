import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { credentialsOf, muster, startMuster, temporaryFolder } from '../harness/muster.ts'
import { until } from './machine.ts'

const guide = readFileSync(new URL('../../../../docs/guides/agent.md', import.meta.url), 'utf8')

const app = sharedTestApp({ mqtt: true })

test("runs the guide's commands successfully in order", async () => {
  const folder = await temporaryFolder()
  const env = {
    MUSTER_CREDENTIALS: await folder.write('credentials', credentialsOf(app.url, app.owner)),
    MUSTER_AGENT_STATE: join(folder.path, 'state'),
    MUSTER_AGENT_CONFIG: await folder.write('agent.ini', '[services]\nfind = no\n'),
  }
  const commands = [...guide.matchAll(/^(?:sudo )?muster (.*)$/gm)].map(([, command]) => command!)
  expect(commands.length).toBeGreaterThan(6)
  let code = ''
  for (const command of commands) {
    const typed = command.replace('CODE', code).replace('http://127.0.0.1:4000', app.url)
    const words = typed.replace('/mnt/image', folder.path).split(' ')
    // Install into the test's folder, so that no service starts on this machine.
    const isInstalling = /install/.test(command) && !command.includes('--root')
    const args = isInstalling ? [...words, '--root', folder.path] : words
    if (command === 'agent run') {
      startMuster(args, { env })
      await until(async () => (await muster(['agent', 'status'], { env })).code === 0)
      continue
    }
    const ran = await muster(args, { env })
    expect([command, ran.code]).toEqual([command, 0])
    if (command === 'codes create') code = ran.stdout.trim()
  }
})

test("accepts the guide's configuration", async () => {
  const ini = /```ini\n([\s\S]*?)```/.exec(guide)![1]!
  const file = await (await temporaryFolder()).write('agent.ini', ini)
  const { stdout, stderr } = await muster(['agent', 'check', '--json', '--config', file])
  expect(stderr).toBe('')
  const { services, values } = JSON.parse(stdout)
  expect(values).toHaveLength(8)
  const named = services.filter(({ name }: { name: string }) => ['intranet', 'ledger'].includes(name))
  expect(named).toEqual([
    { name: 'intranet', port: 8080, state: expect.any(String) },
    { name: 'ledger', port: 9600, state: expect.any(String) },
  ])
})
