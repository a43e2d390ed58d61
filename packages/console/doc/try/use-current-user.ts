import { useEffect, useState } from 'react'
import { api } from '../../src/app/paths.ts'
import { whoAmI } from '../../src/features/sign-in/auth-api.ts'
import { sessionHeaders } from '../../src/graphql/session-headers.ts'

export interface CurrentUser {
  /** Null if no user is signed in. Undefined if no fetch has succeeded. */
  email?: string | null
  device?: string
}

/**
 * Returns the signed-in user, or undefined until the first fetch ends. Fetches the user again when the window receives
 * focus, because the user may have signed in elsewhere.
 */
export function useCurrentUser(): CurrentUser | undefined {
  const [user, setUser] = useState<CurrentUser>()
  useEffect(() => {
    let mounted = true
    const update = (): void => {
      fetchCurrentUser().then(
        (found) => mounted && setUser(found),
        // If the fetch fails, keep the known user, because the user's requests will show the error.
        () => mounted && setUser((known) => known ?? {}),
      )
    }
    update()
    window.addEventListener('focus', update)
    return () => {
      mounted = false
      window.removeEventListener('focus', update)
    }
  }, [])
  return user
}

async function fetchCurrentUser(): Promise<CurrentUser> {
  const { user } = await whoAmI()
  if (user === null) return { email: null }
  // Ignore an error, because only the examples need the device.
  const device = await firstDevice().catch(() => undefined)
  return { email: user.email, ...(device === undefined ? {} : { device }) }
}

interface FirstDeviceResponse {
  data?: { login: { devices: { items: { id: string }[] } } | null }
}

async function firstDevice(): Promise<string | undefined> {
  const response = await fetch(api.graphql, {
    method: 'POST',
    headers: { ...sessionHeaders, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ login { devices(size: 1) { items { id } } } }' }),
  })
  const { data }: FirstDeviceResponse = await response.json()
  return data?.login?.devices.items[0]?.id
}
