import { Button, Divider } from '@mantine/core'
import { IconLogin2 } from '@tabler/icons-react'
import { singleSignOnUrl } from './auth-api.ts'

interface SingleSignOnProps {
  name: string
  /** The path to open after the sign-in. */
  to: string
  invitation?: string
  isOnlyWay?: boolean
}

export function SingleSignOn({ name, to, invitation, isOnlyWay = false }: SingleSignOnProps) {
  const href = singleSignOnUrl({ to, ...(invitation !== undefined && { invitation }) })
  return (
    <>
      {isOnlyWay ? null : <Divider label="or" my="md" />}
      <Button component="a" href={href} fullWidth variant="default" leftSection={<IconLogin2 size={18} />}>
        Sign in with {name}
      </Button>
    </>
  )
}
