import { setTimeout as sleep } from 'node:timers/promises'
import { sendAs } from '../harness/server-process.ts'
import type { AccessKey } from './population.ts'

const POLL_MS = 250

/** Starts a bulk job. The returned function cancels the job and returns the number of changed devices. */
export async function startBulkJob(
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
  const { createBulk } = await send(`mutation { createBulk(target: { where: "id:*" }, rate: 10000,
    operations: [{ setAttributes: { attributes: { checked: "{name}" } } }]) { id } }`)
  const { id } = createBulk
  let job = await read(id)
  for (; job.state === 'PREVIEWING'; job = await read(id)) await sleep(POLL_MS)
  await send(`mutation { startBulk(id: "${id}", token: "${job.token}") { id } }`)
  return async () => {
    const { state, stateReason, counts } = await read(id)
    if (state !== 'RUNNING') throw new Error(`the job is ${state} before the end of the measurement: ${stateReason}`)
    await send(`mutation { cancelBulk(id: "${id}") { id } }`)
    return { 'devices changed': counts.done }
  }
}
