#!/usr/bin/env node
// This file is plain JavaScript that old Node.js releases can run. It finds a Node.js release that can run the other
// files.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED = 26

/**
 * V8 options for a server. They limit the size of the young generation and slow down the growth of the heap. They let
 * only one thread collect the young generation, which leaves other CPUs to the database. They also keep short-lived
 * objects out of the old generation (docs/decisions/0007-memory-flags.md, docs/decisions/0012-load-shedding.md).
 */
const SERVER_OPTIONS = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=110',
  '--no-parallel-scavenge',
  '--no-allocation-site-pretenuring',
  '--no-maglev',
]
/** Limits glibc to two memory arenas, which reduces a server's memory use. */
const SERVER_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' }

const LOADER_FAILED = 127

const self = fileURLToPath(import.meta.url)
const args = process.argv.slice(2)
const node = Number(process.versions.node.split('.')[0]) >= NEEDED ? process.execPath : findNode(dirname(self))
// A different command that has the argument "serve" also works with these options.
const options = args.includes('serve') ? SERVER_OPTIONS : []

if (node === undefined) {
  console.error(`muster: requires Node.js ${NEEDED} or newer, but is running on ${process.version}`)
  console.error('Run "npm ci" in the Muster folder to install Node.js, or install it from https://nodejs.org.')
  process.exitCode = 1
} else if (node === process.execPath && options.every((option) => process.execArgv.includes(option))) {
  if (options.length === 0) cacheCompiledCode()
  const { main } = await import('../src/main.ts')
  process.exitCode = await main(args)
} else {
  runWith(node)
}

/** Caches compiled code in ~/.muster/compiled, so that commands start faster. */
function cacheCompiledCode() {
  const home = process.env.HOME || homedir()
  try {
    if (!isOwn(home)) return
    const folder = join(home, '.muster')
    // Make the folder private, because it also contains credentials.
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    module.enableCompileCache(join(folder, 'compiled'))
  } catch {
    // Ignore the error, because the command works without the cache.
  }
}

/** Returns whether this user owns the folder. Another owner could put malicious code into the folder's cache. */
function isOwn(folder) {
  try {
    return statSync(folder).uid === (process.getuid?.() ?? 0)
  } catch {
    return false
  }
}

function serverEnvironment() {
  const data = process.env.MUSTER_DATA || 'data'
  // Do not let Node.js create the folder. On the first start, the server creates it with private permissions.
  if (process.env.NODE_COMPILE_CACHE !== undefined || !isOwn(data)) return SERVER_ENVIRONMENT
  return Object.assign({ NODE_COMPILE_CACHE: join(data, 'compiled') }, SERVER_ENVIRONMENT)
}

/**
 * Returns the path of the Node.js program that npm installed with Muster, in `node_modules` of `folder` or of a folder
 * above it. Returns undefined if there is none.
 */
function findNode(folder) {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const program = process.platform === 'win32' ? 'node.exe' : 'node'
  const names = [join(`node-${platform}-${process.arch}`, 'bin', program), join('.bin', program)]
  for (const name of names) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(path)) return path
  }
  return dirname(folder) === folder ? undefined : findNode(dirname(folder))
}

function runWith(node) {
  const env = Object.assign({}, process.env, options.length > 0 ? serverEnvironment() : {})
  const command = [...process.execArgv, ...options, self, ...args]
  if (process.execve !== undefined && process.platform !== 'win32') {
    if (node !== process.execPath) assertStarts(node)
    process.execve(node, [node, ...command], env)
  }
  // The child must receive each signal only once, because a second signal can stop a server immediately. A terminal
  // sends SIGINT and SIGHUP to both processes.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  const child = spawn(node, command, {
    // The child exits when this channel closes, for example because this process was killed.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: !hasTerminal && process.platform !== 'win32',
    env: Object.assign(env, { MUSTER_LAUNCHED: '1' }),
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal === 'SIGTERM' || !hasTerminal) child.kill(signal)
    })
  }
  child.on('error', (error) => {
    console.error(`muster: cannot run ${node}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (code === LOADER_FAILED) assertStarts(node)
    if (signal === null) process.exit(code === null ? 1 : code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function assertStarts(node) {
  const { status, stderr } = spawnSync(node, ['--version'])
  if (status === 0) return
  console.error(`muster: ${node} does not start. ${stderr}`)
  if (String(stderr).includes('libatomic')) console.error('On Debian and Ubuntu, run: apt install libatomic1')
  process.exit(1)
}
