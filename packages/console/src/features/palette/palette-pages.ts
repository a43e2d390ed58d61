/** Lists the pages that the command palette opens, with the words that find them. */
export const palettePages = [
  { to: '/overview', label: 'Overview' },
  { to: '/devices', label: 'Devices' },
  { to: '/services', label: 'Services' },
  { to: '/events', label: 'Events' },
  { to: '/changes', label: 'Changes' },
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/account/keys', label: 'Access keys' },
  { to: '/account/members', label: 'Members' },
  { to: '/account/sign-in-policy', label: 'Sign-in policy' },
  { to: '/account/codes', label: 'Registration codes' },
  { to: '/account/labels', label: 'Labels' },
  { to: '/account/attributes', label: 'Attribute names' },
  { to: '/account/limits', label: 'Limits' },
  { to: '/account/sessions', label: 'Sessions' },
  { to: '/account/security', label: 'Security' },
] as const
