// This program runs in a separate process and opens connections that misbehave in one of three ways.
import { createConnection, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createResponseReader } from './response-reader.ts'

export interface Attack {
  host: string
  port: number
  /** The local address of the connections. */
  from: string
  connections: number
  /** The requests, which are assigned to the connections in rotation. */
  requests: Buffer[]
  /**
   * `repeat` reads each response and sends the request again. `ignore` reads only at the end of the attack. `wait`
   * sends an unfinished request, or nothing if there are no requests, and keeps the connection open.
   */
  behavior: 'repeat' | 'ignore' | 'wait'
}

export type AttackerCommand = { kind: 'attack'; attacks: Attack[] } | { kind: 'stop' }

export interface AttackerState {
  /** The numbers of responses with each status and error code, and the numbers of closed and failed connections. */
  outcomes: Record<string, number>
  open: number
  /** The longest time that a connection with the behavior `wait` was open, in milliseconds. */
  longestOpen: number
}

const REPORT_MS = 250
/** Gives the attacker a lower priority than the server and the other user, so that it does not take their CPU time. */
const NICE = 5
const RECONNECT_MS = 200
/** The number of connections to open at a time, limited by the backlog of the listening socket. */
const OPENED_AT_ONCE = 100
const OPEN_EVERY_MS = 20
/** How long to read the buffered data of unread connections at the end of the attack. */
const DRAIN_MS = 5_000
/** The interval of writes to unread connections. Only a write detects that the server has closed the connection. */
const PROBE_MS = 2_000

if (process.send !== undefined) run()

function run(): void {
  setPriority(NICE)
  const state: AttackerState = { outcomes: {}, open: 0, longestOpen: 0 }
  const sockets = new Map<Socket, { behavior: Attack['behavior']; opened: number }>()
  const unread = new Map<Socket, (part: Buffer) => void>()
  let isStopping = false
  const count = (outcome: string): void => {
    state.outcomes[outcome] = (state.outcomes[outcome] ?? 0) + 1
  }

  const open = (attack: Attack, index: number): void => {
    if (isStopping) return
    const { host, port, from, requests, behavior } = attack
    const request = requests[index % requests.length]
    const socket = createConnection({ host, port, localAddress: from, noDelay: true })
    let isConnected = false
    let probe: NodeJS.Timeout | undefined
    const reader = createResponseReader((outcome) => {
      count(outcome)
      if (behavior === 'repeat' && socket.writable) socket.write(request!)
    })
    socket.on('connect', () => {
      isConnected = true
      sockets.set(socket, { behavior, opened: performance.now() })
      if (request !== undefined) socket.write(request)
      if (behavior === 'ignore') {
        socket.pause()
        unread.set(socket, reader)
        probe = setInterval(() => socket.write('\r\n'), PROBE_MS)
      }
    })
    if (behavior !== 'ignore') socket.on('data', reader)
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(probe)
      if (isStopping && !unread.has(socket)) return
      unread.delete(socket)
      noteAge(socket)
      sockets.delete(socket)
      count(isConnected ? 'closed' : 'not connected')
      if (!isStopping) setTimeout(() => open(attack, index), RECONNECT_MS)
    })
  }

  const noteAge = (socket: Socket): void => {
    const connection = sockets.get(socket)
    if (connection?.behavior !== 'wait') return
    state.longestOpen = Math.max(state.longestOpen, performance.now() - connection.opened)
  }

  const openAll = (attack: Attack): void => {
    let index = 0
    const opening = setInterval(() => {
      for (let each = 0; each < OPENED_AT_ONCE && index < attack.connections; each++) open(attack, index++)
      if (index >= attack.connections) clearInterval(opening)
    }, OPEN_EVERY_MS)
  }

  const report = (): void => void process.send!({ ...state, open: sockets.size } satisfies AttackerState)
  const reporting = setInterval(report, REPORT_MS)
  process.once('disconnect', () => process.exit())
  const drain = async (): Promise<void> => {
    for (const [socket, reader] of unread) socket.on('data', reader).resume()
    if (unread.size > 0) await sleep(DRAIN_MS)
    unread.clear()
  }

  process.on('message', async (command: AttackerCommand) => {
    if (command.kind === 'attack') {
      for (const attack of command.attacks) openAll(attack)
      return
    }
    isStopping = true
    clearInterval(reporting)
    // Also include the connections that the server has not closed.
    for (const socket of sockets.keys()) noteAge(socket)
    await drain()
    report()
    for (const socket of sockets.keys()) socket.resetAndDestroy()
    setImmediate(() => process.exit())
  })
  report()
}
