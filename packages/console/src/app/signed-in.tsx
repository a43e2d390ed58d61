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

/** Shows its children to those who are signed in, and leads the others to the sign-in page and back again. */
export function SignedIn({ children }: { children: ReactNode }) {
  const [{ data, error }, again] = useQuery({ query: ViewerDocument, requestPolicy: 'cache-first' })
  const goToSignIn = useGoToSignIn()
  useEffect(
    () =>
      signedOut.listen(() => {
        // A session is replaced when the person changes how they sign in; what was under way with the old one is refused.
        whoAmI().then(
          ({ user }) => user === null && goToSignIn(),
          () => {},
        )
      }),
    [goToSignIn],
  )
  // An answer that was there before this listened.
  const isOut = error !== undefined && isSignedOut(error)
  useEffect(() => {
    if (isOut) goToSignIn()
  }, [isOut, goToSignIn])

  if (data?.login)
    return (
      <ViewerProvider login={data.login} version={data.version}>
        {children}
      </ViewerProvider>
    )
  if (error === undefined || isOut) return <Loading />
  return (
    <Container size="sm" py="xl">
      <ErrorNotice
        error={error}
        title="The console could not be opened"
        onRetry={() => again({ requestPolicy: 'network-only' })}
      />
    </Container>
  )
}

function useGoToSignIn(): () => void {
  const router = useRouter()
  const navigate = useNavigate()
  return useCallback(() => {
    const { pathname, href } = router.state.location
    if (pathname === '/sign-in') return
    void navigate({ to: '/sign-in', search: { next: href }, replace: true })
  }, [router, navigate])
}
