import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { executeOperation } from './checker.ts'
import type { Rig } from './rig.ts'

const CLIENTS = 4
/** Pauses in milliseconds. The pause after an acknowledged change leaves CPU time for the jobs. */
const pauseMs = { acknowledged: 10, other: 200 }

/** Starts clients that set a different value with each change. With `mayDelete`, they also delete a few devices. */
export function startSiteWriters(
  rig: Rig,
  { round, mayDelete }: { round: number; mayDelete: boolean },
): { stop(): Promise<void> } {
  let isStopping = false
  let next = 0
  const write = async (): Promise<void> => {
    const { login } = await executeOperation(
      rig,
      '{ login { devices(size: 1000, sort: "hardwareId desc") { items { id } } } }',
    )
    const ids = (login.devices.items as { id: string }[]).map(({ id }) => id)
    while (!isStopping) {
      const number = next++
      const id = ids[randomInt(ids.length)]!
      const name = number % 3 === 0 ? 'load' : 'site'
      const document =
        mayDelete && number % 50 === 49
          ? `mutation { deleteDevice(deviceId: "${id}", force: true) }`
          : `mutation { setAttribute(serviceId: "${id}", name: "${name}", value: "writer ${round} ${number}") }`
      const response = await rig.send(document).catch(() => undefined)
      await sleep(response?.status === 200 ? pauseMs.acknowledged : pauseMs.other)
    }
  }
  const written = Promise.all(Array.from({ length: CLIENTS }, write))
  return {
    async stop() {
      isStopping = true
      await written
    },
  }
}
