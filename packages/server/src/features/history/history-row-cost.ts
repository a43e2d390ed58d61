import { noRowsRead, type RowsRead } from '../../graphql/cost/scanned-row-estimate.ts'
import { ASSUMED_EVENTS } from '../events/event-row-cost.ts'

interface ChangeConditions {
  name?: string | null | undefined
  context?: string | null | undefined
  minDate?: Date | null | undefined
  maxDate?: Date | null | undefined
}

/** The number of events that the cost estimate assumes the server skips for each device, service, or account. */
export const ASSUMED_SKIPPED = 500

/**
 * Estimates how many rows the server reads for all objects of a page together. An index finds each device's events,
 * newest first, including events of other types and events of the device's services. Another index finds only the
 * changes to the account's attributes.
 */
export function historyRowsRead(
  { name, context, minDate, maxDate }: ChangeConditions,
  { ofDevices }: { ofDevices: boolean },
): { page: RowsRead; total: RowsRead } {
  const reasons: string[] = []
  if (name != null) reasons.push('name: no index finds changes by name')
  if (context != null) reasons.push('context: no index finds changes by context')
  if (maxDate != null) reasons.push('maxDate: newer changes of the same month are skipped one by one')
  if (minDate != null) reasons.push('minDate: older changes of the same month are skipped one by one')
  return {
    page: reasons.length === 0 && !ofDevices ? noRowsRead : { rows: ASSUMED_EVENTS, reasons },
    total: { rows: ASSUMED_EVENTS, reasons: ['total counts every change that matches the filter'] },
  }
}
