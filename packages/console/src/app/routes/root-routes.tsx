import { createRootRouteWithContext, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { Client } from 'urql'
import { ViewerDocument } from '../../features/user-settings/viewer.generated.ts'
import { stringOf, validSearch } from '../../hooks/valid-search.ts'
import { Shell } from '../shell.tsx'

export const rootRoute = createRootRouteWithContext<{ client: Client }>()()

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/overview', replace: true })
  },
})

interface SignInSearch {
  /** The path to open after sign-in. */
  next?: string
  error?: string
}

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: validSearch<SignInSearch>(({ next, error }) => ({ next: stringOf(next), error: stringOf(error) })),
  component: lazyRouteComponent(() => import('../../features/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

/** The URL's fragment contains the invitation's token. */
export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('../../features/invitation/invitation-page.tsx'), 'InvitationPage'),
})

/** The URL's fragment contains the token of the sign-in link. */
export const signInLinkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in-link',
  component: lazyRouteComponent(() => import('../../features/sign-in/sign-in-link-page.tsx'), 'SignInLinkPage'),
})

/** The links from `muster users reset-password` lead to this page. The URL's fragment contains the token. */
export const newPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/new-password',
  component: lazyRouteComponent(() => import('../../features/sign-in/new-password-page.tsx'), 'NewPasswordPage'),
})

/** `muster login` opens this page or prints its URL. The URL's fragment, if any, contains the request's ID. */
export const commandLineRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/command-line',
  component: lazyRouteComponent(() => import('../../features/command-line/command-line-page.tsx'), 'CommandLinePage'),
})

export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad({ context: { client } }) {
    // Fetch the user while the page's code loads. The shell then finds the response in the client's cache.
    void client.query(ViewerDocument, {}, { requestPolicy: 'cache-first' }).toPromise()
  },
  component: Shell,
})
