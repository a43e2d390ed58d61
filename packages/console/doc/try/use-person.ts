import { useEffect, useState } from 'react'
import { api } from '../../src/app/paths.ts'
import { whoAmI } from '../../src/features/sign-in/auth-api.ts'
import { sessionHeaders } from '../../src/graphql/session-headers.ts'

export interface Person {
  /** Null while nobody is signed in. */
  email: string | null
  /** One of this person's devices, for the examples. */
  device?: string
}

/** Who sends the requests; asked again whenever the window is come back to, as after signing in elsewhere. */
export function usePerson(): Person | undefined {
  const [person, setPerson] = useState<Person>()
  useEffect(() => {
    let wanted = true
    const ask = (): void => {
      askPerson().then(
        (answer) => wanted && setPerson(answer),
        // The requests that are tried will say what is wrong with the server.
        () => wanted && setPerson((known) => known ?? { email: null }),
      )
    }
    ask()
    window.addEventListener('focus', ask)
    return () => {
      wanted = false
      window.removeEventListener('focus', ask)
    }
  }, [])
  return person
}

async function askPerson(): Promise<Person> {
  const { user } = await whoAmI()
  if (user === null) return { email: null }
  // Only the examples would be the better for it.
  const device = await firstDevice().catch(() => undefined)
  return { email: user.email, ...(device === undefined ? {} : { device }) }
}

interface FirstDeviceAnswer {
  data?: { login: { devices: { items: { id: string }[] } } | null }
}

async function firstDevice(): Promise<string | undefined> {
  const response = await fetch(api.graphql, {
    method: 'POST',
    headers: { ...sessionHeaders, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ login { devices(size: 1) { items { id } } } }' }),
  })
  const { data }: FirstDeviceAnswer = await response.json()
  return data?.login?.devices.items[0]?.id
}
