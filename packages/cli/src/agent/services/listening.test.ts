import { expect, test } from 'vitest'
import { parseTable } from './listening.ts'

const heading = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const line = (local: string, state: string, inode: number): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000 100 0 0 10 0\n`

test('finds listening TCP sockets', () => {
  const table =
    heading + line('00000000:0016', '0A', 11) + line('0100007F:1538', '0A', 12) + line('0A00000A:01BB', '01', 13)
  expect(parseTable(table, 'tcp')).toEqual([
    { protocol: 'tcp', port: 22, isLoopback: false, inode: '11' },
    { protocol: 'tcp', port: 5432, isLoopback: true, inode: '12' },
  ])
})

test('treats ::1 and IPv4-mapped 127.0.0.0/8 as loopback', () => {
  const isLoopback = (address: string): boolean | undefined =>
    parseTable(`${heading}   0: ${address}:0016 ${'0'.repeat(32)}:0000 0A 0:0 0:0 0 0 0 9 1`, 'tcp')[0]?.isLoopback
  expect(isLoopback('00000000000000000000000000000000')).toBe(false)
  expect(isLoopback('00000000000000000000000001000000')).toBe(true)
  expect(isLoopback('0000000000000000FFFF00000100007F')).toBe(true)
  expect(isLoopback('0000000000000000FFFF0000010000C0')).toBe(false)
})

test('finds unconnected UDP sockets', () => {
  const table = heading + line('00000000:007B', '07', 21) + line('0A00000A:007B', '01', 22)
  expect(parseTable(table, 'udp')).toEqual([{ protocol: 'udp', port: 123, isLoopback: false, inode: '21' }])
})
