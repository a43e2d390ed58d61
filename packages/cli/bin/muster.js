#!/usr/bin/env node
// Plain JavaScript that old releases of Node can read: it finds one that runs the rest.
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
    console.error(`muster: Node ${NEEDED} or newer is needed, and this is ${process.version}`)
    console.error('Run npm ci in the folder of Muster, which brings it along, or install Node from https://nodejs.org')
    process.exitCode = 1
  } else {
    runWith(node)
  }
}

/** The Node that npm installed with Muster: in the nearest node_modules, going up. */
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

/** Runs this file again and stands in for it: signals go through, and it ends the way the other process ends. */
function runWith(node) {
  // A terminal sends Ctrl-C to both processes; without one, the child is kept out of signals to the group. Either way
  // it gets each signal once: the second one ends a server at once.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  const child = spawn(node, [self, ...process.argv.slice(2)], {
    // The channel tells the child when this process is killed.
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
    console.error(`muster: ${node} does not run: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code === null ? 1 : code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
