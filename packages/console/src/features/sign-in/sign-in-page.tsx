import { Center, Group, Image, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { safeReturnPath } from '../../app/paths.ts'
import { useClearCache } from '../../graphql/client-cache.ts'
import { whoAmI } from './auth-api.ts'
import { CodeForm } from './code-form.tsx'
import { PasswordForm } from './password-form.tsx'

export function SignInPage() {
  useDocumentTitle('Sign in · Muster')
  const [needsCode, setNeedsCode] = useState(false)
  const enter = useEnter()

  // Somebody who is signed in already, in another tab perhaps, has no use for this page.
  useEffect(() => {
    whoAmI().then(
      ({ user }) => user !== null && enter(),
      () => {},
    )
  }, [enter])

  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={380} gap="lg">
        <Group gap="sm" justify="center">
          <Image src="/icons/icon.svg" alt="" w={36} h={36} />
          <Text fw={600} fz={22}>
            Muster
          </Text>
        </Group>
        <Paper withBorder p="lg" radius="md">
          <Title order={1} mb="md">
            {needsCode ? 'One more step' : 'Sign in'}
          </Title>
          {needsCode ? (
            <CodeForm onDone={enter} onStartAgain={() => setNeedsCode(false)} />
          ) : (
            <PasswordForm onDone={enter} onNeedsCode={() => setNeedsCode(true)} />
          )}
        </Paper>
      </Stack>
    </Center>
  )
}

/** Leads to where the person wanted to go, with nothing kept of who was here before. */
function useEnter(): () => void {
  const router = useRouter()
  const forget = useClearCache()
  const { next } = useSearch({ from: '/sign-in' })
  const [enter] = useState(() => () => {
    forget()
    router.history.replace(safeReturnPath(next))
  })
  return enter
}
