import type { DeviceState } from '../state/device-file.ts'
import type { AgentStatus } from './status-message.ts'

export function statusLines(device: DeviceState, status: AgentStatus | undefined): string[] {
  const lines = [
    `device     ${device.deviceId}`,
    `server     ${device.url}`,
    `hardware   ${device.hardwareId}`,
    `registered ${device.registered}`,
    `agent      ${status === undefined ? 'not running' : connectionOf(status)}`,
  ]
  if (status === undefined) return lines
  return [
    ...lines,
    `memory     ${status.memoryMb} MB`,
    ...status.services.map(({ name, port, state }) => `service    ${name}, port ${port}: ${state}`),
    ...status.values.map((value) => `value      ${valueLine(value)}`),
  ]
}

const connectionOf = ({ connected, since, problem, broker }: AgentStatus): string =>
  connected ? `connected to ${broker} since ${since}` : `not connected since ${since}: ${problem}`

export function valueLine({
  attribute,
  value,
  failure,
  isReported,
}: Omit<AgentStatus['values'][number], 'isReported'> & { isReported?: boolean }): string {
  const waiting = isReported === false && value !== undefined ? ' (not reported yet)' : ''
  const shown = value === undefined ? 'no value' : JSON.stringify(value)
  return `${attribute}: ${shown}${waiting}${failure === undefined ? '' : `; currently failing: ${failure}`}`
}
