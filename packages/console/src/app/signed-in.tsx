import { Container } from '@mantine/core'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect } from 'react'
import { useQuery } from 'urql'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Loading } from '../components/loading.tsx'
import { whoAmI } from '../features/sign-in/auth-api.ts'
import { ViewerDocument } from '../features/user-settings/viewer.generated.ts'
import { ViewerProvider } from '../features/user-settings/viewer-provider.tsx'
import { isSignedOut } from '../graphql/describe-error.ts'
import { signedOut } from '../graphql/signed-out.ts'

/**
 * Renders its children if a user is signed in. Otherwise, opens the sign-in page, which later returns to the current
 * page.
 */
export function SignedIn({ children }: { children: ReactNode }) {
  const [{ data, error }, refetch] = useQuery({ query: ViewerDocument, requestPolicy: 'cache-first' })
  const openSignIn = useOpenSignIn()
  useEffect(
    () =>
      signedOut.listen(() => {
        // A changed password or second factor replaces the session, and the server rejects requests in flight with the
        // old session.
        whoAmI().then(
          ({ user }) => user === null && openSignIn(),
          () => {},
        )
      }),
    [openSignIn],
  )
  // The client may have cached an error before this component subscribed.
  const isSignedOutError = error !== undefined && isSignedOut(error)
  useEffect(() => {
    if (isSignedOutError) openSignIn()
  }, [isSignedOutError, openSignIn])

  if (data?.login)
    return (
      <ViewerProvider login={data.login} version={data.version}>
        {children}
      </ViewerProvider>
    )
  if (error === undefined || isSignedOutError) return <Loading />
  return (
    <Container size="sm" py="xl">
      <ErrorNotice
        error={error}
        title="The console could not be opened"
        onRetry={() => refetch({ requestPolicy: 'network-only' })}
      />
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
