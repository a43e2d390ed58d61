import { schemaPart } from '../../graphql/assemble.ts'
import { done } from '../../graphql/done.ts'
import { reportStateOf } from './report.ts'

export const reportPart = schemaPart(new URL('./report.graphql', import.meta.url), {
  Mutation: {
    reportState: (_parent, input, context) => done(reportStateOf(context, input)),
  },
})
