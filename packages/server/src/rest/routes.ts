import type { Route } from './route.ts'
import { accessKeyRoutes } from './routes/access-keys.ts'
import { attributeRoutes } from './routes/attributes.ts'
import { bulkRoutes } from './routes/bulk.ts'
import { deviceRoutes } from './routes/devices.ts'
import { eventRoutes } from './routes/events.ts'
import { memberRoutes } from './routes/members.ts'
import { registrationCodeRoutes } from './routes/registration-codes.ts'
import { serverRoutes } from './routes/server.ts'
import { serviceRoutes } from './routes/services.ts'
import { userRoutes } from './routes/user.ts'
import { viewRoutes } from './routes/views.ts'
import { webhookRoutes } from './routes/webhooks.ts'

export const routeGroups: Readonly<Record<string, readonly Route[]>> = {
  server: serverRoutes,
  user: userRoutes,
  members: memberRoutes,
  devices: deviceRoutes,
  services: serviceRoutes,
  attributes: attributeRoutes,
  'bulk jobs': bulkRoutes,
  events: eventRoutes,
  'access keys': accessKeyRoutes,
  'registration codes': registrationCodeRoutes,
  views: viewRoutes,
  webhooks: webhookRoutes,
}

export const routes: readonly Route[] = Object.values(routeGroups).flat()
