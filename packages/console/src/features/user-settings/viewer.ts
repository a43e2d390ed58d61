import { createContext, use } from 'react'
import type { Permission } from '../../graphql/schema-types.generated.ts'
import type { ViewerQuery } from './viewer.generated.ts'

export type Me = NonNullable<ViewerQuery['me']>

/** The account that the tab shows, and the signed-in person. */
export interface Viewer {
  id: string
  email: string
  name: string | null
  created: string
  /** The signed-in person, with the person's accounts. */
  me: Me
  /** Returns whether the person has a permission in the account. */
  may(permission: Permission): boolean
  /** Whether the person's role is limited to some devices or attributes. */
  isRestricted: boolean
  /** Whether the person's role is limited to some devices. */
  isRestrictedToDevices: boolean
  /** Whether the person can read events and follow them live. */
  canReadEvents: boolean
  /** Whether the person owns the account. */
  isOwner: boolean
  /** The server's release. */
  version: string
  /**
   * Values of the user's attributes in the group `$ui`, keyed by sub-name, such as `label.categoryA` or
   * `devices.columns`.
   */
  settings: Readonly<Record<string, string>>
  /**
   * Saves a setting on the server, or removes it if the value is null. Rejects with the API's error if the server
   * rejects the change.
   */
  setSetting(name: string, value: string | null): Promise<void>
}

export const ViewerContext = createContext<Viewer | null>(null)

export function useViewer(): Viewer {
  const viewer = use(ViewerContext)
  if (viewer === null) throw new Error('useViewer can only be used inside the shell')
  return viewer
}

export function settingsOf({ attributes }: NonNullable<ViewerQuery['login']>): Record<string, string> {
  const group = attributes.$ui
  if (typeof group !== 'object' || group === null) return {}
  return Object.fromEntries(
    Object.entries(group).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
