import type { RunOperation } from './run-operation.ts'

interface Job {
  id: string
  state: string
  token: string | null
}

/** Creates a preview, a running job, a job with failures, and the preview of an undo. Returns the IDs of the jobs. */
export async function createBulkJobs(
  run: RunOperation,
): Promise<Record<'ready' | 'running' | 'failed' | 'undo', string>> {
  const create = async (
    name: string,
    where: string,
    { operations, rate = 1_000 }: { operations: object[]; rate?: number },
  ) => {
    const { createBulk } = await run<{ createBulk: Job }>(
      `mutation ($name: String!, $where: String!, $operations: [BulkOperationInput!]!, $rate: Int!) {
        createBulk(name: $name, target: { where: $where }, operations: $operations, rate: $rate) { id state token }
      }`,
      { name, where, operations, rate },
    )
    return waitFor(run, createBulk.id, 'READY')
  }
  const start = ({ id, token }: Job) =>
    run('mutation ($id: ID!, $token: String!) { startBulk(id: $id, token: $token) { id } }', { id, token })
  const set = (attributes: object) => [{ setAttributes: { attributes } }]

  const done = await create('Firmware of Oslo', 'name:oslo', { operations: set({ firmware: '4.2.1' }) })
  await start(done)
  await waitFor(run, done.id, 'DONE')
  const { undoBulk } = await run<{ undoBulk: Job }>('mutation ($id: ID!) { undoBulk(id: $id) { id } }', { id: done.id })
  await waitFor(run, undoBulk.id, 'READY')

  // This job rejects active devices, because its operation does not force their deletion.
  const failed = await create('Clear out the lab', 'name:bergen', { operations: [{ delete: {} }] })
  await start(failed)
  await waitFor(run, failed.id, 'DONE')

  const running = await create('Maintenance window', 'id:*', { operations: set({ window: 'Sunday 02:00' }), rate: 1 })
  await start(running)
  const ready = await create('Site of gateways', 'name:gateway', { operations: set({ site: '{name}' }) })
  return { ready: ready.id, running: running.id, failed: failed.id, undo: undoBulk.id }
}

async function waitFor(run: RunOperation, id: string, state: string): Promise<Job> {
  for (;;) {
    const { login } = await run<{ login: { bulkJob: Job[] } }>(
      'query ($id: [ID!]!) { login { bulkJob(id: $id) { id state token } } }',
      { id },
    )
    const [job] = login.bulkJob
    if (job?.state === state) return job
    if (job === undefined || ['CANCELED', 'FAILED', 'PAUSED'].includes(job.state))
      throw new Error(`The bulk job ${id} is ${job?.state ?? 'missing'}, not ${state}.`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
