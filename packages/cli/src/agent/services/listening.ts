import { readFile } from 'node:fs/promises'

/** A TCP socket that accepts connections, or a UDP socket that accepts datagrams from any address. */
export interface ListeningSocket {
  protocol: 'tcp' | 'udp'
  port: number
  /** Whether only this machine can reach the socket. */
  isLoopback: boolean
  inode: string
}

/**
 * Patterns for TCP sockets in the state LISTEN (0A) and for unconnected UDP sockets (07), in the format of
 * proc_pid_net(5). The Linux header include/net/tcp_states.h defines the states.
 */
const lines = {
  tcp: /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A \S+ \S+ \S+ +\d+ +\d+ (\d+)/gm,
  udp: /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 07 \S+ \S+ \S+ +\d+ +\d+ (\d+)/gm,
} as const

/** Returns this machine's listening sockets, or undefined if the system does not report them. */
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

/** Assumes a little-endian machine: the addresses are 32-bit words in the machine's byte order. */
function isLoopback(hex: string): boolean {
  if (hex.length === 8) return hex.endsWith('7F')
  if (hex === '00000000000000000000000001000000') return true
  // Also recognize IPv4-mapped IPv6 addresses (RFC 4291 §2.5.5.2).
  return hex.startsWith('0000000000000000FFFF0000') && hex.endsWith('7F')
}
