import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { CliError, exitCodes } from '../../cli-error.ts'
import type { AgentStatus } from './status.ts'

const socketIn = (folder: string): string => join(folder, 'agent.sock')
/** What an address of a Unix socket holds (unix(7)), its end aside. */
const MOST_PATH_BYTES = 107

/**
 * Answers who asks how the agent is. One agent at a time has the socket of a folder: two would be the same device, and
 * take the connection from each other for ever.
 */
export async function serveStatus(folder: string, status: () => AgentStatus): Promise<{ close(): Promise<void> }> {
  const path = socketIn(folder)
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) {
    throw new CliError(`the agent's folder has too long a name: ${folder}`, { exitCode: exitCodes.usage })
  }
  if (await answers(path)) {
    throw new CliError(`another agent runs in ${folder}`, {
      hint: '"muster agent status" says how it is.',
      exitCode: exitCodes.usage,
    })
  }
  // Left behind by one that was killed.
  await rm(path, { force: true })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(JSON.stringify(status()))
  })
  server.listen(path)
  await once(server, 'listening').catch((error: Error) => {
    throw new CliError(`the agent's socket cannot be made: ${error.message}`)
  })
  server.unref()
  return {
    async close() {
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function answers(path: string): Promise<boolean> {
  const socket = await open(path)
  socket?.destroy()
  return socket !== undefined
}

/** What the agent of a folder says of itself; undefined when none runs. */
export async function askStatus(folder: string): Promise<AgentStatus | undefined> {
  const socket = await open(socketIn(folder))
  if (socket === undefined) return undefined
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

async function open(path: string): Promise<Socket | undefined> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return socket
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ECONNREFUSED') return undefined
    throw new CliError(`the agent's socket cannot be opened: ${message}`, { hint: 'Try again as root (sudo).' })
  }
}
