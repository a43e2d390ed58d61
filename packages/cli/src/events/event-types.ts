import type { EventType } from '@muster/client'
import { namesWithCommas } from '../new-command.ts'

/** Types as the schema has them, or as webhooks do: `device.state` for DEVICE_STATE. */
export const eventTypes = (text: string, before: readonly EventType[] = []): EventType[] =>
  // The server says which there are.
  namesWithCommas(text, before).map((name) => name.toUpperCase().replaceAll(/[.-]/g, '_') as EventType)
