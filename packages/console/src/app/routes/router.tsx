import { createRouter } from '@tanstack/react-router'
import { Loading } from '../../components/loading.tsx'
import { basePath } from '../account-path.ts'
import { ErrorPage } from '../error-page.tsx'
import { accountRoutes } from './account-routes.ts'
import { pageRoutes } from './page-routes.ts'
import {
  commandLineRoute,
  homeRoute,
  invitationRoute,
  newPasswordRoute,
  rootRoute,
  shellRoute,
  signInLinkRoute,
  signInRoute,
} from './root-routes.tsx'

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    signInRoute,
    invitationRoute,
    commandLineRoute,
    signInLinkRoute,
    newPasswordRoute,
    shellRoute.addChildren([...pageRoutes, accountRoutes]),
  ]),
  basepath: basePath,
  // `RouterProvider` sets the client.
  context: { client: undefined! },
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading />,
  // Show a page as soon as it has loaded, even if the loading indicator has just appeared.
  defaultPendingMinMs: 0,
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
