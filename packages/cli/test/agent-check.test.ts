import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { derivedId } from '../src/agent/machine/hardware-id.ts'
import { muster, type Ran, temporaryFolder } from './muster.ts'

async function check(config: string): Promise<Ran & { file: string }> {
  const file = await (await temporaryFolder()).write('agent.ini', config)
  return { ...(await muster(['agent', 'check', '--json', '--config', file])), file }
}

const seen = async (config: string) => JSON.parse((await check(config)).stdout)

test.each([
  ['interval 5s', 1, /"name = value" or a "\[section\]"/],
  ['# a comment\n\nintervall = 5s', 3, /"intervall" is no setting before the first section; there are url, /],
  ['interval = 5 parsecs', 1, /interval must be a time such as 30s, 5m, 1h or 2d/],
  ['interval = 5s\ninterval = 6s', 2, /"interval" stands in line 1 already/],
  ['url = ftp://x', 1, /url must be a URL that begins with http, https/],
  ['broker = http://x', 1, /mqtt, mqtts, ws, wss/],
  ['[state]\nA = uptime', 1, /no section \[state\]; there are \[services\], \[status\], \[attributes\]/],
  ['[status]\nF = uptime', 2, /one of A, B, C, D, E/],
  ['[status]\nA = uptimes', 2, /"uptimes" is no source; there are uptime, load, memory, /],
  ['[status]\nA = uptime please', 2, /"uptime" takes nothing after it/],
  ['[status]\nA = disk', 2, /"disk" is followed by a folder such as \//],
  ['[status]\nA = command', 2, /"command" is followed by what is to be run/],
  ['[status]\nA = every never uptime', 2, /"every" is followed by a time/],
  ['[attributes]\n$svc.other = uptime', 2, /is reserved/],
  ['[attributes]\na. = uptime', 2, /has a dot inside only/],
  ['[attributes]\nnet = text a\nnet.ssid = text b', 2, /net does not go together with net\.ssid in line 3/],
  ['[status]\nA = uptime\n[attributes]\n$svc.statusA = load', 2, /does not go together with \$svc\.statusA in line 4/],
  ['[services]\nweb = htp:80', 2, /"htp" is no type; types are TCP, UDP, VNC/],
  ['[services]\nweb = tcp', 2, /web needs a port from 1 to 65535/],
  ['[services]\nweb = http:70000', 2, /web needs a port/],
  ['[services]\nweb = http:81\nshop = tcp:81', 3, /port 81 is that of "web" already/],
  ['[services]\nignore = 80, ssh', 2, /"ssh" is none/],
  ['[services]\nloopback = perhaps', 2, /loopback must be yes or no/],
])('%j is refused with its line', async (config, line, message) => {
  const { code, stdout, stderr, file } = await check(config)
  const { error } = JSON.parse(stderr)
  expect([code, stdout, error.code]).toEqual([2, '', 'USAGE'])
  expect(error.message).toMatch(message)
  expect(error.message).toContain(`${file}, line ${line}: `)
})

test('a configuration that is named must be there', async () => {
  const { code, stderr } = await muster(['agent', 'check', '--config', '/nowhere/agent.ini'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('no configuration at /nowhere/agent.ini')])
})

test('it says what would be reported, and fails with what cannot be found out', async () => {
  const config =
    'name = box\nplatform = Box 2\n[services]\nfind = no\nweb = http:1\n[attributes]\na = text x\nb = file /nowhere\n'
  const { code, stdout, stderr } = await check(config)
  expect([code, stderr]).toEqual([1, ''])
  expect(JSON.parse(stdout)).toMatchObject({
    name: 'box',
    platform: 'Box 2',
    hardwareId: expect.stringMatching(/^[0-9a-f]{32}$/),
    services: [{ name: 'web', port: 1, state: 'inactive' }],
    values: [
      { attribute: 'a', value: 'x' },
      { attribute: 'b', failure: expect.stringContaining('ENOENT') },
    ],
  })
})

test('services that only this machine can reach are left out, unless they are asked for or expected', async () => {
  const port = await listenAtOneOf([8080, 8443, 9100, 4840, 20_000, 2404])
  const isFound = async (services: string): Promise<boolean> =>
    (await seen(`[services]\n${services}`)).services.some(
      (each: { port: number; state: string }) => each.port === port && each.state === 'active',
    )
  expect(await isFound('')).toBe(false)
  expect(await isFound('loopback = yes')).toBe(true)
  expect(await isFound(`loopback = yes\nignore = ${port}`)).toBe(false)
  expect(await isFound('loopback = yes\nfind = no')).toBe(false)
  expect(await isFound(`mine = tcp:${port}`)).toBe(true)
})

/** Listens on loopback at the first of these ports that is free, all of them usual ports of a type. */
async function listenAtOneOf([port, ...others]: number[]): Promise<number> {
  if (port === undefined) throw new Error('no usual port is free')
  const server = createServer()
  const listening = once(server.listen(port, '127.0.0.1'), 'listening')
  return listening.then(
    () => {
      onTestFinished(() => void server.close())
      return (server.address() as AddressInfo).port
    },
    () => listenAtOneOf(others),
  )
}

test('a service on a port of its own is known by its program', async () => {
  const { path } = await temporaryFolder()
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  await symlink(python, `${path}/redis-server`)
  const listening =
    's = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); sys.stdin.read()'
  const child = spawn(`${path}/redis-server`, ['-c', `import socket, sys; ${listening}`])
  onTestFinished(() => void child.kill())
  const [printed] = await once(child.stdout, 'data')
  const port = Number(String(printed))
  expect((await seen('[services]\nloopback = yes')).services).toContainEqual({
    name: `redis-${port}`,
    port,
    state: 'active',
  })
})

test('the hardware id is made of the machine id as systemd makes such ids, and is another', () => {
  // As `systemd-id128 machine-id --app-specific=6f1c5f0e2f6b4d0c9a5f0e7b3c8d21a4` prints it on a machine of this id.
  expect(derivedId('0123456789abcdef0123456789abcdef')).toBe('5f669cea136b4fbea12582d4e7c5d9b5')
})
