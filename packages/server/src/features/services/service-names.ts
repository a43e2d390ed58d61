import type { Context } from '../../context.ts'
import { selectServiceNames } from './service-names.queries.ts'

/** What a device needs to know of a service to report for it. */
export interface ServiceName {
  id: string
  name: string
}

/** The services of one device, its bulk service apart, in the order of their ids. */
export const listServiceNames = (
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  deviceId: string,
): Promise<ServiceName[]> => selectServiceNames(db, viewer.accountId, deviceId)
