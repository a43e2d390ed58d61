import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launcher, muster, temporaryFolder } from '../harness/muster.ts'
import { modeOf } from './machine.ts'

test('prints a unit that starts this installation of Muster as a separate user', async () => {
  const { code, stdout } = await muster(['agent', 'install', '--print'])
  expect(code).toBe(0)
  expect(stdout).toContain(`ExecStart=${process.execPath} ${launcher} agent run\n`)
  for (const line of ['DynamicUser=yes', 'StateDirectory=muster-agent', 'ProtectSystem=strict', 'Restart=always']) {
    expect(stdout.split('\n')).toContain(line)
  }
  expect(stdout).not.toMatch(/@[A-Z]+@/)
})

test('installs into an image, keeps a changed configuration, and removes all files with --purge', async () => {
  const { path: root } = await temporaryFolder()
  const [unit, config] = [join(root, 'etc/systemd/system/muster-agent.service'), join(root, 'etc/muster/agent.ini')]
  const installed = await muster(['agent', 'install', '--root', root])
  expect(installed).toMatchObject({ code: 0, stdout: `wrote ${config}\nwrote ${unit}\n`, stderr: '' })
  expect([await modeOf(unit), await modeOf(config)]).toEqual(['644', '644'])
  const checked = await muster(['agent', 'check', '--json', '--config', config])
  expect([checked.stderr, JSON.parse(checked.stdout).values.length]).toEqual(['', 3])

  await writeFile(config, 'interval = 5m\n')
  expect((await muster(['agent', 'install', '--root', root])).stdout).toBe(`wrote ${unit}\n`)
  expect(await readFile(config, 'utf8')).toBe('interval = 5m\n')

  expect((await muster(['agent', 'uninstall', '--root', root])).stdout).toBe(`removed ${unit}\n`)
  expect((await muster(['agent', 'uninstall', '--root', root, '--purge'])).stdout).toBe(`removed ${config}\n`)
  expect((await muster(['agent', 'uninstall', '--root', root])).stdout).toMatch(/^Nothing to do/)
})

test('checks that systemd is installed before it registers the machine', async () => {
  const { path } = await temporaryFolder()
  const { code, stderr } = await muster(['agent', 'install', '--url', 'http://127.0.0.1:1'], { env: { PATH: path } })
  expect([code, stderr]).toEqual([1, expect.stringContaining('systemd is not installed')])
})

test("removes the state folder and systemd's link to it with --purge", async () => {
  const { path: root } = await temporaryFolder()
  const [folder, link] = [join(root, 'var/lib/private/muster-agent'), join(root, 'var/lib/muster-agent')]
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'device.json'), '{}')
  await symlink('private/muster-agent', link)
  expect(await muster(['agent', 'uninstall', '--root', root, '--purge'])).toMatchObject({
    code: 0,
    stdout: `removed ${folder}\nremoved ${link}\n`,
  })
  await expect(lstat(link)).rejects.toThrow('ENOENT')
})

test('fails with --purge if it cannot check whether the secret is on this machine', async () => {
  const { path: root } = await temporaryFolder()
  const parent = join(root, 'var/lib/private')
  await mkdir(join(root, 'var/lib'), { recursive: true })
  await symlink(parent, parent)
  const uninstall = () => muster(['agent', 'uninstall', '--root', root, '--purge'])
  expect(await uninstall()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(parent) })
  await rm(parent)
  expect((await uninstall()).stdout).toMatch(/^Nothing to do/)
})
