import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { parseAgentConfig } from '../../src/agent/config/config.ts'
import { derivedId } from '../../src/agent/machine/hardware-id.ts'
import { inspectMachine } from '../../src/agent/preview-report.ts'
import { type CommandResult, muster, temporaryFolder } from '../harness/muster.ts'

async function check(config: string): Promise<CommandResult & { file: string }> {
  const file = await (await temporaryFolder()).write('agent.ini', config)
  return { ...(await muster(['agent', 'check', '--json', '--config', file])), file }
}

test('rejects an invalid configuration and reports the file and line', async () => {
  const { code, stdout, stderr, file } = await check('[status]\nA = uptimes')
  const { error } = JSON.parse(stderr)
  expect([code, stdout, error.code]).toEqual([2, '', 'USAGE'])
  expect(error.message).toContain(`${file}, line 2: "uptimes" is not a source`)
})

test('rejects a configuration file that does not exist', async () => {
  const { code, stderr } = await muster(['agent', 'check', '--config', '/nowhere/agent.ini'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('/nowhere/agent.ini does not exist')])
})

test('prints what the agent would report, and exits with code 1 if a value cannot be read', async () => {
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

test('waits for a command with the longest allowed time limit', async () => {
  const { stdout } = await check('[services]\nfind = no\n[attributes]\na = timeout 30d command sleep 0.2; echo x\n')
  expect(JSON.parse(stdout)).toMatchObject({ values: [{ attribute: 'a', value: 'x' }] })
})

test('omits services that only this machine can reach unless the configuration includes them', async () => {
  const port = await listenAtOneOf([8080, 8443, 9100, 4840, 20_000, 2404])
  const isFound = async (services: string): Promise<boolean> =>
    (await inspectMachine(parseAgentConfig(`[services]\n${services}`, 'agent.ini'))).services.some(
      (each) => each.port === port && each.state === 'active',
    )
  expect(await isFound('')).toBe(false)
  expect(await isFound('loopback = yes')).toBe(true)
  expect(await isFound(`loopback = yes\nignore = ${port}`)).toBe(false)
  expect(await isFound('loopback = yes\nfind = no')).toBe(false)
  expect(await isFound(`mine = tcp:${port}`)).toBe(true)
})

/** Listens on loopback, on the first free port in the list. Returns the port. */
async function listenAtOneOf([port, ...others]: number[]): Promise<number> {
  if (port === undefined) throw new Error('all ports in the list are in use')
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

test('detects a service on a nonstandard port by its program', async () => {
  const { path } = await temporaryFolder()
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  await symlink(python, `${path}/redis-server`)
  const listening =
    's = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); sys.stdin.read()'
  const child = spawn(`${path}/redis-server`, ['-c', `import socket, sys; ${listening}`])
  onTestFinished(() => void child.kill())
  const [printed] = await once(child.stdout, 'data')
  const port = Number(String(printed))
  const { stdout } = await check('[services]\nloopback = yes')
  expect(JSON.parse(stdout).services).toContainEqual({
    name: `redis-${port}`,
    port,
    state: 'active',
  })
})

test("derives the hardware ID from the machine ID with systemd's algorithm", () => {
  // The expected ID is the output of this command for this machine ID:
  // systemd-id128 machine-id --app-specific=6f1c5f0e2f6b4d0c9a5f0e7b3c8d21a4
  expect(derivedId('0123456789abcdef0123456789abcdef')).toBe('5f669cea136b4fbea12582d4e7c5d9b5')
})
