import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import type { SchemaPart } from '../../graphql/assemble.ts'
import { readChange } from '../../graphql/change-made.ts'
import { done } from '../../graphql/done.ts'
import type { Service } from './service.ts'
import { addService, removeService, updateService } from './service-changes.ts'
import { findServices } from './services.ts'

export const serviceChangesPart: SchemaPart = {
  resolvers: {
    Mutation: {
      addService: async (_root, { deviceId, ...input }, context) => {
        const id = await addService(context, deviceId, input)
        return readChange(() => getService(context, id))
      },
      updateService: async (_root, { id, ...change }, context) => {
        const stored = await updateService(context, id, change)
        return readChange(() => getService(context, stored))
      },
      renameService: (_root, { serviceId, name }, context) => done(updateService(context, serviceId, { name })),
      removeService: (_root, { id }, context) => done(removeService(context, id)),
    },
  },
}

/** Throws NOT_FOUND if, since the change, the service was deleted or moved, or the caller lost access to it. */
async function getService(context: Context, id: string): Promise<Service> {
  const [service] = await findServices(context, [id])
  if (service === undefined) throw notFound('service', id)
  return service
}
