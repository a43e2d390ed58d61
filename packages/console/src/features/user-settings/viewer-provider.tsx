import { type ReactNode, useMemo, useState } from 'react'
import { useClient } from 'urql'
import { SetUserSettingDocument, type ViewerQuery } from './viewer.generated.ts'
import { type Me, settingsOf, type Viewer, ViewerContext } from './viewer.ts'

interface ViewerProviderProps {
  login: NonNullable<ViewerQuery['login']>
  me: Me
  children: ReactNode
}

/** Applies a changed setting immediately, and reverts it if the server does not accept the change. */
export function ViewerProvider({ login, me, children }: ViewerProviderProps) {
  const client = useClient()
  const [changed, setChanged] = useState<Record<string, string | null>>({})
  const viewer = useMemo<Viewer>(() => {
    const saved: Record<string, string> = settingsOf(login)
    const settings = Object.fromEntries(
      Object.entries({ ...saved, ...changed }).filter((entry): entry is [string, string] => entry[1] !== null),
    )
    const may: Viewer['may'] = (permission) => me.grant?.permissions.includes(permission) === true
    const { grant } = me
    const isRestrictedToDevices = grant !== null && (grant.where !== null || grant.view !== null)
    return {
      id: login.id,
      email: login.email,
      name: login.name,
      me,
      may,
      isRestricted: isRestrictedToDevices || (grant !== null && grant.attributes !== null),
      isRestrictedToDevices,
      canReadEvents: may('EVENT_READ'),
      isOwner: me.accounts.some(({ account, role }) => account.id === login.id && role.id === 'owner'),
      settings,
      async setSetting(name, value) {
        const before = settings[name] ?? null
        setChanged((changes) => ({ ...changes, [name]: value }))
        const variables = { user: login.id, name: `$ui.${name}`, value }
        const { error } = await client.mutation(SetUserSettingDocument, variables)
        if (error === undefined) return
        setChanged((changes) => ({ ...changes, [name]: before }))
        throw error
      },
    }
  }, [client, login, me, changed])
  return <ViewerContext value={viewer}>{children}</ViewerContext>
}
