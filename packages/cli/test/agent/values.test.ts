import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Aedes } from 'aedes'
import { expect, onTestFinished, test } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { openAgentMachine, until } from './machine.ts'

const app = sharedTestApp({ mqtt: true })

const noServices = '[services]\nfind = no\npoll = 1h\n'

async function startBroker(): Promise<{ url: string; published: Record<string, string>[] }> {
  const published: Record<string, string>[] = []
  const aedes = await Aedes.createBroker()
  aedes.on('publish', ({ topic, payload }, client) => {
    if (client === null) return
    if (topic.endsWith('/attributes')) published.push(JSON.parse(String(payload)))
    if (topic.endsWith('/services'))
      aedes.publish(
        { cmd: 'publish', qos: 1, dup: false, retain: false, topic: `${topic}/ids`, payload: '[]' },
        () => {},
      )
  })
  const server = createServer(aedes.handle)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.close()
    await new Promise<void>((resolve) => aedes.close(() => resolve()))
  })
  return { url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`, published }
}

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}

test('reports built-in sources and scripts as device attributes', async () => {
  const machine = await openAgentMachine(app)
  await machine.register(await machine.newCode())
  const script = await machine.write('script.sh', 'echo "  first $1 line  "\necho second\n')
  await machine.run(`${noServices}[status]
A = uptime
B = disk /
C = load
D = command sh ${script} very
[attributes]
sys.memory = memory
sys.kernel = kernel
site = text oslo # north`)
  // Wait for `site` and `statusD`, because the agent reports the value of a slow script separately from other values.
  const { attributes } = await machine.deviceWhere(({ attributes: { site, $svc } }) => site && $svc?.statusD)
  expect(attributes).toEqual({
    $svc: {
      statusA: expect.stringMatching(/^(\d+ (minute|hour|day)s?|under 10 minutes)$/),
      statusB: expect.stringMatching(/^\d+%$/),
      statusC: expect.stringMatching(/^\d+\.\d$/),
      statusD: 'first very line',
    },
    sys: { memory: expect.stringMatching(/^\d+%$/), kernel: expect.any(String) },
    site: 'oslo # north',
  })
})

test('publishes a value only when it changes', async () => {
  const [machine, broker] = [await openAgentMachine(app), await startBroker()]
  await machine.register(await machine.newCode())
  const [value, runs] = [await machine.write('value', 'one'), join(machine.folder, 'runs')]
  await machine.run(
    `interval = 1s\n${noServices}[attributes]\na = command echo x >> ${runs}; cat ${value}\nb = text same\n`,
    ...['--broker', broker.url],
  )
  const countRuns = async (): Promise<number> => (await readFile(runs, 'utf8').catch(() => '')).length / 2
  // The agent publishes the attributes `a` and `b` together or, if the command is slow, separately.
  const published = (): string[] => broker.published.flatMap((values) => Object.entries(values).map(String)).sort()
  await until(async () => published().length >= 2 && (await countRuns()) >= 4)
  expect(published()).toEqual(['a,one', 'b,same'])
  await replace(value, 'two')
  await until(() => published().length >= 3)
  const before = await countRuns()
  await until(async () => (await countRuns()) >= before + 3)
  expect(published()).toEqual(['a,one', 'a,two', 'b,same'])
})

test('logs a failing or hanging command once, and does not delay other values', async () => {
  const machine = await openAgentMachine(app)
  await machine.register(await machine.newCode())
  const value = await machine.write('value', 'one')
  const agent = await machine.run(`interval = 1s
${noServices}[attributes]
a = command test -s ${value} && cat ${value} || { echo it is empty >&2; exit 3; }
b = timeout 1s command sleep 1000 & wait
c = command head -c 1000000 /dev/zero | tr '\\0' x
d = timeout 1s command echo x; sleep 1000`)
  await machine.deviceWhere(({ attributes }) => attributes.a === 'one')
  await replace(value, '')
  await until(() => agent.stdout().includes('it is empty'))
  await until(() => agent.stdout().split('took longer').length > 2)
  await replace(value, 'two')
  const { attributes } = await machine.deviceWhere(({ attributes: { a, c } }) => a === 'two' && c)
  expect(attributes).toEqual({ a: 'two', c: 'x'.repeat(1_000) })
  const countInLog = (text: string): number => agent.stdout().split(text).length - 1
  expect([countInLog('with code 3: it is empty'), countInLog('can read a value again attribute=a')]).toEqual([1, 1])
  expect([
    countInLog('attribute=b reason="the command took longer'),
    countInLog('attribute=d reason="the command took longer'),
  ]).toEqual([1, 1])
})

test('logs why the server rejects a value, and reports the other values', async () => {
  const machine = await openAgentMachine(app)
  await machine.register(await machine.newCode())
  const { deviceId } = await machine.storedIdentity()
  await machine.user.data('mutation ($id: String!) { setAttribute(serviceId: $id, name: "site.room", value: "7") }', {
    id: deviceId,
  })
  const agent = await machine.run(`${noServices}[attributes]\nsite = text oslo\nrack = text 12\n`)
  await machine.deviceWhere(({ attributes }) => attributes.rack === '12')
  await until(() => agent.stdout().includes('the server rejected a value attribute=site code=CONFLICT'))
  await until(async () => JSON.parse((await machine.status()).stdout).connected)
  expect((await machine.device()).attributes).toEqual({ site: { room: '7' }, rack: '12' })
})
