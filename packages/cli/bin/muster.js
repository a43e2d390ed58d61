#!/usr/bin/env node
// Plain JavaScript that old Node.js releases can run. Finds a Node.js release that can run the other files.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED = 24

const self = fileURLToPath(import.meta.url)

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  const { main } = await import('../src/main.ts')
  process.exitCode = await main(process.argv.slice(2))
} else {
  const node = findNode(dirname(self))
  if (node === undefined) {
    console.error(`muster: requires Node.js ${NEEDED} or newer, but this is ${process.version}`)
    console.error('Run "npm ci" in the Muster folder to install it, or install Node.js from https://nodejs.org.')
    process.exitCode = 1
  } else {
    runWith(node)
  }
}

/** Finds the Node.js that npm installed with Muster, in `node_modules` of the folder or of its closest parent folder. */
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

/** Runs this file in a child process with the given Node.js. Forwards signals and exits in the same way as the child. */
function runWith(node) {
  // The child must receive each signal only once, because a second signal stops a server immediately. A terminal sends
  // Ctrl-C to both processes. Without a terminal, the child runs in a separate process group, which receives no signals.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  const child = spawn(node, [self, ...process.argv.slice(2)], {
    // The channel closes when this process is killed, so the child can exit too.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: !hasTerminal && process.platform !== 'win32',
    env: Object.assign({}, process.env, { MUSTER_LAUNCHED: '1' }),
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
    if (signal === null) process.exit(code === null ? 1 : code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
