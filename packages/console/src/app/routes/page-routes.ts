import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { bulkJobSearch, bulkJobsSearch } from '../../features/bulk/bulk-search.ts'
import { deviceSearch } from '../../features/device/device-search.ts'
import { devicesSearch } from '../../features/devices/devices-search.ts'
import { eventsSearch } from '../../features/events/events-search.ts'
import { overviewSearch } from '../../features/overview/overview-search.ts'
import { loadChart, requestOverview } from '../../features/overview/request-overview.ts'
import { servicesSearch } from '../../features/services/services-search.ts'
import { webhookSearch } from '../../features/webhooks/webhook-search.ts'
import { NotFoundPage } from '../unknown-route-page.tsx'
import { shellRoute } from './root-routes.tsx'

const getParentRoute = () => shellRoute

export const pageRoutes = [
  createRoute({
    getParentRoute,
    path: '/overview',
    validateSearch: overviewSearch,
    async beforeLoad({ context: { client }, search, cause }) {
      if (cause !== 'enter') return
      void requestOverview(client, search)
      // Let the browser send these requests before it loads the page's code, unless the HTML document has preloaded the
      // code. Browsers open only a few connections.
      await new Promise((resolve) => setTimeout(resolve))
    },
    component: lazyRouteComponent(() => {
      const page = import('../../features/overview/overview-page.tsx')
      void loadChart()
      return page
    }, 'OverviewPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/devices',
    validateSearch: devicesSearch,
    component: lazyRouteComponent(() => import('../../features/devices/devices-page.tsx'), 'DevicesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/devices/$deviceId',
    validateSearch: deviceSearch,
    component: lazyRouteComponent(() => import('../../features/device/device-page.tsx'), 'DevicePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/devices/$deviceId/services/$serviceId',
    validateSearch: deviceSearch,
    component: lazyRouteComponent(() => import('../../features/device/service-page.tsx'), 'ServicePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/services',
    validateSearch: servicesSearch,
    component: lazyRouteComponent(() => import('../../features/services/services-page.tsx'), 'ServicesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/events',
    validateSearch: eventsSearch,
    component: lazyRouteComponent(() => import('../../features/events/events-page.tsx'), 'EventsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/changes',
    validateSearch: bulkJobsSearch,
    component: lazyRouteComponent(() => import('../../features/bulk/bulk-jobs-page.tsx'), 'BulkJobsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/changes/$jobId',
    validateSearch: bulkJobSearch,
    component: lazyRouteComponent(() => import('../../features/bulk/bulk-job-page.tsx'), 'BulkJobPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('../../features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks/$webhookId',
    validateSearch: webhookSearch,
    component: lazyRouteComponent(() => import('../../features/webhooks/webhook-page.tsx'), 'WebhookPage'),
  }),
  createRoute({ getParentRoute, path: '$', component: NotFoundPage }),
] as const
