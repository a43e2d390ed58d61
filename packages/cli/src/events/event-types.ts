import type { EventType } from '@muster/client'
import { namesWithCommas } from '../options/new-command.ts'

/** Parses event types as in the schema or in webhooks: `device.state` for DEVICE_STATE. */
export const eventTypes = (text: string, before: readonly EventType[] = []): EventType[] =>
  // The server rejects unknown types.
  namesWithCommas(text, before).map((name) => name.toUpperCase().replaceAll(/[.-]/g, '_') as EventType)
