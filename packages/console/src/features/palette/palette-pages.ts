import { accountPages } from '../account/account-pages.ts'

export const palettePages = [
  { to: '/overview', label: 'Overview' },
  { to: '/devices', label: 'Devices' },
  { to: '/services', label: 'Services' },
  { to: '/events', label: 'Events' },
  { to: '/changes', label: 'Bulk jobs' },
  { to: '/webhooks', label: 'Webhooks' },
  ...accountPages,
] as const
