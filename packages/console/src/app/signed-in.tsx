import { Button, Container } from '@mantine/core'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useEffectEvent } from 'react'
import { type CombinedError, useQuery } from 'urql'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Loading } from '../components/loading.tsx'
import { signOut, whoAmI } from '../features/sign-in/auth-api.ts'
import { sessionChanges } from '../features/sign-in/auth-call.ts'
import { ViewerDocument } from '../features/user-settings/viewer.generated.ts'
import { ViewerProvider } from '../features/user-settings/viewer-provider.tsx'
import { isSignedOut } from '../graphql/describe-error.ts'
import { signedOut, signInRequired } from '../graphql/signed-out.ts'
import { addressedAccount, addressOf } from './account-path.ts'

/** Loads the page that asks for another sign-in only on demand, because few accounts have a sign-in policy. */
const SignInRequired = lazy(async () => {
  const page = await import('../features/account/sign-in-policy/sign-in-required.tsx')
  return { default: page.SignInRequired }
})

/**
 * Shows the children if a user is signed in and can use the account. If no user is signed in, opens the sign-in page,
 * which later returns to the current page.
 */
export function SignedIn({ children }: { children: ReactNode }) {
  const [{ data, error, fetching }, refetch] = useQuery({ query: ViewerDocument, requestPolicy: 'cache-first' })
  const openSignIn = useOpenSignIn()
  useEffect(
    () =>
      signedOut.listen(() => {
        // Check the session only after the calls that replace it have ended. A changed password, for example, replaces
        // the session, and the server then rejects requests in flight that use the old session.
        sessionChanges()
          .then(whoAmI)
          .then(
            ({ user }) => user === null && openSignIn(),
            () => {},
          )
      }),
    [openSignIn],
  )
  const required = requiredSignInOf(error)
  const checkSignIn = useEffectEvent(() => {
    // Skip the check if the page already asks for another sign-in. A query in flight, which may have caused this check,
    // will show whether the sign-in is sufficient.
    if (!fetching && required === undefined) refetch({ requestPolicy: 'network-only' })
  })
  useEffect(() => signInRequired.listen(() => checkSignIn()), [])
  // Also check the last error, because the client may have cached it before this component subscribed.
  const isSignedOutError = error !== undefined && isSignedOut(error)
  useEffect(() => {
    if (isSignedOutError) openSignIn()
  }, [isSignedOutError, openSignIn])

  const account = data?.login?.id
  const isAmbiguous = addressedAccount === undefined && (data?.me?.accounts.length ?? 0) > 1
  useEffect(() => {
    // Add the account to the address, because another tab could otherwise change the account of this tab.
    if (isAmbiguous && account !== undefined) window.location.replace(addressOf(account, pageInTab()))
  }, [isAmbiguous, account])

  if (data?.me && required !== undefined) {
    const others = data.me.accounts
      .filter(({ requiredSignIn }) => requiredSignIn === null)
      .map(({ account }) => account)
    return (
      <Suspense fallback={<Loading />}>
        <SignInRequired person={data.me.person?.email ?? ''} required={required} others={others} page={pageInTab()} />
      </Suspense>
    )
  }
  if (isAmbiguous) return <Loading />
  if (data?.login && data.me)
    return (
      <ViewerProvider login={data.login} me={data.me}>
        {children}
      </ViewerProvider>
    )
  if (data?.me && !data.login) return <NoAccount email={data.me.person?.email ?? ''} />
  if (error === undefined || isSignedOutError) return <Loading />
  return (
    <Container size="sm" py="xl">
      <ErrorNotice
        error={error}
        title="The console could not be opened"
        onRetry={() => refetch({ requestPolicy: 'network-only' })}
      />
      {addressedAccount === undefined ? null : (
        <Button component="a" href="/" variant="default" mt="md">
          Open one of your accounts
        </Button>
      )}
    </Container>
  )
}

function requiredSignInOf(error: CombinedError | undefined): 'SECOND_FACTOR' | 'SSO' | undefined {
  const found = error?.graphQLErrors.find(({ extensions }) => extensions.reason === 'sign-in-required')
  if (found === undefined) return undefined
  return found.extensions.requiredSignIn === 'SSO' ? 'SSO' : 'SECOND_FACTOR'
}

const pageInTab = (): string => `${window.location.pathname}${window.location.search}${window.location.hash}`

function NoAccount({ email }: { email: string }) {
  const leave = (): void =>
    void signOut().then(
      ({ redirect = '/sign-in' }) => window.location.assign(redirect),
      () => window.location.assign('/sign-in'),
    )
  return (
    <Container size="sm" py="xl">
      <EmptyState title="You are not a member of any account" action={<Button onClick={leave}>Sign out</Button>}>
        You are signed in as {email}. To join an account, ask one of its admins for an invitation.
      </EmptyState>
    </Container>
  )
}

function useOpenSignIn(): () => void {
  const router = useRouter()
  const navigate = useNavigate()
  return useCallback(() => {
    const { pathname, href } = router.state.location
    if (pathname === '/sign-in') return
    void navigate({ to: '/sign-in', search: { next: href }, replace: true })
  }, [router, navigate])
}
