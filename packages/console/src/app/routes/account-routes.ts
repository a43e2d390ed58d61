import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { shellRoute } from './root-routes.tsx'

const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('../../features/account/account-layout.tsx'), 'AccountLayout'),
})

const getParentRoute = () => accountRoute

// Create the routes outside the `addChildren` call, because TypeScript would otherwise neither infer their types nor
// check the console's links.
const accountPages = [
  createRoute({
    getParentRoute,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/account/keys', replace: true })
    },
  }),
  createRoute({
    getParentRoute,
    path: '/keys',
    component: lazyRouteComponent(() => import('../../features/account/access-keys/keys-page.tsx'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/keys/$keyId',
    component: lazyRouteComponent(() => import('../../features/account/access-keys/key-page.tsx'), 'KeyPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/members',
    component: lazyRouteComponent(() => import('../../features/members/members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/sign-in-policy',
    component: lazyRouteComponent(
      () => import('../../features/account/sign-in-policy/sign-in-policy-page.tsx'),
      'SignInPolicyPage',
    ),
  }),
  createRoute({
    getParentRoute,
    path: '/codes',
    component: lazyRouteComponent(
      () => import('../../features/account/registration-codes/codes-page.tsx'),
      'CodesPage',
    ),
  }),
  createRoute({
    getParentRoute,
    path: '/labels',
    component: lazyRouteComponent(() => import('../../features/account/labels-page.tsx'), 'LabelsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/attributes',
    component: lazyRouteComponent(
      () => import('../../features/account/attribute-names-page.tsx'),
      'AttributeNamesPage',
    ),
  }),
  createRoute({
    getParentRoute,
    path: '/limits',
    component: lazyRouteComponent(() => import('../../features/account/limits-page.tsx'), 'LimitsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions',
    component: lazyRouteComponent(() => import('../../features/account/sessions/sessions-page.tsx'), 'SessionsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/security',
    component: lazyRouteComponent(() => import('../../features/account/security/security-page.tsx'), 'SecurityPage'),
  }),
] as const

export const accountRoutes = accountRoute.addChildren(accountPages)
