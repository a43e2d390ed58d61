import { inSpan, type Tracing } from './tracing.ts'

/** A span for each publication of a device that is taken. */
export const tracePublications =
  (tracing: Tracing) =>
  <Result>(kind: string, take: () => Promise<Result>): Promise<Result> =>
    inSpan(tracing, `publication ${kind}`, {
      kind: 'consumer',
      attributes: { 'messaging.system': 'mqtt', 'messaging.operation.type': 'process' },
      work: take,
    })
