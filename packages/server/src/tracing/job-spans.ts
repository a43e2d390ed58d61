import type { Job } from '../jobs/job.ts'
import { inSpan, type Tracing } from './tracing.ts'

/** Creates a span for each run of a job. */
export const traceJob = (tracing: Tracing, { name, run }: Job): Job => ({
  name,
  run: (payload) => inSpan(tracing, `job ${name}`, { kind: 'consumer', work: () => run(payload) }),
})
