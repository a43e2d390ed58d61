import type { GraphQLSchema } from 'graphql'

/**
 * Who may call a field: `anyone`, even without credentials; a `viewer`; or a `writer`, a viewer whose key is not
 * read-only. All other fields are below `login`, where queries find only the viewer's rows.
 */
export type Rule = 'anyone' | 'viewer' | 'writer'

/**
 * Every root field of the API and its rule, in one place for audits. The server does not start if a root field has no
 * rule.
 */
export const permissions: Readonly<Record<string, Rule>> = {
  'Query.applicationTypes': 'viewer',
  'Query.login': 'viewer',
  'Query.version': 'anyone',

  'Mutation.addService': 'writer',
  'Mutation.createAccessKey': 'writer',
  'Mutation.createRegistrationCode': 'writer',
  'Mutation.createView': 'writer',
  'Mutation.createWebhook': 'writer',
  'Mutation.deleteAccessKey': 'writer',
  'Mutation.deleteDevice': 'writer',
  'Mutation.deleteDevices': 'writer',
  'Mutation.deleteRegistrationCode': 'writer',
  'Mutation.deleteView': 'writer',
  'Mutation.deleteWebhook': 'writer',
  'Mutation.redeliver': 'writer',
  'Mutation.registerDevice': 'writer',
  'Mutation.removeService': 'writer',
  'Mutation.renameService': 'writer',
  'Mutation.reportState': 'writer',
  'Mutation.rotateDeviceSecret': 'writer',
  'Mutation.rotateWebhookSecret': 'writer',
  'Mutation.setAttribute': 'writer',
  'Mutation.setAttributes': 'writer',
  'Mutation.setAttributesMany': 'writer',
  'Mutation.testWebhook': 'writer',
  'Mutation.updateAccessKey': 'writer',
  'Mutation.updateDevice': 'writer',
  'Mutation.updateService': 'writer',
  'Mutation.updateView': 'writer',
  'Mutation.updateWebhook': 'writer',

  'Subscription.events': 'viewer',
}

/** Throws if a root field has no rule, if callers other than writers may run a mutation, or if a rule has no field. */
export function assertPermissions(schema: GraphQLSchema): void {
  const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((field) => `${type!.name}.${field}`),
  )
  for (const field of fields) {
    const rule = permissions[field]
    if (rule === undefined) throw new Error(`${field} is missing in permissions.ts`)
    if (field.startsWith('Mutation.') && rule !== 'writer') throw new Error(`${field} must be for writers`)
  }
  const unknown = Object.keys(permissions).find((field) => !fields.includes(field))
  if (unknown !== undefined)
    throw new Error(`permissions.ts contains a rule for ${unknown}, which is not a field of the API`)
}

/** Names of query fields that need no credentials. */
export const publicFields: readonly string[] = Object.entries(permissions).flatMap(([field, rule]) =>
  rule === 'anyone' ? [field.replace('Query.', '')] : [],
)
