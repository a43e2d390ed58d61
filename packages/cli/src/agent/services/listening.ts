import { readFile } from 'node:fs/promises'

/** A socket that takes connections, or datagrams from anybody. */
export interface ListeningSocket {
  protocol: 'tcp' | 'udp'
  port: number
  /** Only this machine can reach it. */
  isLoopback: boolean
  inode: string
}

/**
 * Lines of a table as proc_pid_net(5) describes it, `sl: local rem st tx:rx tr:when retrnsmt uid timeout inode`, for the states
 * LISTEN (0A) of TCP and "connected to nobody" (07) of UDP (Linux, include/net/tcp_states.h). A busy machine's table has
 * thousands of others, which are passed over unread.
 */
const lines = {
  tcp: /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A \S+ \S+ \S+ +\d+ +\d+ (\d+)/gm,
  udp: /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 07 \S+ \S+ \S+ +\d+ +\d+ (\d+)/gm,
} as const

/** What listens on this machine; undefined where the system does not say. */
export async function findListening(folder = '/proc/net'): Promise<ListeningSocket[] | undefined> {
  const tables = await Promise.all(
    ['tcp', 'tcp6', 'udp', 'udp6'].map(async (name) => {
      const text = await readFile(`${folder}/${name}`, 'utf8').catch(() => undefined)
      return text === undefined ? undefined : parseTable(text, name.startsWith('tcp') ? 'tcp' : 'udp')
    }),
  )
  if (tables.every((table) => table === undefined)) return undefined
  return tables.flatMap((table) => table ?? [])
}

export function parseTable(text: string, protocol: 'tcp' | 'udp'): ListeningSocket[] {
  return Array.from(text.matchAll(lines[protocol]), ([, address = '', port = '', inode = '']) => ({
    protocol,
    port: Number.parseInt(port, 16),
    isLoopback: isLoopback(address),
    inode,
  }))
}

/** Addresses stand as 32 bit words in the machine's own order, which is little-endian wherever Node runs. */
function isLoopback(hex: string): boolean {
  if (hex.length === 8) return hex.endsWith('7F')
  if (hex === '00000000000000000000000001000000') return true
  // IPv4 in IPv6 (RFC 4291 §2.5.5.2).
  return hex.startsWith('0000000000000000FFFF0000') && hex.endsWith('7F')
}
