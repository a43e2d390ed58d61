import type { EventType } from '@muster/client'
import { namesWithCommas } from '../options/new-command.ts'

/** Parses event types in the notation of the schema (`DEVICE_STATE`) or of webhooks (`device.state`). */
export const eventTypes = (text: string, before: readonly EventType[] = []): EventType[] =>
  // The server rejects unknown types, so the CLI does not check them.
  namesWithCommas(text, before).map((name) => name.toUpperCase().replaceAll(/[.-]/g, '_') as EventType)
