import { inSpan, type Tracing } from './tracing.ts'

/** Creates a span for each publication that the server accepts from a device. */
export const tracePublications =
  (tracing: Tracing) =>
  <Result>(kind: string, handle: () => Promise<Result>): Promise<Result> =>
    inSpan(tracing, `publication ${kind}`, {
      kind: 'consumer',
      attributes: { 'messaging.system': 'mqtt', 'messaging.operation.type': 'process' },
      work: handle,
    })
