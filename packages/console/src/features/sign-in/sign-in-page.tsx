import { Center, Group, Image, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useRouter, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { inAccount } from '../../app/account-path.ts'
import { safeReturnPath } from '../../app/paths.ts'
import { useClearCache } from '../../graphql/client-cache.ts'
import { type SignInOptions, signInOptions, whoAmI } from './auth-api.ts'
import { PasswordForm } from './password-form.tsx'
import { SingleSignOn } from './single-sign-on.tsx'

const CodeForm = lazy(async () => ({ default: (await import('./code-form.tsx')).CodeForm }))
const SingleSignOnError = lazy(async () => ({
  default: (await import('./single-sign-on-error.tsx')).SingleSignOnError,
}))

export function SignInPage() {
  useDocumentTitle('Sign in · Muster')
  const [needsCode, setNeedsCode] = useState(false)
  const [options, setOptions] = useState<SignInOptions>({ password: true, singleSignOn: null })
  const { next, error } = useSearch({ from: '/sign-in' })
  const openConsole = useOpenConsole()

  useEffect(() => {
    signInOptions().then(setOptions, () => {})
  }, [])

  // Check for a session, because the user may have signed in elsewhere, for example in another tab.
  useEffect(() => {
    whoAmI().then(
      ({ user }) => user !== null && openConsole(),
      () => {},
    )
  }, [openConsole])

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
            {needsCode ? 'Two-factor authentication' : 'Sign in'}
          </Title>
          <Suspense>
            {error === undefined || needsCode ? null : <SingleSignOnError reason={error} />}
            {needsCode ? <CodeForm onDone={openConsole} onRestart={() => setNeedsCode(false)} /> : null}
          </Suspense>
          {options.password && !needsCode ? (
            <PasswordForm onDone={openConsole} onNeedsCode={() => setNeedsCode(true)} />
          ) : null}
          {options.singleSignOn === null || needsCode ? null : (
            <SingleSignOn
              name={options.singleSignOn.name}
              to={inAccount(safeReturnPath(next))}
              isOnlyWay={!options.password}
            />
          )}
        </Paper>
      </Stack>
    </Center>
  )
}

function useOpenConsole(): () => void {
  const router = useRouter()
  const clearCache = useClearCache()
  const { next } = useSearch({ from: '/sign-in' })
  const [openConsole] = useState(() => () => {
    clearCache()
    router.history.replace(inAccount(safeReturnPath(next)))
  })
  return openConsole
}
