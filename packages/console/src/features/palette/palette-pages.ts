import { accountPages } from '../account/account-pages.ts'

/** Lists the pages that the command palette opens, with the words that find them. */
export const palettePages = [
  { to: '/overview', label: 'Overview' },
  { to: '/devices', label: 'Devices' },
  { to: '/services', label: 'Services' },
  { to: '/events', label: 'Events' },
  { to: '/changes', label: 'Changes' },
  { to: '/webhooks', label: 'Webhooks' },
  ...accountPages,
] as const
