import type { Job } from '../jobs/job.ts'
import { inSpan, type Tracing } from './spans.ts'

export const traceJob = (tracing: Tracing, { name, run }: Job): Job => ({
  name,
  run: (payload) => inSpan(tracing, `job ${name}`, { kind: 'consumer', work: () => run(payload) }),
})
