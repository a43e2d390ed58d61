import { schemaPart } from '../../graphql/assemble.ts'
import { done } from '../../graphql/done.ts'
import { createRegistrationCode, deleteRegistrationCode, listRegistrationCodes } from './registration-codes.ts'

export const registrationCodesPart = schemaPart(new URL('./registration-codes.graphql', import.meta.url), {
  User: {
    registrationCodes: (_user, _arguments, context) => listRegistrationCodes(context),
  },
  Mutation: {
    createRegistrationCode: (_parent, input, context) => createRegistrationCode(context, input),
    deleteRegistrationCode: (_parent, { id }, context) => done(deleteRegistrationCode(context, id)),
  },
})
