import { expect, test } from 'vitest'
import { CliError } from '../../errors/cli-error.ts'
import { parseAgentConfig } from './config.ts'

test.each([
  ['interval 5s', 1, /"name = value" or "\[section\]"/],
  ['# a comment\n\nintervall = 5s', 3, /"intervall" is not a valid setting before the first section\. Known settings/],
  ['interval = 5 parsecs', 1, /"interval" must be a duration from 1s to 1d, such as 5m, not "5 parsecs"/],
  ['interval = 5s\ninterval = 6s', 2, /"interval" is already set on line 1/],
  ['url = ftp://x', 1, /"url" must be a URL with a host and the scheme http or https/],
  ['broker = http://x', 1, /mqtt, mqtts, ws, or wss/],
  ['[state]\nA = uptime', 1, /unknown section \[state\]\. Known sections: \[services\], \[status\], \[attributes\]/],
  ['[status]\nF = uptime', 2, /the name of a status must be A, B, C, D, or E/],
  ['[status]\nA = uptimes', 2, /"uptimes" is not a source\. Known sources: uptime, load, memory, /],
  ['[status]\nA = uptime please', 2, /"uptime" does not accept an argument/],
  ['[status]\nA = disk', 2, /"disk" must be followed by a folder such as \//],
  ['[status]\nA = command', 2, /"command" must be followed by a shell command/],
  ['[status]\nA = every never uptime', 2, /"every" must be followed by a duration/],
  ['[attributes]\n$svc.other = uptime', 2, /is reserved/],
  ['[attributes]\na. = uptime', 2, /must not begin or end with a dot/],
  ['[attributes]\na..b = uptime', 2, /must not begin or end with a dot/],
  ['[attributes]\nnet = text a\nnet.ssid = text b', 2, /net conflicts with net\.ssid on line 3/],
  ['[status]\nA = uptime\n[attributes]\n$svc.statusA = load', 2, /conflicts with \$svc\.statusA on line 4/],
  ['[services]\nweb = htp:80', 2, /"htp" is not a service type\. .*Types: TCP, UDP, VNC/],
  ['[services]\nweb = tcp', 2, /"web" requires a port from 1 to 65535/],
  ['[services]\nweb = http:70000', 2, /"web" requires a port/],
  ['[services]\nweb = http:81\nshop = tcp:81', 3, /"web" already uses TCP port 81/],
  ['[services]\nignore = 80, ssh', 2, /"ssh" is not a port/],
  ['[services]\nloopback = perhaps', 2, /"loopback" must be yes or no/],
  ['[services]\nforget = always', 2, /"forget" must be "never" or a duration from 1m to 3650d/],
])('rejects %j and reports the line number', (config, line, message) => {
  const rejection = rejectionOf(config)
  expect(rejection.exitCode).toBe(2)
  expect(rejection.message).toMatch(message)
  expect(rejection.message).toContain(`agent.ini, line ${line}: `)
})

function rejectionOf(config: string): CliError {
  try {
    parseAgentConfig(config, 'agent.ini')
  } catch (error) {
    if (error instanceof CliError) return error
    throw error
  }
  throw new Error('expected parseAgentConfig to reject the configuration')
}
