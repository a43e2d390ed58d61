import { MAX_SEGMENTS } from '../features/availability/availability.ts'
import { MAX_POINTS } from '../features/availability/presence-samples.ts'
import { DEFAULT_INTERVALS, MAX_INTERVALS } from '../features/events/counts/event-counts.ts'
import { MAX_LISTED } from '../features/users/invitations/invitations.ts'
import { MAX_MEMBERSHIPS } from '../features/users/members/me.ts'
import type { Arguments, ListBounds } from '../graphql/cost/response-object-count.ts'
import { limits } from '../limits.ts'
import { permissionNames } from '../permissions.ts'

const MAX_KEYS = limits.accountAccessKeys + limits.accessKeys * limits.members

export const listBounds: ListBounds = {
  'Query.applicationTypes': 100,
  'User.device': (args) => (args.id as unknown[]).length,
  'User.service': (args) => (args.id as unknown[]).length,
  'User.bulkJob': (args) => (args.id as unknown[]).length,
  // The list can contain the keys of the account and each member's personal keys.
  'User.accessKeys': ({ key }) => Math.min((key as unknown[] | null | undefined)?.length ?? MAX_KEYS, MAX_KEYS),
  // A field that a key used with several permissions has an entry for each of these permissions.
  'AccessKey.usage': 500,
  // Each field has at most a few needs, and most have one. A document cannot have more fields than tokens.
  'User.needs': limits.documentTokens,
  'Simulation.permissions': permissionNames.length,
  'KeyPolicy.violations': MAX_KEYS,
  'User.registrationCodes': limits.registrationCodes,
  'User.webhooks': ({ id }) =>
    Math.min((id as unknown[] | null | undefined)?.length ?? limits.webhooks, limits.webhooks),
  'User.attributeNames': 1_000,
  'User.attributeInfo': (args) => countInfo(args),
  'Device.attributeInfo': (args) => countInfo(args),
  'Service.attributeInfo': (args) => countInfo(args),
  'User.freshness': limits.expectedIntervals,
  // The added 10 leaves room for limits that depend on settings.
  'User.limits': Object.keys(limits).length + 10,
  'User.members': limits.members,
  'User.roles': limits.roles + 4,
  'User.invitations': MAX_LISTED,
  'Me.accounts': MAX_MEMBERSHIPS,
  'Device.services': limits.servicesPerDevice,
  'User.views': ({ id }) => Math.min((id as unknown[] | null | undefined)?.length ?? limits.views, limits.views),
  'View.columns': 50,
  'View.problems': 10,
  // Personal keys can also use views. If these keys counted, a query for all views would exceed the limit on objects.
  'View.usedBy': limits.webhooks + limits.roles + limits.accountAccessKeys,
  'User.facets': ({ by }) => (by as unknown[]).length,
  'Facet.buckets': 100,
  'User.eventCounts': ({ intervals }) => Math.min((intervals as number | null) ?? DEFAULT_INTERVALS, MAX_INTERVALS),
  'User.presence': MAX_POINTS,
  'Availability.segments': MAX_SEGMENTS,
  'FilterCheck.completions': 300,
  'FilterCheck.problems': 100,
  'FilterCheck.terms': 100,
  'FilterCheck.warnings': 100,
  'Event.target': 2,
  'Mutation.setAttributesMany': (args) => (args.items as unknown[]).length,
}

const countInfo = ({ names }: Arguments): number =>
  Math.min((names as unknown[] | null | undefined)?.length ?? limits.namesPerTarget, limits.namesPerTarget)
