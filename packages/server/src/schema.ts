import type { GraphQLSchema } from 'graphql'
import { accessKeysPart } from './features/access-keys/access-keys.resolvers.ts'
import { attributesPart } from './features/attributes/attributes.resolvers.ts'
import { availabilityPart } from './features/availability/availability.resolvers.ts'
import { bulkItemsPart, bulkPart } from './features/bulk/bulk.resolvers.ts'
import { deviceChangesPart } from './features/devices/changes/device-changes.resolvers.ts'
import { devicesPart } from './features/devices/devices.resolvers.ts'
import { eventCountsPart } from './features/events/counts/event-counts.resolvers.ts'
import { eventsPart } from './features/events/events.resolvers.ts'
import { eventsSubscriptionPart } from './features/events/events-subscription.resolvers.ts'
import { facetsPart } from './features/facets/facets.resolvers.ts'
import { filtersPart } from './features/filters/filters.resolvers.ts'
import { freshnessPart } from './features/freshness/freshness.resolvers.ts'
import { historyPart } from './features/history/history.resolvers.ts'
import { reportPart } from './features/presence/report.resolvers.ts'
import { registrationCodesPart } from './features/registration-codes/registration-codes.resolvers.ts'
import { serviceChangesPart } from './features/services/service-changes.resolvers.ts'
import { servicesPart } from './features/services/services.resolvers.ts'
import { simulationPart } from './features/simulation/simulation.resolvers.ts'
import { invitationsPart } from './features/users/invitations/invitations.resolvers.ts'
import { membersPart } from './features/users/members/members.resolvers.ts'
import { rolesPart } from './features/users/roles/roles.resolvers.ts'
import { usersPart } from './features/users/users.resolvers.ts'
import { viewsPart } from './features/views/views.resolvers.ts'
import { webhooksPart } from './features/webhooks/webhooks.resolvers.ts'
import { assembleSchema } from './graphql/assemble.ts'
import { scalarsPart } from './graphql/values/scalars.ts'

export function buildSchema(): GraphQLSchema {
  return assembleSchema([
    scalarsPart,
    usersPart,
    membersPart,
    rolesPart,
    invitationsPart,
    devicesPart,
    deviceChangesPart,
    servicesPart,
    serviceChangesPart,
    attributesPart,
    accessKeysPart,
    simulationPart,
    registrationCodesPart,
    reportPart,
    viewsPart,
    webhooksPart,
    filtersPart,
    facetsPart,
    availabilityPart,
    eventsPart,
    eventCountsPart,
    historyPart,
    freshnessPart,
    bulkPart,
    bulkItemsPart,
    eventsSubscriptionPart,
  ])
}
