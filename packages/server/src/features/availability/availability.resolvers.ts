import { schemaPart } from '../../graphql/assemble.ts'
import { findAvailability } from './availability.ts'
import { listPresence } from './presence-samples.ts'

export const availabilityPart = schemaPart(new URL('./availability.graphql', import.meta.url), {
  User: { presence: (_user, args, context) => listPresence(context, args) },
  Device: { availability: (device, args, context) => findAvailability(context, device, args) },
})
