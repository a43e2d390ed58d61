import { setTimeout as sleep } from 'node:timers/promises'
import { sendAs } from '../harness/server-process.ts'
import type { AccessKey } from './population.ts'

const POLL_MS = 250

/**
 * Starts a bulk job over all devices, and another job whenever a job ends. The returned function cancels the current
 * job and returns the number of changed devices.
 */
export async function startBulkJobs(
  url: string,
  { keyId, secret }: AccessKey,
): Promise<() => Promise<Record<string, number>>> {
  const credentials = { MUSTER_ACCESS_KEY_ID: keyId, MUSTER_SECRET_ACCESS_KEY: secret }
  const send = async (document: string) => {
    const { body } = await sendAs(credentials, url, document)
    if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors))
    return body.data
  }
  const read = async (id: string) =>
    (await send(`{ login { bulkJob(id: "${id}") { state stateReason token counts { done } } } }`)).login.bulkJob[0]
  const start = async (): Promise<string> => {
    // Every job writes new values, because a job changes nothing on a device that already has the job's values.
    const { createBulk } = await send(`mutation { createBulk(target: { where: "id:*" }, rate: 10000,
      operations: [{ setAttributes: { attributes: { checked: "{name} ${Date.now()}" } } }]) { id } }`)
    const { id } = createBulk
    let job = await read(id)
    for (; job.state === 'PREVIEWING'; job = await read(id)) await sleep(POLL_MS)
    await send(`mutation { startBulk(id: "${id}", token: "${job.token}") { id } }`)
    return id
  }

  let current = await start()
  let changed = 0
  let isStopping = false
  const runNext = async (): Promise<void> => {
    while (!isStopping) {
      const { state, stateReason, counts } = await read(current)
      if (state === 'DONE') {
        changed += counts.done
        current = await start()
      } else if (state !== 'RUNNING') throw new Error(`the job is ${state}: ${stateReason}`)
      await sleep(POLL_MS)
    }
  }
  const running = runNext()
  // The returned function awaits `running`, so it reports a failure at the end of the measurement.
  running.catch(() => {})
  return async () => {
    isStopping = true
    await running
    const { state, counts } = await read(current)
    if (state === 'RUNNING') await send(`mutation { cancelBulk(id: "${current}") { id } }`)
    return { 'devices changed': changed + counts.done }
  }
}
