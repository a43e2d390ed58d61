import { schemaPart } from '../../graphql/assemble.ts'
import { reportStateOf } from './report.ts'

export const reportPart = schemaPart(new URL('./report.graphql', import.meta.url), {
  Mutation: {
    reportState: async (_parent, input, context) => {
      await reportStateOf(context, input)
      return true
    },
  },
})
