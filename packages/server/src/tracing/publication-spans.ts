import { inSpan, type Tracing } from './spans.ts'

export const tracePublications =
  (tracing: Tracing) =>
  <Result>(kind: string, handle: () => Promise<Result>): Promise<Result> =>
    inSpan(tracing, `publication ${kind}`, {
      kind: 'consumer',
      attributes: { 'messaging.system': 'mqtt', 'messaging.operation.type': 'process' },
      work: handle,
    })
