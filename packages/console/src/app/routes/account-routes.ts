import { createRoute, lazyRouteComponent, type RouteComponent, redirect } from '@tanstack/react-router'
import { shellRoute } from './root-routes.tsx'

const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('../../features/account/account-layout.tsx'), 'AccountLayout'),
})

const getParentRoute = () => accountRoute

const page = <const Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
) => createRoute({ getParentRoute, path, component: lazyRouteComponent(load, name) })

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
  page('/keys', () => import('../../features/account/access-keys/keys-page.tsx'), 'KeysPage'),
  page('/keys/$keyId', () => import('../../features/account/access-keys/key-page.tsx'), 'KeyPage'),
  page('/members', () => import('../../features/members/members-page.tsx'), 'MembersPage'),
  page(
    '/sign-in-policy',
    () => import('../../features/account/sign-in-policy/sign-in-policy-page.tsx'),
    'SignInPolicyPage',
  ),
  page('/codes', () => import('../../features/account/registration-codes/codes-page.tsx'), 'CodesPage'),
  page('/labels', () => import('../../features/account/labels-page.tsx'), 'LabelsPage'),
  page('/attributes', () => import('../../features/account/attribute-names-page.tsx'), 'AttributeNamesPage'),
  page('/limits', () => import('../../features/account/limits-page.tsx'), 'LimitsPage'),
  page('/sessions', () => import('../../features/account/sessions/sessions-page.tsx'), 'SessionsPage'),
  page('/security', () => import('../../features/account/security/security-page.tsx'), 'SecurityPage'),
] as const

export const accountRoutes = accountRoute.addChildren(accountPages)
