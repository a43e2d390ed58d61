import { type ResolvedFilter, readsOf } from '@muster/filter'

/** The fields that a device itself sets when it registers with a code. */
const ofRegistration = ['name', 'hardwareId', 'platform']

export function warningsOf(filter: ResolvedFilter | undefined): string[] {
  if (filter === undefined) return []
  const reads = readsOf(filter)
  const fields = ofRegistration.filter((name) => reads.fields.has(`device.${name}`))
  return [
    ...[...reads.deviceAttributes].map((name) => `the filter reads ${name}, which devices can set themselves`),
    ...(reads.isAnyAttribute
      ? ['the filter reads every base attribute, and devices can set attributes themselves']
      : []),
    ...fields.map((name) => `the filter reads ${name}, which devices can set when they register with a code`),
    ...(reads.isServices ? ['the filter reads services, which devices can change themselves'] : []),
  ]
}
