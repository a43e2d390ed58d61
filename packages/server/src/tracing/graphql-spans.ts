import type { FormattedExecutionResult } from 'graphql'
import { inSpan, type Tracing } from './spans.ts'

interface Operation {
  kind: string
  name: string
}

export const traceOperations =
  (tracing: Tracing) =>
  (operation: Operation, run: () => Promise<FormattedExecutionResult>): Promise<FormattedExecutionResult> =>
    inSpan(tracing, `${operation.kind} ${operation.name}`, {
      kind: 'internal',
      attributes: { 'graphql.operation.type': operation.kind, 'muster.operation': operation.name },
      async work(span) {
        const result = await run()
        const [error] = result.errors ?? []
        if (error !== undefined) span.fail(String(error.extensions?.code ?? 'INTERNAL'))
        return result
      },
    })
