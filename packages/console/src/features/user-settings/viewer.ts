import { createContext, use } from 'react'
import type { Permission } from '../../graphql/schema-types.generated.ts'
import type { ViewerQuery } from './viewer.generated.ts'

export type Me = NonNullable<ViewerQuery['me']>

export interface Viewer {
  id: string
  email: string
  name: string | null
  me: Me
  may(permission: Permission): boolean
  isRestricted: boolean
  isRestrictedToDevices: boolean
  canReadEvents: boolean
  isOwner: boolean
  /**
   * Values of the user's attributes in the group `$ui`, keyed by sub-name, such as `label.categoryA` or
   * `devices.columns`.
   */
  settings: Readonly<Record<string, string>>
  /** Changes a setting, or removes it if the value is null. Rejects if the server does not accept the change. */
  setSetting(name: string, value: string | null): Promise<void>
}

export const ViewerContext = createContext<Viewer | null>(null)

export function useViewer(): Viewer {
  const viewer = use(ViewerContext)
  if (viewer === null) throw new Error('useViewer must be called in a component inside a ViewerProvider')
  return viewer
}

export function settingsOf({ attributes }: NonNullable<ViewerQuery['login']>): Record<string, string> {
  const group = attributes.$ui
  if (typeof group !== 'object' || group === null) return {}
  return Object.fromEntries(
    Object.entries(group).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
