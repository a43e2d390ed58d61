import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp, TestUser } from '../../../server/test/harness/app.ts'
import { type CommandResult, muster, type RunningCommand, startMuster, temporaryFolder } from '../harness/muster.ts'

export interface ReportedDevice {
  id: string
  name: string
  state: string
  hardwareId: string
  platform: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its configuration reports
  attributes: any
  services: { name: string; port: number; state: string; application: number }[]
}

export interface AgentMachine {
  user: TestUser
  folder: string
  state: string
  write(name: string, text: string): Promise<string>
  newCode(uses?: number): Promise<string>
  register(code: string, ...args: string[]): Promise<CommandResult>
  run(config: string, ...args: string[]): Promise<RunningCommand>
  status(): Promise<CommandResult>
  devices(): Promise<ReportedDevice[]>
  device(): Promise<ReportedDevice>
  deviceWhere(matches: (device: ReportedDevice) => unknown): Promise<ReportedDevice>
  storedIdentity(): Promise<{ deviceId: string; secret: string }>
}

export async function openAgentMachine(app: TestApp): Promise<AgentMachine> {
  const user = await app.createUser()
  const { path: folder, write } = await temporaryFolder()
  const state = join(folder, 'state')
  const env = { MUSTER_AGENT_STATE: state, XDG_CONFIG_HOME: join(folder, 'config') }
  const devices = async (): Promise<ReportedDevice[]> => {
    const fields = 'id name state hardwareId platform attributes services { name port state application }'
    return (await user.data(`{ login { devices { items { ${fields} } } } }`)).login.devices.items
  }
  return {
    user,
    folder,
    state,
    write,
    devices,
    async newCode(uses = 1) {
      const document = 'mutation ($uses: Int) { createRegistrationCode(uses: $uses) { code } }'
      return (await user.data(document, { uses })).createRegistrationCode.code
    },
    register: (code, ...args) => muster(['agent', 'register', '--url', app.url, '--code', code, ...args], { env }),
    async run(config, ...args) {
      return startMuster(['agent', 'run', '--config', await write('agent.ini', config), ...args], { env })
    },
    status: () => muster(['agent', 'status', '--json'], { env }),
    device: async () => (await devices())[0]!,
    deviceWhere: (matches) => until(async () => (await devices()).find(matches)),
    storedIdentity: async () => JSON.parse(await readFile(join(state, 'device.json'), 'utf8')),
  }
}

export async function until<Value>(read: () => Promise<Value | false | undefined> | Value | false | undefined) {
  for (;;) {
    const found = await read()
    if (found) return found
    await sleep(100)
  }
}

export const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)
