import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { CliError, usageError } from '../../errors/cli-error.ts'
import type { AgentStatus } from './status-message.ts'

const socketIn = (folder: string): string => join(folder, 'agent.sock')
/** The maximum length of a Unix socket path, without the terminating NUL (unix(7)). */
const MAX_PATH_BYTES = 107

/**
 * Serves the agent's status on a socket in the state folder. Throws if the socket cannot be created, or if another
 * agent uses the folder, because the two agents would repeatedly disconnect each other.
 */
export async function serveStatus(folder: string, status: () => AgentStatus): Promise<{ close(): Promise<void> }> {
  const path = socketIn(folder)
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw usageError(
      `the path of the agent's state folder is too long for a socket: ${folder}`,
      `Set a path of at most ${MAX_PATH_BYTES - '/agent.sock'.length} bytes with --state or MUSTER_AGENT_STATE.`,
    )
  }
  if (await isListening(path)) {
    throw usageError(
      `another agent is running with the state folder ${folder}`,
      `Stop that agent first. To see its status, run: muster agent status --state ${folder}`,
    )
  }
  // Remove the socket that a killed agent may have left behind.
  await rm(path, { force: true })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(JSON.stringify(status()))
  })
  server.listen(path)
  await once(server, 'listening').catch((error: Error) => {
    throw new CliError(`cannot create the agent's socket: ${error.message}`)
  })
  server.unref()
  return {
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function isListening(path: string): Promise<boolean> {
  const socket = await open(path)
  socket?.destroy()
  return socket !== undefined
}

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
    throw new CliError(`cannot open the agent's socket: ${message}`, {
      hint: 'If the agent runs as another user, try again as root (sudo).',
    })
  }
}
