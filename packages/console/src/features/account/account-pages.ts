export const accountPages = [
  { to: '/account/keys', label: 'Access keys' },
  { to: '/account/members', label: 'Members' },
  { to: '/account/sign-in-policy', label: 'Sign-in policy' },
  { to: '/account/codes', label: 'Registration codes' },
  { to: '/account/labels', label: 'Labels' },
  { to: '/account/attributes', label: 'Attribute names' },
  { to: '/account/limits', label: 'Limits' },
  { to: '/account/sessions', label: 'Sessions' },
  { to: '/account/security', label: 'Profile and security' },
] as const
