import type { Context } from '../../context.ts'
import type { ServiceName } from './service.ts'
import { selectServiceNames } from './service-names.queries.ts'

/** The services of one device, except its bulk service, in the order of their ids. */
export const listServiceNames = (
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  deviceId: string,
): Promise<ServiceName[]> => selectServiceNames(db, viewer.accountId, deviceId)
