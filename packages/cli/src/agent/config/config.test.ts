import { expect, test } from 'vitest'
import { CliError } from '../../cli-error.ts'
import { parseAgentConfig } from './config.ts'

test.each([
  ['interval 5s', 1, /"name = value" or a "\[section\]"/],
  ['# a comment\n\nintervall = 5s', 3, /"intervall" is no setting before the first section; there are url, /],
  ['interval = 5 parsecs', 1, /interval must be a time such as 30s, 5m, 1h or 2d/],
  ['interval = 5s\ninterval = 6s', 2, /"interval" stands in line 1 already/],
  ['url = ftp://x', 1, /url must be a URL that begins with http, https/],
  ['broker = http://x', 1, /mqtt, mqtts, ws, wss/],
  ['[state]\nA = uptime', 1, /no section \[state\]; there are \[services\], \[status\], \[attributes\]/],
  ['[status]\nF = uptime', 2, /one of A, B, C, D, E/],
  ['[status]\nA = uptimes', 2, /"uptimes" is no source; there are uptime, load, memory, /],
  ['[status]\nA = uptime please', 2, /"uptime" takes nothing after it/],
  ['[status]\nA = disk', 2, /"disk" is followed by a folder such as \//],
  ['[status]\nA = command', 2, /"command" is followed by what is to be run/],
  ['[status]\nA = every never uptime', 2, /"every" is followed by a time/],
  ['[attributes]\n$svc.other = uptime', 2, /is reserved/],
  ['[attributes]\na. = uptime', 2, /has a dot inside only/],
  ['[attributes]\nnet = text a\nnet.ssid = text b', 2, /net does not go together with net\.ssid in line 3/],
  ['[status]\nA = uptime\n[attributes]\n$svc.statusA = load', 2, /does not go together with \$svc\.statusA in line 4/],
  ['[services]\nweb = htp:80', 2, /"htp" is no type; types are TCP, UDP, VNC/],
  ['[services]\nweb = tcp', 2, /web needs a port from 1 to 65535/],
  ['[services]\nweb = http:70000', 2, /web needs a port/],
  ['[services]\nweb = http:81\nshop = tcp:81', 3, /port 81 is that of "web" already/],
  ['[services]\nignore = 80, ssh', 2, /"ssh" is none/],
  ['[services]\nloopback = perhaps', 2, /loopback must be yes or no/],
])('%j is refused with its line', (config, line, message) => {
  const refusal = refusalOf(config)
  expect(refusal.exitCode).toBe(2)
  expect(refusal.message).toMatch(message)
  expect(refusal.message).toContain(`agent.ini, line ${line}: `)
})

function refusalOf(config: string): CliError {
  try {
    parseAgentConfig(config, 'agent.ini')
  } catch (error) {
    if (error instanceof CliError) return error
    throw error
  }
  throw new Error('it is taken')
}
