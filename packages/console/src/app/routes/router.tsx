import { createRouter } from '@tanstack/react-router'
import { Loading } from '../../components/loading.tsx'
import { ErrorPage } from '../error-page.tsx'
import { accountRoutes } from './account-routes.ts'
import { pageRoutes } from './page-routes.ts'
import { homeRoute, rootRoute, shellRoute, signInRoute } from './root-routes.tsx'

export const router = createRouter({
  routeTree: rootRoute.addChildren([homeRoute, signInRoute, shellRoute.addChildren([...pageRoutes, accountRoutes])]),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
