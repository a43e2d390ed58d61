import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, copyFile, mkdir } from 'node:fs/promises'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { launcher, temporaryFolder } from '../harness/muster.ts'

/**
 * The command line of an installed Node.js release from 18 to 25 that cannot replace its process. If no such release is
 * installed, the command line of this release with a fake version.
 */
const olderNode = findOlderNode()

function findOlderNode(): string[] {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(folder, 'node')
    if (folder.includes('node_modules') || !existsSync(node)) continue
    const script = 'process.execve === undefined ? process.versions.node.split(".")[0] : 0'
    const major = Number(spawnSync(node, ['-p', script], { encoding: 'utf8' }).stdout)
    if (major >= 18 && major < 26) return [node]
  }
  const disguise = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } })'
  return [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(disguise)}`]
}

const start = (...args: string[]) => startFile(launcher, ...args)

function startFile(file: string, ...args: string[]) {
  const [node, ...options] = olderNode as [string, ...string[]]
  const child = spawn(node, [...options, file, ...args], { env: { PATH: '/usr/bin:/bin', HOME: '/nowhere' } })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += chunk))
  child.stderr.on('data', (chunk) => (output.stderr += chunk))
  const done = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output }))
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await done
  })
  return { child, done }
}

async function commandOf(launcherPid: number): Promise<number> {
  for (;;) {
    const children = readFileSync(`/proc/${launcherPid}/task/${launcherPid}/children`, 'utf8').trim()
    // Only SIGHUP shows that the launcher handles signals, because Node.js handles SIGTERM and SIGINT from the start.
    if (children !== '' && handles(launcherPid, 'SIGHUP')) return Number(children)
    await sleep(20)
  }
}

/** Returns whether a process handles a signal (proc_pid_status(5)). */
function handles(pid: number, signal: NodeJS.Signals): boolean {
  const [, mask = '0'] = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n
}

function hasEnded(pid: number): boolean {
  try {
    return /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}

describe('the launcher with an older Node.js release', () => {
  it('runs the command with the bundled Node.js', async () => {
    const { child, done } = start('--version')
    child.stdin.end()
    expect(await done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' })
  })

  it('explains how to install a library that the bundled Node.js lacks', async () => {
    const folder = await temporaryFolder()
    const file = join(folder.path, 'muster.mjs')
    await copyFile(launcher, file)
    const bundled = join('node_modules', `node-${process.platform}-${process.arch}`, 'bin')
    await mkdir(join(folder.path, bundled), { recursive: true })
    const error = 'error while loading shared libraries: libatomic.so.1: cannot open shared object file'
    const node = await folder.write(join(bundled, 'node'), `#!/bin/sh\necho '${error}' >&2\nexit 127\n`)
    await chmod(node, 0o755)
    const { code, stderr } = await startFile(file, '--version').done
    expect(code).toBe(1)
    expect(stderr).toContain(error)
    expect(stderr).toContain('apt install libatomic1')
  })

  it('forwards the exit code', async () => {
    const { child, done } = start('query', '--variables', '[]', '{ version }')
    child.stdin.end()
    expect(await done).toMatchObject({ code: 2, stderr: expect.stringContaining('must be a JSON object') })
  })

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'forwards %s to the command and ends with the same signal',
    async (signal) => {
      const { child, done } = start('query')
      await commandOf(child.pid!)
      child.kill(signal)
      expect(await done).toMatchObject({ code: null, signal })
    },
  )

  it('ends the command when the launcher is killed', async () => {
    const { child } = start('query')
    const command = await commandOf(child.pid!)
    child.kill('SIGKILL')
    while (!hasEnded(command)) await sleep(20)
  })
})
