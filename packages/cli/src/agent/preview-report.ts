import type { AgentConfig } from './config/config.ts'
import { describeMachine, findServices } from './machine/describe-machine.ts'
import { findHardwareId } from './machine/hardware-id.ts'
import { createValues } from './sources/unreported-values.ts'

/**
 * Returns what the agent would report about this machine now, and the source of the hardware ID. Of the services that
 * are not running, includes only the expected ones. Lists no services if the operating system does not report listening
 * sockets.
 */
export async function inspectMachine(config: AgentConfig) {
  const never = new AbortController().signal
  const values = createValues(config.values, { onFailure: () => {}, onRecovery: () => {} })
  const [machine, hardware, running] = await Promise.all([
    describeMachine(config),
    findHardwareId(),
    findServices(config),
    ...values.each.map(({ read }) => read(never)),
  ])
  const up = (running ?? []).map(({ name, port }) => ({ name, port, state: 'active' }))
  const expected = running === undefined ? [] : config.services.expected
  const down = expected
    .filter(({ name }) => !up.some((each) => each.name === name))
    .map(({ name, port }) => ({ name, port, state: 'inactive' }))
  return {
    config: config.file,
    ...machine,
    hardwareId: hardware.id,
    hardwareIdFrom: hardware.from,
    services: [...up, ...down],
    values: values.all().map(({ attribute, value, failure }) => ({ attribute, value, failure })),
  }
}
